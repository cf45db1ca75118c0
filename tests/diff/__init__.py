"""What a rollout changes."""
