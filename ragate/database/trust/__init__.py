"""What no process that runs foreign code can reach: budgets here, and the roles that see to it."""
