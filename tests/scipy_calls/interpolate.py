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
    "Z": R.normal(size=(2, 9, 3)),
    "S": R.uniform(size=(14, 2)),
    "s": R.normal(size=14),
    "q": R.uniform(size=(5, 2)),
    "e": np.linspace(0.0, 2.0, 6),
    "W": R.normal(size=(4, 6, 2)),
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
interpolate.CubicSpline(x, Z, axis=1)(T)
interpolate.CubicSpline(x, Z[0].T, axis=1).c
interpolate.CubicSpline(x, Z[..., 0], axis=-1, bc_type="natural").integrate(1.0, 2.0)
interpolate.PchipInterpolator(x, Z, axis=1)(2.0, 1)
interpolate.Akima1DInterpolator(x, Z[:, :, 0], axis=1)(u)
(interpolate.interp1d(x, Y.T)(u), interpolate.interp1d(x, Z, axis=1)(T))
interpolate.interp1d(x, Y.T, kind="nearest")(2.0)
interpolate.interp1d(x, Y.T, bounds_error=False)(far)
(interpolate.interp1d(x, y, kind="quadratic")(u), interpolate.interp1d(x, Y.T, kind="slinear")(u))
(interpolate.interp1d(x, y, kind="zero")(u), interpolate.interp1d(x, y, kind=5)(u))
(interpolate.make_interp_spline(x, y, k=2)(u), interpolate.make_interp_spline(x, y, k=4)(u, 2))
(interpolate.make_interp_spline(x, y, k=0)(u), interpolate.make_interp_spline(x, Y.T, k=2, axis=1)(T))
interpolate.make_interp_spline(x, y, 3, np.concatenate((np.repeat(x[:1], 4), x[2:-2], np.repeat(x[-1:], 4)))).c
(interpolate.make_interp_spline(x, y, bc_type="natural").c, interpolate.make_interp_spline(x, y, bc_type="clamped")(u))
interpolate.make_interp_spline(x, y, bc_type=([(1, 0.5)], [(2, -0.3)])).c
interpolate.make_interp_spline(x, y, k=5, bc_type=([(1, 0.2), (2, y[0])], [(3, 0.0), (4, 1.0)])).c
interpolate.make_interp_spline(x, y, k=2, bc_type=(None, [(1, 0.2)]))(u)
interpolate.make_interp_spline(x, Y, bc_type=([(2, Y[0])], [(2, Y[1])]))(u, 1)
(interpolate.make_smoothing_spline(x, y, lam=0.3).c, interpolate.make_smoothing_spline(x, y, mono + 0.1, 2.0)(far))
(interpolate.make_smoothing_spline(x, Y, lam=0.05)(u), interpolate.make_smoothing_spline(x, Y.T, lam=1.0, axis=1)(u, 1))
interpolate.UnivariateSpline(x, y, mono + 0.1, s=0)(u)
(interpolate.make_interp_spline(x, y).integrate(1.0, 2.5), interpolate.make_interp_spline(x, y).antiderivative()(u))
interpolate.BSpline(np.arange(7.0), Z[0, :4], 2, axis=0)(T + 2.0, 1)
interpolate.BSpline(np.arange(7.0), y[:4], 2, extrapolate="periodic")(far)
interpolate.splev(u, interpolate.splrep(x, y))
(interpolate.splrep(x, y, s=0)[1], interpolate.splrep(x, y, k=2)[0])
(interpolate.splev(u, interpolate.splrep(x, y, k=5), der=2), interpolate.splev(far, interpolate.splrep(x, y), ext=1))
(interpolate.splev(far, interpolate.splrep(x, y), ext=3), interpolate.splint(0.5, 20.0, interpolate.splrep(x, y)))
interpolate.splev(u, interpolate.splder(interpolate.splrep(x, y)))
interpolate.InterpolatedUnivariateSpline(x, y)(u)
interpolate.InterpolatedUnivariateSpline(x, y, k=4).derivative()(u)
(interpolate.UnivariateSpline(x, y, s=0)(u, 1), interpolate.UnivariateSpline(x, y, s=0).integral(1.0, 3.0))
interpolate.RegularGridInterpolator((g, h), V, method="slinear")(p)
interpolate.RegularGridInterpolator((g, e), W)(p * 0.5)
interpolate.RegularGridInterpolator((g[::-1], e), W, method="nearest")(p * 0.5)
interpolate.interpn((e, e[:5]), np.outer(np.sin(e), np.cos(e[:5])), p * 0.5, method="linear")
interpolate.RBFInterpolator(S, s)(q)
interpolate.RBFInterpolator(np.stack((S[:, 0], S[:, 1]), 1), s)(q)
interpolate.RBFInterpolator(S, s, kernel="gaussian", epsilon=2.0, smoothing=0.1, degree=-1)(q)
interpolate.RBFInterpolator(S, np.stack((s, s**2), 1), kernel="multiquadric", epsilon=1.5)(q)
(interpolate.NearestNDInterpolator(S, s)(q), interpolate.NearestNDInterpolator(S, s)(q[:, 0], q[:, 1]))
(interpolate.griddata(S, s, q, method="nearest"), interpolate.griddata(x, y, u))
interpolate.griddata(S, s, (q[:, 0], 0.5), "nearest")
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
interpolate.CubicSpline(x, Z, axis=1)(u)
interpolate.make_interp_spline(x, y, k=2)(u)
interpolate.splev(u, interpolate.splrep(x, y), der=1)
interpolate.RegularGridInterpolator((g, e), W[..., 0], method="slinear")(p[:2] * 0.5)
interpolate.RBFInterpolator(np.stack((S[:, 0], S[:, 1]), 1), s, kernel="cubic")(q)
interpolate.make_interp_spline(x, y).integrate(1.0, 2.5)
interpolate.make_interp_spline(x, y, bc_type=([(1, g[1])], "natural"))(u)
interpolate.make_smoothing_spline(x, y, mono + 0.1, lam=g[1])(u)
"""
