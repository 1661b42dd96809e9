"""Points, polygons, rotations, rays and curves."""

import math

import numpy as np


def polygon_area(polygon):
    """Signed area by the shoelace formula."""
    n = len(polygon)
    twice = 0.0
    for i in range(n):
        j = (i + 1) % n
        twice += polygon[i, 0] * polygon[j, 1] - polygon[j, 0] * polygon[i, 1]
    return 0.5 * twice


def polygon_perimeter(polygon):
    following = np.concatenate([polygon[1:], polygon[:1]])
    return np.sum(np.sqrt(np.sum((following - polygon) ** 2, axis=1)))


def polygon_centroid(polygon):
    """Centre of area of a polygon, not of its corners."""
    x, y = polygon[:, 0], polygon[:, 1]
    x_next, y_next = np.concatenate([x[1:], x[:1]]), np.concatenate([y[1:], y[:1]])
    cross = x * y_next - x_next * y
    return np.stack([np.sum((x + x_next) * cross), np.sum((y + y_next) * cross)]) / (3.0 * np.sum(cross))


def point_in_polygon(polygon, alpha, beta):
    """Crossing number test."""
    inside = False
    j = len(polygon) - 1
    for i in range(len(polygon)):
        if (polygon[i, 1] > beta) != (polygon[j, 1] > beta):
            slope = (polygon[j, 0] - polygon[i, 0]) / (polygon[j, 1] - polygon[i, 1])
            if alpha < slope * (beta - polygon[i, 1]) + polygon[i, 0]:
                inside = not inside
        j = i
    return inside


def rotate_about_z(points, theta):
    c, s = math.cos(theta), math.sin(theta)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return points @ rotation.T


def _cross(u, v):
    return np.array([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])


def rotate_about_axis(points, axis, theta):
    """Rodrigues' formula, point by point."""
    unit = axis / np.sqrt(axis @ axis)
    out = np.empty_like(points)
    for i in range(len(points)):
        along = (unit @ points[i]) * unit
        out[i] = along + math.cos(theta) * (points[i] - along) + math.sin(theta) * _cross(unit, points[i])
    return out


def quaternion_product(first, second):
    """Hamilton's product of two tuples."""
    w1, x1, y1, z1 = first
    w2, x2, y2, z2 = second
    return (
        w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
        w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
        w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
        w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
    )


def triple_product(u, v, w):
    """Volume spanned by three vectors."""
    return np.dot(u, _cross(v, w))


def squared_distances(points, others):
    """Between every point of one set and every point of the other."""
    gap = points[:, None, :] - others[None, :, :]
    return np.sum(gap**2, axis=-1)


def closest_pair(points):
    """Smallest distance between two of the points."""
    smallest = np.inf
    for i in range(len(points)):
        for j in range(i):
            distance = math.hypot(points[i, 0] - points[j, 0], points[i, 1] - points[j, 1])
            if distance < smallest:
                smallest = distance
    return smallest


def hausdorff_distance(points, others):
    """Largest distance from a point of one set to the other set."""
    squared = squared_distances(points, others)
    there, back = np.max(np.min(squared, axis=1)), np.max(np.min(squared, axis=0))
    return math.sqrt(max(there, back))


def closest_on_segment(points, start, end):
    """The closest point of a segment, for each point."""
    along = end - start
    fraction = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    return start + fraction[:, None] * along


def ray_hits_sphere(start, direction, a):
    """Distance to a sphere of radius a around the origin, or -1 where the ray misses."""
    along = start @ direction
    discriminant = along * along - start @ start + a * a
    if discriminant < 0.0:
        return -1.0
    near = -along - math.sqrt(discriminant)
    if near > 0.0:
        return near
    far = -along + math.sqrt(discriminant)
    return far if far > 0.0 else -1.0


def march_to_torus(alpha, n_steps):
    """Distance along a ray to a torus after some steps of sphere tracing."""
    travelled = 0.0
    for _ in range(n_steps):
        x, y, z = -3.0 + travelled, 0.3 * alpha, 0.1
        ring = math.hypot(x, y) - 1.0
        gap = math.hypot(ring, z) - 0.35
        if gap < 1e-3:
            break
        travelled += gap
    return travelled


def bounding_box(points):
    """Least and greatest corner."""
    return points.min(axis=0), points.max(axis=0)


def haversine_distance(theta, phi, a, b):
    """Great-circle distance in kilometres between two latitudes and longitudes in radians."""
    half = math.sin((a - theta) / 2.0) ** 2 + math.cos(theta) * math.cos(a) * math.sin((b - phi) / 2.0) ** 2
    return 2.0 * 6371.0 * math.asin(math.sqrt(half))


def bezier_point(polygon, alpha):
    """A point of a Bezier curve by de Casteljau's triangle, in place."""
    work = polygon.copy()
    for level in range(len(work) - 1, 0, -1):
        work[:level] = (1.0 - alpha) * work[:level] + alpha * work[1 : level + 1]
    return work[0]


def catmull_rom(points, alpha):
    """A curve through the points, sampled once between each inner pair."""
    before, start, end, after = points[:-3], points[1:-2], points[2:-1], points[3:]
    linear = end - before
    square = 2.0 * before - 5.0 * start + 4.0 * end - after
    cube = 3.0 * (start - end) + after - before
    return start + 0.5 * alpha * (linear + alpha * (square + alpha * cube))


def align_in_the_plane(points, others):
    """Angle that turns one cloud best onto the other, in closed form."""
    first, second = points[:, :2], others[:-1, :2]
    first, second = first - first.mean(axis=0), second - second.mean(axis=0)
    sine = np.sum(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
    return math.atan2(sine, np.sum(first * second))


def inertia_tensor(points, masses):
    """Centre of mass, and moments of inertia about it."""
    centre = masses @ points / masses.sum()
    arms = points - centre
    squared = np.sum(masses * np.sum(arms * arms, axis=1))
    return centre, squared * np.eye(3) - np.einsum("ni,nj->ij", masses[:, None] * arms, arms)


def to_spherical(points):
    """Radius, polar angle and azimuth of each point."""
    x, y, z = points[:, 0], points[:, 1], points[:, 2]
    radius = np.sqrt(x * x + y * y + z * z)
    return {"radius": radius, "polar": np.arccos(z / radius), "azimuth": np.arctan2(y, x)}


def convex_hull(points):
    """Corners of the hull in the plane, by wrapping, as a mask."""
    on_hull = np.zeros(len(points), dtype=bool)
    current = np.argmin(points[:, 0])
    while not on_hull[current]:
        on_hull[current] = True
        candidate = 0 if current != 0 else 1
        for i in range(len(points)):
            ux, uy = points[candidate, 0] - points[current, 0], points[candidate, 1] - points[current, 1]
            vx, vy = points[i, 0] - points[current, 0], points[i, 1] - points[current, 1]
            if ux * vy - uy * vx < 0.0:
                candidate = i
        current = candidate
    return on_hull


def _three(rng, how_many):
    return tuple(rng.standard_normal(3) for _ in range(how_many))


def _ray(rng, n):
    direction = rng.standard_normal(3)
    direction = direction / np.sqrt(direction @ direction)
    return 0.3 * rng.standard_normal(3) - 2.0 * direction, direction, float(rng.uniform(0.7, 1.2))


ARGUMENTS = {
    "rotate_about_axis": lambda rng, n: (rng.standard_normal((n, 3)), rng.standard_normal(3), 0.7),
    "quaternion_product": lambda rng, n: tuple(tuple(rng.standard_normal(4).tolist()) for _ in range(2)),
    "triple_product": lambda rng, n: _three(rng, 3),
    "closest_on_segment": lambda rng, n: (rng.standard_normal((n, 3)), *_three(rng, 2)),
    "ray_hits_sphere": _ray,
}

MIN_SIZE = {
    "polygon_perimeter": 2,
    "polygon_centroid": 3,
    "closest_pair": 2,
    "catmull_rom": 4,
    "align_in_the_plane": 2,
    "convex_hull": 3,
}

NO_GRADIENT = {"point_in_polygon": "a boolean", "convex_hull": "booleans"}
