import numpy as np

HEAD = "from scipy import signal"
R = np.random.default_rng(6)
ARRAYS = {
    "x": R.normal(size=30),
    "h": R.normal(size=5),
    "L": R.normal(size=400),
    "K": R.normal(size=301),
    "A": R.normal(size=(6, 7)),
    "B": R.normal(size=(3, 2)),
    "C": R.normal(size=(3, 3)) + 1j * R.normal(size=(3, 3)),
    "T": R.normal(size=(2, 3, 4)),
    "N": np.arange(6),
}
RTOL = 1e-10
CALLS = """
signal.convolve(x, h)
signal.convolve(x, h, mode="same")
signal.convolve(h, x, mode="same")
signal.convolve(x, h, mode="valid")
signal.convolve(L, K)
signal.convolve(N, N)
signal.convolve(A, B)
signal.convolve(A, B, mode="same")
signal.convolve(A, B, "valid", "fft")
signal.convolve(x, h, method="direct")
signal.correlate(x, h)
signal.correlate(x, h, mode="same")
signal.correlate(A, B, mode="valid")
signal.correlate(C, C)
signal.fftconvolve(x, h)
signal.fftconvolve(A, B, mode="same")
signal.fftconvolve(C, C)
signal.fftconvolve(T, T[:, :2, :3])
signal.oaconvolve(L, h, mode="same")
signal.convolve2d(A, B)
signal.convolve2d(A, B, mode="same")
signal.correlate2d(A, B, mode="valid")
"""
SMOOTH = """
signal.convolve(x, h, mode="same")
signal.fftconvolve(A, B)
signal.correlate(A, B)
"""
