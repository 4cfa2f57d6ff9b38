"""What carries calls of tools out, where the policy names it."""
