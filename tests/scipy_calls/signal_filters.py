import numpy as np

HEAD = "from scipy import signal"
R = np.random.default_rng(11)
ARRAYS = {
    "x": np.cumsum(R.normal(size=80)),
    "X": R.normal(size=(3, 60)),
    "b": np.array([0.2, 0.3, 0.1]),
    "a": np.array([1.0, -0.5, 0.2]),
    "c": np.array([2.0, 0.4, 0.1]),
    "z": np.array([0.3, -0.2]),
    "w": 0.3,
    "s": np.array([[0.1, 0.2, 0.1, 1.0, -0.3, 0.1], [1.0, 2.0, 1.0, 1.0, -0.5, 0.2]]),
    "P": np.sin(np.arange(100) * 0.3) + 0.3 * np.sin(np.arange(100) * 1.1),
    "N": np.array([0, 1, 1, 0, 2, 2, 2, 1, 3, 0]),
}
RTOL = 1e-9
CALLS = """
signal.lfilter(b, a, x)
signal.lfilter(b, c, X)
signal.lfilter(b, a, X, axis=0)
signal.lfilter(b, [1.0], x)
signal.lfilter([0.5], a, x)
signal.lfilter(b, a, x, zi=z)
signal.lfilter(b, a, x + 1j * x)
signal.lfilter_zi(b, a)
signal.filtfilt(b, a, x)
signal.filtfilt(b, a, X)
signal.filtfilt(b, a, X.astype(np.float32))
signal.filtfilt(b, a, x, padtype="even", padlen=20)
signal.filtfilt(b, a, x, padtype=None)
signal.sosfilt(s, x)
signal.sosfilt(s, X)
signal.sosfilt_zi(s)
signal.sosfiltfilt(s, x)
signal.savgol_coeffs(7, 3)
signal.savgol_coeffs(7, 3, deriv=1, delta=0.5)
signal.savgol_filter(x, 9, 3)
signal.savgol_filter(x.astype(np.float32), 9, 3).dtype.itemsize
signal.savgol_filter(X, 7, 2, deriv=1)
signal.savgol_filter(x, 9, 3, mode="nearest")
signal.savgol_filter(x, 9, 3, mode="constant")
signal.detrend(x)
signal.detrend(X, type="constant")
signal.hilbert(x)
signal.hilbert(X[:, :59], axis=0)
np.abs(signal.hilbert(x))
signal.resample(x, 50)
signal.resample(x, 97)
signal.resample(X, 31, axis=1)
signal.medfilt(x, 5)
signal.medfilt(N, 3)
signal.butter(4, 0.2)
signal.butter(3, w, "high")
signal.butter(2, [0.2, 0.5], btype="band")
signal.butter(3, [0.2, 0.5], btype="bandstop")
signal.butter(3, 10.0, fs=100.0)
signal.butter(4, 0.2, output="sos")
signal.butter(5, 0.2, "high", output="sos")
signal.butter(4, [5.0, 20.0], "band", fs=100.0, output="sos")
signal.butter(3, [0.05, 0.9], "band", output="sos")
signal.butter(1, [0.2, 0.3], "bandpass", output="sos")
signal.butter(3, [0.2, 0.5], "bandstop", output="sos")
(signal.butter(3, [0.2, 0.5], "band", output="zpk")[0], signal.butter(2, 0.3, "high", output="zpk"))
(signal.cheby1(4, 0.5, 0.3), signal.cheby1(3, w, 0.2, "high"), signal.cheby1(2, 1.0, [0.2, 0.5], "band"))
(signal.cheby1(8, 0.05, 0.2, output="sos"), signal.cheby1(3, 1.0, [0.2, 0.5], "stop", output="sos"))
(signal.cheby2(4, 20.0, 0.3), signal.cheby2(3, 30.0, 20.0, "high", fs=100.0), signal.cheby2(1, 20.0, 0.2))
(signal.cheby2(2, 20.0, [0.2, 0.5], "band"), signal.cheby2(3, 40.0, [0.2, 0.6], "stop")[0])
(signal.cheby2(5, 40.0, 0.3, output="sos"), signal.cheby2(3, 40.0, [0.2, 0.6], "band", output="sos"))
(signal.cheby1(3, 1.0, 0.4, output="zpk"), signal.cheby2(3, 30.0, 0.4, output="zpk")[2])
signal.zpk2sos([1.0, -1.0, 0.5 + 0.5j, 0.5 - 0.5j], [0.2, 0.4, 0.1 + 0.3j, 0.1 - 0.3j], 2.0)
(signal.zpk2sos([], z, w), signal.zpk2sos([0.5], [0.2, 0.1 + 0.3j, 0.1 - 0.3j], 2.0, pairing="keep_odd"))
(signal.tf2sos(b, a), signal.tf2sos([1.0, 0.3], [1.0, -0.9, 0.1, -0.05]))
(signal.resample_poly(x, 3, 2), signal.resample_poly(X, 2, 6, axis=1))
signal.resample_poly(x, 4, 1, window=("kaiser", 3.0))
(signal.resample_poly(x, 1, 3, padtype="mean"), signal.resample_poly(x, 2, 3, window=b), signal.resample_poly(x, 4, 4))
signal.resample_poly(X.astype(np.float32), 3, 1, axis=1)
(signal.decimate(x, 4), signal.decimate(X, 2, axis=1, ftype="fir"), signal.decimate(x, 3, n=4, zero_phase=False))
(signal.decimate(x, 5, 12, "fir", zero_phase=False))
(signal.wiener(x), signal.wiener(X, (3, 5)), signal.wiener(x, 5, 0.2))
signal.sosfiltfilt(signal.butter(4, [5.0, 20.0], "band", fs=100.0, output="sos"), x)
signal.freqz(b, a, 16)
signal.freqz(b, worN=np.array([0.1, 1.0]))
signal.get_window("hann", 9)
signal.get_window("blackman", 8, fftbins=False)
signal.welch(x, 10.0, nperseg=32)
signal.welch(X, nperseg=16, noverlap=4, window="hamming", scaling="spectrum")
signal.periodogram(x, 2.0)
signal.find_peaks(P)[0]
signal.find_peaks(N)[0]
signal.find_peaks(P, height=0.5)[0]
signal.find_peaks(P, height=0.5)[1]["peak_heights"]
signal.find_peaks(P, distance=10)[0]
signal.find_peaks(P, prominence=0.6)[0]
signal.find_peaks(P, prominence=0.6)[1]["prominences"]
signal.peak_prominences(P, signal.find_peaks(P)[0])
signal.filtfilt(*signal.butter(3, 0.1), x)
"""
SMOOTH = """
signal.lfilter(b, a, x)
signal.filtfilt(b, a, x)
signal.sosfilt(np.array([[0.1, 0.2, 0.1, 1.0, -0.3, 0.1]]), x)
signal.savgol_filter(x, 9, 3)
signal.detrend(x) ** 2
np.abs(signal.hilbert(x + 20.0))
signal.butter(3, w)[0]
signal.cheby1(3, w, 0.3, output="sos")
signal.cheby2(2, 20.0, w)[1]
signal.tf2sos(b, a)
signal.decimate(x, 4)
signal.resample_poly(x, 3, 2)
signal.wiener(x)
signal.welch(x, nperseg=32)[1]
np.real(signal.freqz(b, a, 16)[1])
signal.find_peaks(P, height=0.5)[1]["peak_heights"]
"""
