"""The programs as kernels of numba-cuda written by hand, with the launch that each needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

THREADS = 256


def by_hand(cuda: Any) -> dict[str, Callable[..., Any]]:
    """The programs by name, over arrays of numba's device; what is missing nobody writes by hand."""
    made: dict[str, Callable[..., Any]] = {}
    for part in (elementwise, grids, atomics):
        made.update(part(cuda))
    return made


def blocks(size: int) -> int:
    return -(-size // THREADS)


def elementwise(cuda: Any) -> dict[str, Callable[..., Any]]:
    @cuda.jit
    def poly_kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i] + x[i] * x[i] + x[i] * x[i] * x[i]

    @cuda.jit
    def option_kernel(spot, strike, years, rate, volatility, out):
        i = cuda.grid(1)
        if i < spot.size:
            spread = volatility * math.sqrt(years[i])
            d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / spread
            likely = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
            paid = 0.5 * (1.0 + math.erf((d1 - spread) / math.sqrt(2.0)))
            out[i] = spot[i] * likely - strike[i] * math.exp(-rate * years[i]) * paid

    @cuda.jit
    def mandelbrot_kernel(re, im, limit, out):
        i = cuda.grid(1)
        if i < re.size:
            x = 0.0
            y = 0.0
            k = 0
            while x * x + y * y <= 4.0 and k < limit:
                x, y = x * x - y * y + re[i], 2.0 * x * y + im[i]
                k += 1
            out[i] = k

    @cuda.jit
    def newton_kernel(mean, eccentricity, out):
        i = cuda.grid(1)
        if i < mean.size:
            anomaly = mean[i]
            for _ in range(50):
                step = (anomaly - eccentricity * math.sin(anomaly) - mean[i]) / (1 - eccentricity * math.cos(anomaly))
                anomaly -= step
                if abs(step) <= 1e-12:
                    break
            out[i] = anomaly

    def over(kernel: Any, dtype: Any = None) -> Callable[..., Any]:
        def call(x: Any, *rest: Any) -> Any:
            out = cuda.device_array(x.size, dtype or x.dtype)
            kernel[blocks(x.size), THREADS](x, *rest, out)
            return out

        return call

    return {"poly f32": over(poly_kernel), "Black-Scholes": over(option_kernel),
            "Mandelbrot": over(mandelbrot_kernel, np.int64), "Newton": over(newton_kernel)}  # fmt: skip


def grids(cuda: Any) -> dict[str, Callable[..., Any]]:
    @cuda.jit
    def step_kernel(u, v):
        j, i = cuda.grid(2)
        if i < u.shape[0] and j < u.shape[1]:
            if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
                v[i, j] = 0.25 * (u[i, j - 1] + u[i, j + 1] + u[i - 1, j] + u[i + 1, j])
            else:
                v[i, j] = u[i, j]

    @cuda.jit
    def distance_kernel(points, out):
        j, i = cuda.grid(2)
        if i < out.shape[0] and j < out.shape[1]:
            dx = points[i, 0] - points[j, 0]
            dy = points[i, 1] - points[j, 1]
            dz = points[i, 2] - points[j, 2]
            out[i, j] = math.sqrt(dx * dx + dy * dy + dz * dz)

    @cuda.jit
    def body_kernel(points, mass, out):
        i = cuda.grid(1)
        if i < points.shape[0]:
            ax = ay = az = 0.0
            x, y, z = points[i, 0], points[i, 1], points[i, 2]
            for j in range(points.shape[0]):
                dx, dy, dz = points[j, 0] - x, points[j, 1] - y, points[j, 2] - z
                square = dx * dx + dy * dy + dz * dz + 1e-3
                weight = mass[j] / (square * math.sqrt(square))
                ax += dx * weight
                ay += dy * weight
                az += dz * weight
            out[i, 0], out[i, 1], out[i, 2] = ax, ay, az

    def tiles(n: int, m: int) -> tuple[tuple[int, int], tuple[int, int]]:
        return (-(-m // 32), -(-n // 8)), (32, 8)

    def jacobi(a: Any, steps: int) -> Any:
        u, v = cuda.device_array(a.shape, a.dtype), cuda.device_array(a.shape, a.dtype)
        grid, block = tiles(*a.shape)
        for _ in range(steps):
            step_kernel[grid, block](a, v)
            a, u, v = v, v, u
        return u

    def distances(points: Any) -> Any:
        n = points.shape[0]
        out = cuda.device_array((n, n), np.float64)
        distance_kernel[tiles(n, n)](points, out)
        return out

    def bodies(points: Any, mass: Any) -> Any:
        out = cuda.device_array(points.shape, np.float64)
        body_kernel[blocks(points.shape[0] * 2), THREADS // 2](points, mass, out)
        return out

    return {"Jacobi": jacobi, "distances": distances, "bodies": bodies}


def atomics(cuda: Any) -> dict[str, Callable[..., Any]]:
    @cuda.jit
    def clear_kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = 0.0

    @cuda.jit
    def histogram_kernel(places, weights, out):
        i = cuda.grid(1)
        if i < places.size:
            cuda.atomic.add(out, places[i], weights[i])

    @cuda.jit
    def moments_kernel(x, total, rows):
        j = cuda.grid(1)
        if j < x.shape[1]:
            first = cuda.blockIdx.y * rows
            added = 0.0
            for i in range(first, min(first + rows, x.shape[0])):
                added += x[i, j]
            cuda.atomic.add(total, j, added)

    @cuda.jit
    def squares_kernel(x, total, squares, rows):
        j = cuda.grid(1)
        if j < x.shape[1]:
            first = cuda.blockIdx.y * rows
            added = 0.0
            for i in range(first, min(first + rows, x.shape[0])):
                off = x[i, j] - total[j] / x.shape[0]
                added += off * off
            cuda.atomic.add(squares, j, added)

    @cuda.jit
    def end_kernel(total, squares, rows):
        j = cuda.grid(1)
        if j < total.size:
            total[j] /= rows
            squares[j] = math.sqrt(squares[j] / rows)

    def cleared(size: int) -> Any:
        out = cuda.device_array(size, np.float64)
        clear_kernel[blocks(size), THREADS](out)
        return out

    def histogram(places: Any, weights: Any, bins: int) -> Any:
        out = cleared(bins)
        histogram_kernel[blocks(places.size), THREADS](places, weights, out)
        return out

    def columns(x: Any) -> Any:
        n, m = x.shape
        total, squares, rows = cleared(m), cleared(m), 128
        grid = -(-m // 128), -(-n // rows)
        moments_kernel[grid, 128](x, total, rows)
        squares_kernel[grid, 128](x, total, squares, rows)
        end_kernel[blocks(m), THREADS](total, squares, n)
        return total, squares

    return {"histogram": histogram, "columns": columns}
