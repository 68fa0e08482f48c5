"""Search trees on disk: written, read, shown, and made into training data."""
