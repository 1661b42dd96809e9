"""Functions that are compiled on their own: what they depend on, what they are lent, what they return."""
