"""What was retrieved, against labels."""
