"""GRPO on whole attempts: settings, the trainer, tensors of trajectories, the update."""
