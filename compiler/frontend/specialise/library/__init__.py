"""Functions of Python's libraries, of NumPy and of Pellucid, called with abstract values."""
