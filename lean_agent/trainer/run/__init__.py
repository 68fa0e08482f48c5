"""What all trainers share beside the learning: run folders, callbacks, metrics, processes, loading of models."""
