"""Differential equations, particles, populations and chance processes whose chances are given."""

import math

import numpy as np

GRAVITY = 9.81


def heat_rod(x, alpha, n_steps):
    """Explicit heat conduction with fixed ends."""
    u = x.copy()
    for _ in range(n_steps):
        u[1:-1] = u[1:-1] + 0.5 * alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


def heat_rod_by_elements(x, alpha, n_steps):
    """The same with explicit loops and insulated ends."""
    n = len(x)
    u = x.copy()
    for _ in range(n_steps):
        old = u.copy()
        for i in range(n):
            left = old[i - 1] if i > 0 else old[i]
            right = old[i + 1] if i < n - 1 else old[i]
            u[i] = old[i] + 0.5 * alpha * (left - 2.0 * old[i] + right)
    return u


def heat_plate(image, rate, n_steps):
    """Five-point heat conduction on a plate with fixed edges."""
    u = image.copy()
    for _ in range(n_steps):
        inner = u[1:-1, 1:-1]
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        u[1:-1, 1:-1] = inner + rate * (around - 4.0 * inner)
    return u


def implicit_heat(x, alpha, n_steps):
    """Backward Euler with insulated ends: one tridiagonal solve a step."""
    n = len(x)
    u = x.copy()
    for _ in range(n_steps):
        factor = np.zeros(n)
        for i in range(n):
            below = alpha if i > 0 else 0.0
            above = alpha if i < n - 1 else 0.0
            pivot = 1.0 + below + above
            if i > 0:
                pivot -= below * factor[i - 1]
                u[i] += below * u[i - 1]
            factor[i] = above / pivot
            u[i] /= pivot
        for i in range(n - 2, -1, -1):
            u[i] += factor[i] * u[i + 1]
    return u


def vibrating_string(x, alpha, n_steps):
    """Leapfrog for the wave equation; three states change places."""
    previous, current = x.copy(), x.copy()
    for _ in range(n_steps):
        following = 2.0 * current - previous
        following[1:-1] += alpha * (current[2:] - 2.0 * current[1:-1] + current[:-2])
        following[0] = 0.0
        following[-1] = 0.0
        previous, current = current, following
    return current


def upwind_advection(x, alpha, n_steps):
    """Transport to the right on a ring."""
    u = x.copy()
    for _ in range(n_steps):
        behind = np.concatenate([u[-1:], u[:-1]])
        u = u - alpha * (u - behind)
    return u


def lax_friedrichs_burgers(x, dt, n_steps):
    """Burgers' equation on a ring."""
    n = len(x)
    u = 0.5 * x
    for _ in range(n_steps):
        flux = 0.5 * u * u
        following = np.empty(n)
        for i in range(n):
            left, right = (i - 1) % n, (i + 1) % n
            following[i] = 0.5 * (u[left] + u[right]) - 0.5 * dt * (flux[right] - flux[left])
        u = following
    return u


def n_body_step(positions, velocities, masses, dt):
    """One leapfrog step of gravity, softened, pair by pair."""
    n = len(masses)
    acceleration = np.zeros_like(positions)
    for i in range(n):
        for j in range(i + 1, n):
            gap = positions[j] - positions[i]
            pull = (np.sum(gap * gap) + 0.1) ** -1.5
            acceleration[i] += masses[j] * pull * gap
            acceleration[j] -= masses[i] * pull * gap
    velocities = velocities + dt * acceleration
    return positions + dt * velocities, velocities


def n_body_energy(positions, velocities, masses):
    kinetic = 0.5 * np.sum(masses[:, None] * velocities**2)
    potential = 0.0
    for i in range(len(masses)):
        for j in range(i):
            gap = positions[i] - positions[j]
            potential -= masses[i] * masses[j] / math.sqrt(gap @ gap + 0.1)
    return kinetic + potential


def verlet_oscillator(a, b, c, dt, n_steps):
    """Velocity Verlet for a stiffening spring."""
    position, velocity = a, b
    force = -c * position - position**3
    for _ in range(n_steps):
        velocity += 0.5 * dt * force
        position += dt * velocity
        force = -c * position - position**3
        velocity += 0.5 * dt * force
    return position, velocity, 0.5 * velocity**2 + 0.5 * c * position**2 + 0.25 * position**4


def walk_between_walls(increments, b):
    """A random walk that reflects at -b and b."""
    path = np.zeros(len(increments) + 1)
    for i, step in enumerate(increments):
        place = path[i] + step
        while place > b or place < -b:
            place = 2.0 * b - place if place > b else -2.0 * b - place
        path[i + 1] = place
    return path


def metropolis_chain(increments, p, a):
    """Samples of exp(-a x**4) from given proposals and given uniform draws p / 2."""
    place = 0.3
    chain = np.empty(len(increments))
    for i in range(len(increments)):
        proposal = place + increments[i]
        if p[i] / 2.0 < math.exp(min(0.0, a * (place**4 - proposal**4))):
            place = proposal
        chain[i] = place
    return chain


def ising_energy(mask, a, b):
    """Energy of a ring of spins with coupling a in a field b."""
    spins = np.where(mask, 1.0, -1.0)
    energy = -b * np.sum(spins)
    for i in range(len(spins)):
        energy -= a * spins[i] * spins[i - 1]
    return energy


def predator_and_prey(a, b, dt, n_steps):
    """Lotka-Volterra; both histories, side by side."""
    history = np.zeros((n_steps + 1, 2))
    history[0, 0], history[0, 1] = a, b
    for i in range(n_steps):
        prey, hunters = history[i, 0], history[i, 1]
        history[i + 1, 0] = prey + dt * prey * (1.0 - 0.5 * hunters)
        history[i + 1, 1] = hunters + dt * hunters * (0.4 * prey - 0.8)
    return history


def epidemic(beta, gamma, n_steps):
    """Susceptible, infected and recovered shares, and the largest infected share."""
    susceptible, infected, recovered = 0.9, 0.1, 0.0
    peak = infected
    for _ in range(n_steps):
        caught = beta * susceptible * infected
        healed = gamma * infected
        susceptible -= caught
        infected += caught - healed
        recovered += healed
        peak = max(peak, infected)
    return susceptible, infected, recovered, peak


def bouncing_ball(a, b, alpha, dt=0.02):
    """Height after 80 steps from height a with speed b; a bounce keeps alpha of the speed."""
    height, speed = a, b
    for _ in range(80):
        speed -= GRAVITY * dt
        height += speed * dt
        if height < 0.0 and speed < 0.0:
            height, speed = -alpha * height, -alpha * speed
    return height


def projectile_range(a, b, rate, dt=0.01):
    """Where a thrown ball with drag comes down, between the last two steps."""
    x, y, vx, vy = 0.0, 1.0, 3.0 * a, 3.0 * b
    x_before, y_before = x, y
    while y > 0.0:
        x_before, y_before = x, y
        speed = math.sqrt(vx * vx + vy * vy)
        vx -= dt * rate * speed * vx
        vy -= dt * (GRAVITY + rate * speed * vy)
        x += dt * vx
        y += dt * vy
    fraction = y_before / (y_before - y)
    return x_before + fraction * (x - x_before)


def logistic_map(alpha, n_steps):
    """The orbit of 3.6 x (1 - x) from alpha."""
    orbit = np.empty(n_steps)
    x = alpha
    for i in range(n_steps):
        orbit[i] = x
        x = 3.6 * x * (1.0 - x)
    return orbit


def game_of_life(image, n_steps):
    """Generations of live cells on a torus; cells start alive where the image is positive."""
    n, m = image.shape
    alive = image > 0.0
    for _ in range(n_steps):
        following = np.zeros((n, m), dtype=bool)
        for i in range(n):
            for j in range(m):
                around = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if (di != 0 or dj != 0) and alive[(i + di) % n, (j + dj) % m]:
                            around += 1
                following[i, j] = around == 3 or (around == 2 and alive[i, j])
        alive = following
    return alive


def waiting_times(p, q):
    """Lindley's recursion: waits in a queue from service times p and gaps between arrivals q."""
    waits = np.zeros(len(p))
    for i in range(1, len(p)):
        waits[i] = max(0.0, waits[i - 1] + p[i - 1] - q[i - 1])
    return waits


def thermostat(x, a, alpha):
    """Room temperature under weather x with a heater that has hysteresis."""
    temperature, heating, used = 18.0, False, 0.0
    for outside in x:
        if temperature < 17.5:
            heating = True
        elif temperature > 18.5:
            heating = False
        temperature += alpha * (16.0 + outside - temperature) + (a if heating else 0.0)
        if heating:
            used += a
    return temperature, used


def hit_and_miss(x, y):
    """Share of given points inside the unit circle, as an estimate of pi."""
    inside = 0
    for horizontal, vertical in zip(x, y):
        if horizontal * horizontal + vertical * vertical <= 1.0:
            inside += 1
    return 4.0 * inside / len(x)


MIN_SIZE = {"vibrating_string": 2}

NO_GRADIENT = {"game_of_life": "booleans", "hit_and_miss": "counts only"}
