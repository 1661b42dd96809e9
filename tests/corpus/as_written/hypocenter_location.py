"""Locate earthquakes from arrival times: Geiger's method with damping, weights by residual, a layered crust."""
import numpy as np

LAYERS = ((0.0, 5.5), (15.0, 6.5), (35.0, 8.0))   # top (km), P velocity (km/s)
VP_VS = 1.73


def velocity_at(depth):
    v = LAYERS[0][1]
    for top, speed in LAYERS:
        if depth >= top:
            v = speed
    return v


def travel_time(source, station, phase="P"):
    """Straight ray with the mean slowness along its vertical part."""
    dx, dy = station[0] - source[0], station[1] - source[1]
    depth = max(source[2], 0.1)
    slowness = 0.0
    for k, (top, v) in enumerate(LAYERS):
        bottom = LAYERS[k + 1][0] if k + 1 < len(LAYERS) else np.inf
        if depth > top:
            slowness += (min(depth, bottom) - top) / v
    slowness /= depth
    t = np.sqrt(dx ** 2 + dy ** 2 + depth ** 2) * slowness
    return t * VP_VS if phase == "S" else t


def jacobian(source, station, phase, h=1e-4):
    row = np.ones(4)
    for k in range(3):
        step = np.zeros(3)
        step[k] = h
        row[k] = (travel_time(source + step, station, phase) - travel_time(source - step, station, phase)) / (2 * h)
    return row


def bisquare(residuals, c=4.685):
    mad = np.median(np.abs(residuals - np.median(residuals)))
    u = residuals / (c * max(mad / 0.6745, 1e-3))
    return np.where(np.abs(u) < 1, (1 - u ** 2) ** 2, 0.0)


def gap(source, stations):
    """Largest azimuthal gap in degrees."""
    az = np.sort(np.degrees(np.arctan2(stations[:, 0] - source[0], stations[:, 1] - source[1])) % 360)
    gaps = np.diff(np.r_[az, az[0] + 360])
    return gaps.max()


def locate(stations, p_times, s_times=None, start=None, max_iter=25, damping=1e-2, tol=1e-4):
    """Hypocentre, origin time, covariance and quality."""
    n = len(stations)
    if n < 4:
        raise ValueError(f"{n} stations are too few for four unknowns")
    picks = [(k, "P", t) for k, t in enumerate(p_times)]
    if s_times is not None:
        picks += [(k, "S", t) for k, t in enumerate(s_times) if not np.isnan(t)]
    if start is None:
        first = int(np.argmin(p_times))
        x = np.array([stations[first, 0], stations[first, 1], 10.0])
        t0 = p_times[first] - travel_time(x, stations[first])
    else:
        x, t0 = np.array(start[:3], dtype=float), start[3]

    history = []
    converged = False
    for it in range(max_iter):
        G = np.array([jacobian(x, stations[k], phase) for k, phase, _ in picks])
        r = np.array([t - t0 - travel_time(x, stations[k], phase) for k, phase, t in picks])
        w = bisquare(r) if it > 2 else np.ones_like(r)
        A = G.T @ (w[:, None] * G) + damping * np.eye(4)
        delta = np.linalg.solve(A, G.T @ (w * r))
        x = x + delta[:3]
        x[2] = min(max(x[2], 0.5), 60.0)
        t0 += delta[3]
        history.append(np.sqrt(np.sum(w * r ** 2) / np.sum(w)))
        if np.linalg.norm(delta[:3]) < tol:
            converged = True
            break
    if history[-1] > 10 * (history[0] + 1):
        raise RuntimeError(f"diverged after {it + 1} iterations: {history}")
    sigma2 = np.sum(w * r ** 2) / max(np.sum(w > 0) - 4, 1)
    cov = sigma2 * np.linalg.inv(A)
    return {"hypocentre": x, "origin": t0, "errors": np.sqrt(np.diag(cov)), "rms": history[-1],
            "gap": gap(x, stations), "n_picks": len(picks), "converged": converged, "iterations": it + 1}


ENTRY = "locate"


def make_arguments(rng, n):
    stations = rng.uniform(-60, 60, size=(n + 4, 2))
    source = np.array([5.0, -8.0, 12.0])
    p = np.array([travel_time(source, s) for s in stations]) + 3.0 + 0.02 * rng.normal(size=n + 4)
    s = np.array([travel_time(source, s, "S") for s in stations]) + 3.0 + 0.05 * rng.normal(size=n + 4)
    s[0] = np.nan
    return stations, p, s, None, 12


GRADIENT = ("p_times",)
ERRORS = [(lambda rng, n: (np.zeros((3, 2)), np.zeros(3)), ValueError)]
