"""Facts about trees: analyses take a tree and give a value, never a tree."""
