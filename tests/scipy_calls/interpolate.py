import numpy as np

HEAD = "from scipy import interpolate"
R = np.random.default_rng(10)
ARRAYS = {
    "x": np.cumsum(R.uniform(0.2, 1.0, size=9)),
    "y": R.normal(size=9),
    "Y": R.normal(size=(9, 2)),
    "z": np.append(np.sin(2.0 * np.pi * np.arange(8) / 8), 0.0),
    "u": np.array([1.0, 1.3, 2.2, 3.7]),
    "T": np.array([[1.0, 1.3], [2.2, 3.7]]),
    "far": np.array([-1.0, 2.0, 20.0]),
    "mono": np.cumsum(R.uniform(0.0, 1.0, size=9)),
    "g": np.array([0.0, 0.5, 1.5, 2.0]),
    "h": np.array([0.0, 1.0, 3.0]),
    "V": R.normal(size=(4, 3)),
    "p": np.array([[0.2, 0.4], [1.7, 2.5], [0.5, 1.0]]),
}
RTOL = 1e-10
CALLS = """
interpolate.CubicSpline(x, y)(u)
interpolate.CubicSpline(x, y)(2.0)
interpolate.CubicSpline(x, y)(far)
interpolate.CubicSpline(x, y, extrapolate=False)(far)
interpolate.CubicSpline(x, y)(T)
interpolate.CubicSpline(x, Y)(u)
interpolate.CubicSpline(x, Y)(2.0)
interpolate.CubicSpline(x, y, bc_type="natural")(u)
interpolate.CubicSpline(x, y, bc_type="clamped")(u)
interpolate.CubicSpline(x, y, bc_type=((1, 0.5), (2, -0.3)))(u)
interpolate.CubicSpline(np.arange(9.0), z, bc_type="periodic")(u)
interpolate.CubicSpline(x[:3], y[:3])(u)
interpolate.CubicSpline(x[:2], y[:2])(u)
interpolate.CubicSpline(x[:4], y[:4]).c
interpolate.CubicSpline(x, y)(u, 1)
interpolate.CubicSpline(x, y)(u, nu=2)
interpolate.CubicSpline(x, y).derivative()(u)
interpolate.CubicSpline(x, y).antiderivative()(u)
interpolate.CubicSpline(x, y).integrate(1.0, 3.0)
interpolate.PchipInterpolator(x, y)(u)
interpolate.PchipInterpolator(x, mono)(far)
interpolate.PchipInterpolator(x, Y)(u)
interpolate.Akima1DInterpolator(x, y)(u)
interpolate.Akima1DInterpolator(x, y)(far)
interpolate.Akima1DInterpolator(x, y, method="makima")(u)
interpolate.interp1d(x, y)(u)
interpolate.interp1d(x, Y, axis=0)(u)
interpolate.interp1d(x[::-1], y, kind="nearest")(u)
interpolate.interp1d(x, y, kind="previous")(u)
interpolate.interp1d(x, y, kind="next")(u)
interpolate.interp1d(x, y, kind="cubic")(u)
interpolate.interp1d(x, y, fill_value="extrapolate")(far)
interpolate.interp1d(x, y, bounds_error=False)(far)
interpolate.interp1d(x, y, bounds_error=False, fill_value=(-1.0, 2.0))(far)
interpolate.make_interp_spline(x, y)(u)
interpolate.make_interp_spline(x, y).c
interpolate.make_interp_spline(x, Y, k=1)(u)
interpolate.make_interp_spline(x, y, k=5)(u)
interpolate.make_interp_spline(x, y)(u, 1)
interpolate.BSpline(np.arange(7.0), y[:4], 2)(u + 1.0)
interpolate.BSpline(np.arange(7.0), y[:4], 2, extrapolate=False)(far)
interpolate.RegularGridInterpolator((g, h), V)(p)
interpolate.RegularGridInterpolator((g, h), V, method="nearest")(p)
interpolate.RegularGridInterpolator((g, h), V, bounds_error=False)(p * 1.5)
interpolate.RegularGridInterpolator((g, h), V, bounds_error=False, fill_value=None)(p * 1.5)
interpolate.interpn((g, h), V, p)
interpolate.CubicSpline(np.arange(9.0), z, bc_type="periodic")(far)
interpolate.CubicSpline(np.arange(9.0), z, bc_type="periodic").integrate(1.0, 30.0)
interpolate.CubicSpline(np.arange(9.0), z, bc_type="periodic").integrate(30.0, -5.0)
interpolate.CubicSpline(np.arange(9.0), z, bc_type="periodic", extrapolate=False)(far)
interpolate.PchipInterpolator(x, y, extrapolate="periodic")(far)
interpolate.interp1d(x, y, kind="next", fill_value="extrapolate")(far)
interpolate.interp1d(x, y, kind="previous", fill_value="extrapolate")(far)
interpolate.RegularGridInterpolator((g, h), V)([[0.2, 0.4], [1.7, 2.5]])
"""
SMOOTH = """
interpolate.CubicSpline(x, y)(u)
interpolate.CubicSpline(x, y, bc_type="natural")(u, 1)
interpolate.CubicSpline(x, Y)(u)
interpolate.PchipInterpolator(x, mono)(u)
interpolate.Akima1DInterpolator(x, y)(u)
interpolate.interp1d(x, y)(u)
interpolate.interp1d(x, y, kind="cubic")(u)
interpolate.make_interp_spline(x, y)(u)
interpolate.RegularGridInterpolator((g, h), V)(p[:2])
"""
