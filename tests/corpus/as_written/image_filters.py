"""Edge detection chain on a grey image: median, bilateral, Sobel, non-maximum suppression, hysteresis.

Canny, "A computational approach to edge detection", PAMI 1986; bilateral filter after
Tomasi & Manduchi, ICCV 1998.
"""
import numpy as np

SOBEL_X = np.array([[-1.0, 0.0, 1.0],
                    [-2.0, 0.0, 2.0],
                    [-1.0, 0.0, 1.0]])
SOBEL_Y = SOBEL_X.T


def median_filter(image, size=3):
    half = size // 2
    padded = np.pad(image, half, mode="edge")
    out = np.empty_like(image)
    rows, cols = image.shape
    for i in range(rows):
        for j in range(cols):
            out[i, j] = np.median(padded[i:i + size, j:j + size])
    return out


def bilateral_filter(image, radius, sigma_s, sigma_r):
    """Weighted mean; weights fall with distance in space and in grey level."""
    rows, cols = image.shape
    padded = np.pad(image, radius, mode="reflect")
    num = np.zeros_like(image)
    den = np.zeros_like(image)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            shifted = padded[radius + dy:radius + dy + rows, radius + dx:radius + dx + cols]
            w = np.exp(-(dx ** 2 + dy ** 2) / (2 * sigma_s ** 2)
                       - (shifted - image) ** 2 / (2 * sigma_r ** 2))
            num += w * shifted
            den += w
    return num / den


def correlate3(image, kernel):
    padded = np.pad(image, 1, mode="edge")
    out = np.zeros(image.shape)
    rows, cols = image.shape
    for i in range(3):
        for j in range(3):
            out += kernel[i, j] * padded[i:i + rows, j:j + cols]
    return out


def non_maximum_suppression(magnitude, angle):
    """Keep only pixels that are maximal along the (quantised) gradient direction."""
    rows, cols = magnitude.shape
    degrees = np.rad2deg(angle) % 180.0
    sector = np.floor((degrees + 22.5) / 45.0).astype(int) % 4
    offsets = {0: (0, 1), 1: (1, 1), 2: (1, 0), 3: (1, -1)}
    out = np.zeros_like(magnitude)
    for i in range(1, rows - 1):
        for j in range(1, cols - 1):
            di, dj = offsets[int(sector[i, j])]
            m = magnitude[i, j]
            if m >= magnitude[i + di, j + dj] and m >= magnitude[i - di, j - dj]:
                out[i, j] = m
    return out


def hysteresis(thin, low, high):
    """Strong pixels plus the weak ones connected to them, by flood fill."""
    strong = thin >= high
    weak = (thin >= low) & ~strong
    edges = strong.copy()
    stack = [(int(i), int(j)) for i, j in np.argwhere(strong)]
    rows, cols = thin.shape
    while stack:
        i, j = stack.pop()
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                p, q = i + di, j + dj
                if not (0 <= p < rows and 0 <= q < cols):
                    continue
                if weak[p, q] and not edges[p, q]:
                    edges[p, q] = True
                    stack.append((p, q))
    return edges


def detect_edges(image, sigma_s=1.5, sigma_r=0.2, low=0.1, high=0.3):
    """low and high are fractions of the largest gradient magnitude."""
    if image.ndim != 2:
        raise ValueError(f"expected a grey image, got {image.ndim} axes")
    if min(image.shape) < 4:
        raise ValueError("image too small")
    if not 0 < low < high < 1:
        raise ValueError(f"thresholds must satisfy 0 < low < high < 1, got {low}, {high}")

    denoised = median_filter(image)
    smooth = bilateral_filter(denoised, radius=2, sigma_s=sigma_s, sigma_r=sigma_r)
    gx = correlate3(smooth, SOBEL_X)
    gy = correlate3(smooth, SOBEL_Y)
    magnitude = np.hypot(gx, gy)
    angle = np.arctan2(gy, gx)
    peak = magnitude.max()
    if peak == 0:
        return {"smooth": smooth, "magnitude": magnitude, "edges": np.zeros(image.shape, dtype=bool), "fraction": 0.0}
    thin = non_maximum_suppression(magnitude, angle)
    edges = hysteresis(thin, low * peak, high * peak)
    return {
        "smooth": smooth,
        "magnitude": magnitude,
        "edges": edges,
        "fraction": edges.mean(),
    }


ENTRY = "detect_edges"


def make_arguments(rng, n):
    size = n + 3
    yy, xx = np.mgrid[:size, :size]
    image = np.where((yy - size / 2) ** 2 + (xx - size / 2) ** 2 < (size / 3) ** 2, 0.8, 0.2)
    return (image + 0.05 * rng.standard_normal(image.shape), 1.5, 0.25)


GRADIENT = ("image", "sigma_s", "sigma_r")
ERRORS = [
    (lambda rng, n: (rng.random((n, n, 3)),), ValueError),
    (lambda rng, n: (rng.random((n + 3, n + 3)), 1.0, 0.2, 0.5, 0.1), ValueError),
]
