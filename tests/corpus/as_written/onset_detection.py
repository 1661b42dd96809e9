"""Onset detection: DFT-matrix spectrogram, mel bands, spectral flux, adaptive threshold; tempo.

Bello et al., "A tutorial on onset detection in music signals", IEEE TSAP 13 (2005).
"""
import numpy as np

FRAME = 32
HOP = 16


def hz_to_mel(f):
    return 2595.0 * np.log10(1.0 + f / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


def dft_matrices(n):
    """Real and imaginary analysis matrices for the bins 0 .. n/2."""
    k = np.arange(n // 2 + 1)[:, None]
    t = np.arange(n)[None, :]
    angle = 2 * np.pi * k * t / n
    return np.cos(angle), -np.sin(angle)


def frame_signal(x, size, hop):
    n_frames = 1 + (len(x) - size) // hop
    return np.stack([x[i * hop:i * hop + size] for i in range(n_frames)])


def mel_filterbank(n_bands, rate, n_fft):
    """Triangular filters, rows of unit peak."""
    freqs = np.arange(n_fft // 2 + 1) * rate / n_fft
    edges = mel_to_hz(np.linspace(0.0, hz_to_mel(rate / 2), n_bands + 2))
    bank = np.zeros((n_bands, len(freqs)))
    for b in range(n_bands):
        left, centre, right = edges[b:b + 3]
        up = (freqs - left) / (centre - left)
        down = (right - freqs) / (right - centre)
        bank[b] = np.clip(np.minimum(up, down), 0.0, None)
    return bank


def spectrogram(x, window):
    C, S = dft_matrices(FRAME)
    frames = frame_signal(x, FRAME, HOP) * window
    return (frames @ C.T) ** 2 + (frames @ S.T) ** 2


def spectral_flux(mel):
    rise = np.diff(mel, axis=0)
    flux = np.where(rise > 0, rise, 0.0).sum(axis=1)
    return np.concatenate([[0.0], flux])


def moving_median(values, half):
    out = []
    for i in range(len(values)):
        lo, hi = max(0, i - half), min(len(values), i + half + 1)
        out.append(np.median(values[lo:hi]))
    return np.array(out)


def pick_peaks(novelty, threshold, min_gap):
    peaks = []
    for i in range(1, len(novelty) - 1):
        value = novelty[i]
        if value <= threshold[i]:
            continue
        if value < novelty[i - 1] or value < novelty[i + 1]:
            continue
        if peaks and i - peaks[-1] < min_gap:
            if value > novelty[peaks[-1]]:
                peaks[-1] = i
            continue
        peaks.append(i)
    return peaks


def tempo_lag(novelty, shortest, longest):
    """Lag (frames) with the largest autocorrelation of the centred novelty curve."""
    z = novelty - novelty.mean()
    best_lag, best = 0, -np.inf
    for lag in range(shortest, min(longest, len(z) - 1) + 1):
        r = z[lag:] @ z[:-lag] / (len(z) - lag)
        if r > best:
            best_lag, best = lag, r
    return best_lag, best


def detect_onsets(x, rate, delta=0.1, compression=100.0, n_bands=6):
    """Times of onsets, the novelty curve, log-mel spectrogram and periodicity in seconds."""
    x = np.asarray(x, dtype=float)
    if rate <= 0:
        raise ValueError(f"sampling rate must be positive, not {rate}")
    if len(x) < FRAME + 3 * HOP:
        raise ValueError(f"need at least {FRAME + 3 * HOP} samples, got {len(x)}")

    window = np.hanning(FRAME)
    power = spectrogram(x, window)
    mel = np.log1p(compression * power @ mel_filterbank(n_bands, rate, FRAME).T)
    novelty = spectral_flux(mel)
    scale = novelty.max()
    if scale > 0:
        novelty = novelty / scale
    threshold = delta + moving_median(novelty, half=4)
    peaks = pick_peaks(novelty, threshold, min_gap=2)
    lag, strength = tempo_lag(novelty, shortest=2, longest=12)
    times = np.array([(p * HOP + FRAME / 2) / rate for p in peaks])
    return {
        "novelty": novelty,
        "times": times,
        "mean_interval": np.diff(times).mean() if len(times) > 1 else 0.0,
        "period": lag * HOP / rate,
        "strength": strength,
        "log_mel": mel,
    }


ENTRY = "detect_onsets"


def make_arguments(rng, n):
    rate = 1000.0
    t = np.arange(100 * n) / rate
    x = 0.01 * rng.standard_normal(t.size)
    for start in np.arange(0.05, t[-1], 0.1):
        late = t >= start
        x[late] += np.exp(-60 * (t[late] - start)) * np.sin(2 * np.pi * 180 * (t[late] - start))
    return (x, rate, 0.1, 100.0)


GRADIENT = ("x", "compression")
ERRORS = [
    (lambda rng, n: (np.ones(20), 1000.0), ValueError),
    (lambda rng, n: (np.ones(200), -5.0), ValueError),
]
