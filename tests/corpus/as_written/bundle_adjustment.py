"""Bundle adjustment: cameras by Rodrigues' vectors, points and radial distortion, refined by least squares.

Triggs et al., Bundle adjustment - a modern synthesis (1999).
"""
import numpy as np
from scipy.optimize import least_squares


def rotate(points, rot_vecs):
    theta = np.linalg.norm(rot_vecs, axis=1)[:, np.newaxis]
    with np.errstate(invalid="ignore"):
        v = rot_vecs / theta
        v = np.nan_to_num(v)
    dot = np.sum(points * v, axis=1)[:, np.newaxis]
    cos_theta = np.cos(theta)
    sin_theta = np.sin(theta)
    return cos_theta * points + sin_theta * np.cross(v, points) + dot * (1 - cos_theta) * v


def project(points, camera_params):
    points_proj = rotate(points, camera_params[:, :3])
    points_proj += camera_params[:, 3:6]
    points_proj = -points_proj[:, :2] / points_proj[:, 2, np.newaxis]
    f = camera_params[:, 6]
    k1 = camera_params[:, 7]
    k2 = camera_params[:, 8]
    n = np.sum(points_proj**2, axis=1)
    r = 1 + k1 * n + k2 * n**2
    points_proj *= (r * f)[:, np.newaxis]
    return points_proj


def fun(params, n_cameras, n_points, camera_indices, point_indices, points_2d):
    camera_params = params[:n_cameras * 9].reshape((n_cameras, 9))
    points_3d = params[n_cameras * 9:].reshape((n_points, 3))
    points_proj = project(points_3d[point_indices], camera_params[camera_indices])
    return (points_proj - points_2d).ravel()


def adjust(camera_params, points_3d, camera_indices, point_indices, points_2d):
    n_cameras = camera_params.shape[0]
    n_points = points_3d.shape[0]
    x0 = np.hstack((camera_params.ravel(), points_3d.ravel()))
    f0 = fun(x0, n_cameras, n_points, camera_indices, point_indices, points_2d)
    res = least_squares(fun, x0, x_scale="jac", ftol=1e-10, method="trf", max_nfev=50,
                        args=(n_cameras, n_points, camera_indices, point_indices, points_2d))
    return res.cost, f0, fun(res.x, n_cameras, n_points, camera_indices, point_indices, points_2d)


ENTRY = "adjust"


def make_arguments(rng, n):
    cameras = np.zeros((2, 9))
    cameras[:, :3] = 0.1 * rng.normal(size=(2, 3))
    cameras[:, 5] = -6.0
    cameras[:, 6] = 1.0
    points = rng.uniform(-1, 1, size=(4 + n, 3))
    ci = np.repeat([0, 1], 4 + n)
    pi = np.tile(np.arange(4 + n), 2)
    obs = project(points[pi], cameras[ci]) + 1e-3 * rng.normal(size=(len(ci), 2))
    return cameras + 0.002 * rng.normal(size=cameras.shape), points, ci, pi, obs


TOLERANCE = 1e-4  # SciPy takes differences for the Jacobian
GRADIENT = ("points_2d",)
ERRORS = []
