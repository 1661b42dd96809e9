"""Recursive ray tracer: spheres and a checkered floor, Phong shading, shadows, mirror reflection.

Whitted, "An improved illumination model for shaded display", CACM 1980.
"""
from typing import NamedTuple

import numpy as np

FAR = 1e9
BIAS = 1e-6
MAX_DEPTH = 3
SKY_LOW = np.array([1.0, 1.0, 1.0])
SKY_HIGH = np.array([0.4, 0.6, 1.0])


class Material(NamedTuple):
    colour: np.ndarray
    diffuse: float = 0.7
    specular: float = 0.4
    shininess: float = 20.0
    mirror: float = 0.2


class Ray(NamedTuple):
    origin: np.ndarray
    direction: np.ndarray

    def at(self, t):
        return self.origin + t * self.direction


class Sphere(NamedTuple):
    centre: np.ndarray
    radius: float
    material: Material

    def intersect(self, ray):
        """Smallest positive root of |o + t d - c|^2 = r^2, or None."""
        oc = ray.origin - self.centre
        b = np.dot(oc, ray.direction)
        c = np.dot(oc, oc) - self.radius ** 2
        disc = b * b - c
        if disc < 0:
            return None
        root = np.sqrt(disc)
        for t in (-b - root, -b + root):
            if t > BIAS:
                return t
        return None

    def normal(self, point):
        return (point - self.centre) / self.radius

    def colour_at(self, point):
        return self.material.colour


class Floor(NamedTuple):
    height: float
    material: Material

    def intersect(self, ray):
        dy = ray.direction[1]
        if abs(dy) < 1e-9:
            return None
        t = (self.height - ray.origin[1]) / dy
        return t if BIAS < t < 100.0 else None

    def normal(self, point):
        return np.array([0.0, 1.0, 0.0])

    def colour_at(self, point):
        x, _, z = point
        even = (int(np.floor(x)) + int(np.floor(z))) % 2 == 0
        return self.material.colour if even else 0.3 * self.material.colour


class Light(NamedTuple):
    position: np.ndarray
    intensity: float


def normalise(v):
    return v / np.linalg.norm(v)


def reflect(d, n):
    return d - 2.0 * np.dot(d, n) * n


def closest_hit(ray, scene):
    best_t, best = FAR, None
    for obj in scene:
        t = obj.intersect(ray)
        if t is not None and t < best_t:
            best_t, best = t, obj
    return best_t, best


def shade(ray, t, obj, scene, lights):
    point = ray.at(t)
    n = obj.normal(point)
    base = obj.colour_at(point)
    mat = obj.material
    colour = 0.1 * base
    for light in lights:
        to_light = light.position - point
        distance = np.sqrt(to_light @ to_light)
        l = to_light / distance
        t_block, _ = closest_hit(Ray(point + 1e-4 * n, l), scene)
        if t_block < distance:
            continue
        lambert = max(np.dot(n, l), 0.0)
        highlight = max(np.dot(reflect(-l, n), -ray.direction), 0.0) ** mat.shininess
        colour = colour + light.intensity * (mat.diffuse * lambert * base + mat.specular * highlight)
    return point, n, colour


def trace(ray, scene, lights, depth=0):
    t, obj = closest_hit(ray, scene)
    if obj is None:
        s = 0.5 * (ray.direction[1] + 1.0)
        return (1 - s) * SKY_LOW + s * SKY_HIGH
    point, n, colour = shade(ray, t, obj, scene, lights)
    mirror = obj.material.mirror
    if mirror > 0 and depth < MAX_DEPTH:
        bounced = Ray(point + 1e-4 * n, normalise(reflect(ray.direction, n)))
        colour = (1 - mirror) * colour + mirror * trace(bounced, scene, lights, depth + 1)
    return colour


def render(spheres, lights, width, height=None, fov=60.0, floor=None):
    """Image (height, width, 3) clipped to [0, 1], and its mean luminance."""
    height = width if height is None else height
    if width < 1 or height < 1:
        raise ValueError(f"image of {width} x {height} pixels")
    if not 10.0 <= fov <= 120.0:
        raise ValueError(f"field of view {fov} degrees")
    for i, s in enumerate(spheres):
        if s.radius <= 0:
            raise ValueError(f"sphere {i} has radius {s.radius}")

    scene = list(spheres) + ([floor] if floor is not None else [])
    half = np.tan(np.deg2rad(fov) / 2)
    aspect = width / height
    camera = np.array([0.13, 1.0, -4.0])
    image = np.zeros((height, width, 3))
    for row in range(height):
        for col in range(width):
            u = (2 * (col + 0.5) / width - 1) * half * aspect
            v = (1 - 2 * (row + 0.5) / height) * half
            image[row, col] = trace(Ray(camera, normalise(np.array([u, v, 1.0]))), scene, lights)
    np.clip(image, 0.0, 1.0, out=image)
    luminance = image @ np.array([0.2126, 0.7152, 0.0722])
    return luminance.mean(), image


ENTRY = "render"


def _spheres(rng, m=3):
    return [
        Sphere(np.array([x, 1.0, rng.uniform(0.0, 2.0)]), float(rng.uniform(0.5, 0.9)),
               Material(rng.uniform(0.2, 0.9, size=3)))
        for x in np.linspace(-1.5, 1.5, m)
    ]


def make_arguments(rng, n):
    lights = [Light(np.array([3.0, 5.0, -3.0]), 0.8), Light(np.array([-4.0, 4.0, -1.0]), 0.4)]
    floor = Floor(0.0, Material(np.array([0.8, 0.8, 0.8]), mirror=0.1))
    return (_spheres(rng), lights, n, n, 60.0, floor)


GRADIENT = ("spheres", "lights", "fov")   # silhouettes and shadow edges are jumps
ERRORS = [
    (lambda rng, n: (_spheres(rng), [], 0), ValueError),
    (lambda rng, n: (_spheres(rng), [], n, n, 170.0), ValueError),
]
