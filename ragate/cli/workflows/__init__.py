"""What workflow files hold: their gates, and names of this project written into them."""
