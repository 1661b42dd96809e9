"""Functions that are compiled on their own: what they depend on, what is copied in, and what they return."""
