"""Boids with position and velocity as arrays of two.

Reynolds, "Flocks, herds, and schools", SIGGRAPH 1987.
"""
import numpy as np


class Boid:
    def __init__(self, position, velocity):
        self.position = np.array(position)
        self.velocity = np.array(velocity)
        self.acceleration = np.zeros(2)

    def steer(self, flock, radius, weights):
        centre, heading, away = np.zeros(2), np.zeros(2), np.zeros(2)
        count = 0
        for other in flock:
            offset = other.position - self.position
            distance = np.linalg.norm(offset)
            if other is not self and distance < radius:
                centre += other.position
                heading += other.velocity
                away -= offset / (distance ** 2 + 1e-3)
                count += 1
        self.acceleration = weights[2] * away
        if count > 0:
            self.acceleration += weights[0] * (centre / count - self.position)
            self.acceleration += weights[1] * (heading / count - self.velocity)

    def move(self, dt, top_speed):
        self.velocity += self.acceleration * dt
        speed = np.linalg.norm(self.velocity)
        if speed > top_speed:
            self.velocity *= top_speed / speed
        self.position += self.velocity * dt


def fly(positions, velocities, weights, radius=1.5, dt=0.1, steps=8, top_speed=2.0):
    """Spread of the flock at the end, and where each boid is."""
    flock = [Boid(p, v) for p, v in zip(positions, velocities)]
    for _ in range(steps):
        for boid in flock:
            boid.steer(flock, radius, weights)
        for boid in flock:
            boid.move(dt, top_speed)
    centre = sum(b.position for b in flock) / len(flock)
    spread = sum(np.sum((b.position - centre) ** 2) for b in flock)
    return spread, np.array([b.position for b in flock]), np.array([b.velocity for b in flock])


ENTRY = "fly"


def make_arguments(rng, n):
    return (rng.uniform(-1, 1, (n, 2)), rng.standard_normal((n, 2)), np.array([0.3, 0.2, 0.1]))


GRADIENT = ("positions", "velocities", "weights")
ERRORS = []
