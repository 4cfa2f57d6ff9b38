"""How the main branch moved, from the baselines that its commits hold."""
