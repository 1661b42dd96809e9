import numpy as np

HEAD = "from scipy import signal"
R = np.random.default_rng(59)
ARRAYS = {
    "x": np.cumsum(R.normal(size=150)),
    "y": R.normal(size=150),
    "X": R.normal(size=(2, 90)),
    "Z": R.normal(size=(9, 12)) + 1j * R.normal(size=(9, 12)),
    "t": np.linspace(-1.0, 9.0, 41),
    "w": np.linspace(0.3, 3.0, 7),
    "u": np.sort(R.uniform(0.0, 10.0, size=30)),
    "b": np.array([0.2, 0.3, 0.1]),
    "a": np.array([1.0, -0.4, 0.2, 0.05]),
    "s": np.array([[0.1, 0.2, 0.1, 1.0, -0.3, 0.1], [1.0, 2.0, 1.0, 1.0, -0.5, 0.2]]),
}
RTOL = 1e-10
CALLS = """
signal.csd(x, y, fs=10.0, nperseg=32)
signal.csd(X, X[::-1], nperseg=16, scaling="spectrum", detrend="linear")
signal.coherence(x, y, nperseg=32, noverlap=20)
signal.spectrogram(x, fs=5.0, nperseg=32)
signal.spectrogram(X, nperseg=16, noverlap=4, window="hamming", mode="magnitude", detrend=False)
signal.stft(x, fs=4.0, nperseg=32)
signal.stft(X, nperseg=20, noverlap=15, window="blackman", boundary=None, padded=False, scaling="psd")
signal.istft(signal.stft(x, nperseg=32)[2])
signal.istft(Z, fs=2.0)
(signal.lombscargle(u, y[:30], w), signal.lombscargle(u, y[:30], w, normalize=True))
[signal.get_window(name, 11) for name in ("bartlett", "triang", "cosine")]
[signal.get_window(name, 11) for name in (("tukey", 0.3), ("kaiser", 5.0), ("gaussian", 2.0))]
(signal.get_window("triang", 8, False), signal.get_window(("tukey", 0.7), 9, fftbins=False))
signal.windows.get_window("hann", 6)
[signal.correlation_lags(n, m, mode) for n, m in ((5, 3), (4, 7)) for mode in ("full", "same", "valid")]
(signal.chirp(t, 0.5, 5.0, 2.0), signal.chirp(t, 0.5, 5.0, 2.0, "quadratic", phi=30))
signal.chirp(t, 0.5, 5.0, 2.0, "log")
(signal.chirp(t, 0.5, 5.0, 2.0, "quadratic", vertex_zero=False), signal.chirp(t, 2.0, 5.0, 0.5, "hyperbolic"))
(signal.sawtooth(t), signal.sawtooth(t, 0.3), signal.square(t), signal.square(t, duty=0.2))
(signal.gausspulse(t * 0.1, fc=5), signal.gausspulse(t * 0.1, fc=5, retquad=True, retenv=True))
(signal.firwin(11, 0.3), signal.firwin(21, [0.2, 0.5], pass_zero=False), signal.firwin(15, 0.4, pass_zero="highpass"))
(signal.firwin(31, [5.0, 20.0], fs=100.0), signal.firwin(12, 0.3, window=("kaiser", 4.0), scale=False))
(signal.sosfreqz(s, 16), signal.freqz_sos(s, 8, fs=10.0))
(signal.tf2zpk(b + [0.0, 0.0, 0.3], a), signal.zpk2tf([0.3, -0.2], [0.5, 0.1, -0.4], 2.0), signal.sos2tf(s))
"""
SMOOTH = """
signal.coherence(x, y, nperseg=32)[1]
signal.spectrogram(x, nperseg=32)[2]
signal.istft(signal.stft(x, nperseg=32)[2])[1]
signal.lombscargle(u, y[:30], w)
signal.chirp(t, w[0], 5.0, w[3], "log")
"""
