"""Molecular dynamics of a Lennard-Jones fluid in a periodic cubic box (reduced units).

Velocity Verlet with a Verlet neighbour list rebuilt when an atom has moved more
than half the skin (Allen & Tildesley, *Computer Simulation of Liquids*).
"""
import numpy as np


class NeighbourList:
    """Half list of pairs within cutoff + skin."""

    def __init__(self, positions, box, cutoff, skin=0.3):
        self.box = box
        self.cutoff = cutoff
        self.skin = skin
        self.n_builds = 0
        self.build(positions)

    def build(self, positions):
        n = len(positions)
        r_list2 = (self.cutoff + self.skin) ** 2
        pairs = []
        for i in range(n - 1):
            for j in range(i + 1, n):
                d = minimum_image(positions[i] - positions[j], self.box)
                if d @ d < r_list2:
                    pairs.append((i, j))
        self.pairs = pairs
        self.reference = positions.copy()
        self.n_builds += 1

    def update(self, positions):
        moved = positions - self.reference
        if np.max(np.sum(moved ** 2, axis=1)) > (0.5 * self.skin) ** 2:
            self.build(positions)


def minimum_image(d, box):
    return d - box * np.round(d / box)


def pair_energy_force(r2, cutoff):
    """Truncated and shifted LJ; returns (u, f/r)."""
    inv2 = 1.0 / r2
    inv6 = inv2 ** 3
    c6 = cutoff ** -6
    u = 4.0 * inv6 * (inv6 - 1.0) - 4.0 * c6 * (c6 - 1.0)
    f_over_r = 24.0 * inv2 * inv6 * (2.0 * inv6 - 1.0)
    return u, f_over_r


def compute_forces(x, nlist):
    forces = np.zeros_like(x)
    energy, virial = 0.0, 0.0
    rc2 = nlist.cutoff ** 2
    for i, j in nlist.pairs:
        d = minimum_image(x[i] - x[j], nlist.box)
        r2 = d @ d
        if r2 >= rc2:
            continue
        u, f_r = pair_energy_force(r2, nlist.cutoff)
        energy += u
        virial += f_r * r2
        forces[i] += f_r * d
        forces[j] -= f_r * d
    return energy, virial, forces


def kinetic(v, mass):
    return 0.5 * mass * np.sum(v * v)


def run_md(x0, v0, box, dt=0.004, n_steps=20, cutoff=2.5, mass=1.0):
    """Run NVE dynamics; returns a dict with final total energy, drift, temperature, pressure."""
    x0 = np.asarray(x0, dtype=float)
    if x0.ndim != 2 or x0.shape[1] != 3:
        raise ValueError(f"positions must be (n, 3), got {x0.shape}")
    if len(x0) < 2:
        raise ValueError("need at least two atoms")
    if cutoff > box / 2:
        raise ValueError(f"cutoff {cutoff} larger than half the box {box / 2}")
    n_atoms = len(x0)

    x = x0.copy()
    v = v0 - v0.mean(axis=0)          # no net momentum
    nlist = NeighbourList(x, box, cutoff)
    pot, virial, f = compute_forces(x, nlist)
    e_start = pot + kinetic(v, mass)

    energies, temps = [], []
    for step in range(n_steps):
        v += 0.5 * dt * f / mass
        x += dt * v
        nlist.update(x)
        pot, virial, f = compute_forces(x, nlist)
        v += 0.5 * dt * f / mass
        ke = kinetic(v, mass)
        energies.append(pot + ke)
        temps.append(2.0 * ke / (3 * n_atoms - 3))

    energies = np.array(energies)
    temperature = np.mean(temps)
    volume = box ** 3
    pressure = (n_atoms * temperature + virial / 3.0) / volume
    msd = np.mean(np.sum((x - x0) ** 2, axis=1))
    return {"potential": pot,
            "energy": energies[-1],
            "drift": np.max(np.abs(energies - e_start)),
            "temperature": temperature,
            "pressure": pressure,
            "msd": msd,
            "wrapped": x % box,
            "builds": nlist.n_builds}


ENTRY = "run_md"


def make_arguments(rng, n):
    side = int(np.ceil(n ** (1 / 3)))
    a = 1.25
    lattice = np.array([(i, j, k) for i in range(side) for j in range(side) for k in range(side)], dtype=float)
    x = a * lattice[:n] + 0.03 * rng.normal(size=(n, 3))
    box = max(a * side, 5.2)
    return (x, 0.8 * rng.normal(size=(n, 3)), float(box), 0.004, 15, 2.5)


GRADIENT = ("x0", "v0", "dt")
ERRORS = [(lambda rng, n: (rng.normal(size=(n, 2)), rng.normal(size=(n, 2)), 6.0), ValueError),
          (lambda rng, n: (rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), 3.0), ValueError)]
