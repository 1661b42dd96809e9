"""The dtypes that compiled code takes, by NumPy's names; what else they are only the compiler knows.

The most frequent scalars first: native dispatch looks for them in this order.  A test compares the names with the
compiler's table, which this package does not see.
"""

REAL = "float64 float32 int64 int32 bool uint8 float16 int8 int16 uint16 uint32 uint64".split()
DTYPES = [*REAL, "complex128", "complex64"]
