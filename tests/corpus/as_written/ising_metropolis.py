"""2-D Ising model: Metropolis and heat-bath sweeps with given draws.

Newman & Barkema, *Monte Carlo Methods in Statistical Physics*, ch. 3; single
histogram reweighting after Ferrenberg & Swendsen (1988).
"""
import numpy as np

T_CRITICAL = 2.0 / np.log(1.0 + np.sqrt(2.0))


def checkerboard(L):
    i, j = np.indices((L, L))
    return (i + j) % 2 == 0


def neighbour_sum(s):
    return np.roll(s, 1, 0) + np.roll(s, -1, 0) + np.roll(s, 1, 1) + np.roll(s, -1, 1)


def energy(s, J, h):
    """Each bond counted once."""
    bonds = s * (np.roll(s, 1, 0) + np.roll(s, 1, 1))
    return -J * bonds.sum() - h * s.sum()


class Lattice:
    def __init__(self, spins, J, h, beta):
        self.s = spins.astype(float)
        self.J, self.h, self.beta = J, h, beta
        self.L = spins.shape[0]
        self.E = energy(self.s, J, h)
        self.M = self.s.sum()
        self.flips = 0

    def sweep_sequential(self, u):
        """Typewriter order single-spin updates; u is (L, L) uniforms."""
        L, s = self.L, self.s
        for i in range(L):
            for j in range(L):
                nb = s[(i + 1) % L, j] + s[i - 1, j] + s[i, (j + 1) % L] + s[i, j - 1]
                dE = 2.0 * s[i, j] * (self.J * nb + self.h)
                if dE <= 0 or u[i, j] < np.exp(-self.beta * dE):
                    s[i, j] = -s[i, j]
                    self.E += dE
                    self.M += 2.0 * s[i, j]
                    self.flips += 1

    def sweep_checkerboard(self, u):
        """Vectorised heat-bath update of both sublattices (even L only)."""
        even = checkerboard(self.L)
        for mask in (even, ~even):
            field = self.J * neighbour_sum(self.s) + self.h
            p_up = 1.0 / (1.0 + np.exp(-2.0 * self.beta * field))
            new = np.where(u < p_up, 1.0, -1.0)
            changed = mask & (new != self.s)
            self.s[mask] = new[mask]
            self.flips += int(changed.sum())
        self.E = energy(self.s, self.J, self.h)
        self.M = self.s.sum()


def reweight(E, observable, beta0, beta1):
    """Average of the observable at beta1 from samples at beta0."""
    logw = -(beta1 - beta0) * E
    w = np.exp(logw - logw.max())
    return np.sum(w * observable) / np.sum(w)


def jackknife_error(samples, f, n_blocks=5):
    n = len(samples[0]) // n_blocks * n_blocks
    if n < n_blocks:
        return 0.0
    blocks = np.arange(n) // (n // n_blocks)
    est = np.array([f(*(x[:n][blocks != b] for x in samples)) for b in range(n_blocks)])
    return np.sqrt((n_blocks - 1) * np.mean((est - est.mean()) ** 2))


def correlation_function(s):
    """Row-averaged spin-spin correlation for distances 0 .. L/2."""
    L = len(s)
    return np.array([np.mean(s * np.roll(s, r, axis=1)) for r in range(L // 2 + 1)])


def simulate_ising(spins, uniforms, temperature, coupling=1.0, field=0.0, burn=5, delta_beta=0.02):
    """Returns thermodynamic averages per site from len(uniforms) sweeps."""
    L = spins.shape[0]
    if spins.ndim != 2 or spins.shape[1] != L:
        raise ValueError(f"need a square lattice, got {spins.shape}")
    if not np.all(np.abs(spins) == 1):
        raise ValueError("spins must be +1 or -1")
    if temperature <= 0:
        raise ValueError(f"temperature must be positive: {temperature}")
    if len(uniforms) <= burn:
        raise ValueError(f"{len(uniforms)} sweeps, {burn} of them burn-in")
    n_sites = L * L
    beta = 1.0 / temperature
    lattice = Lattice(spins, coupling, field, beta)
    use_checkerboard = L % 2 == 0 and L > 2

    E, M, corr = [], [], np.zeros(L // 2 + 1)
    for k, u in enumerate(uniforms):
        if use_checkerboard and k % 2 == 1:
            lattice.sweep_checkerboard(u)
        else:
            lattice.sweep_sequential(u)
        if k >= burn:
            E.append(lattice.E)
            M.append(lattice.M)
            corr += correlation_function(lattice.s)
    E, M = np.array(E), np.array(M)

    heat = lambda e: beta ** 2 * (np.mean(e ** 2) - np.mean(e) ** 2) / n_sites
    m2, m4 = np.mean(M ** 2), np.mean(M ** 4)
    return {"energy": reweight(E, E, beta, beta + delta_beta) / n_sites,
            "raw_energy": E.mean() / n_sites,
            "abs_m": np.abs(M).mean() / n_sites,
            "heat_capacity": heat(E),
            "heat_error": jackknife_error((E,), heat),
            "susceptibility": beta * (m2 - np.mean(np.abs(M)) ** 2) / n_sites,
            "binder": 1.0 - m4 / (3.0 * m2 ** 2) if m2 > 0 else 0.0,
            "correlation": corr / len(E),
            "flip_rate": lattice.flips / (len(uniforms) * n_sites),
            "reduced_t": temperature / T_CRITICAL - 1.0}


ENTRY = "simulate_ising"


def make_arguments(rng, n):
    spins = np.where(rng.uniform(size=(n, n)) < 0.5, 1, -1)
    return (spins, rng.uniform(size=(25, n, n)), 2.4, 1.0, 0.05, 5, 0.02)


GRADIENT = ("coupling", "field", "delta_beta")    # at a fixed spin history; flips are steps
ERRORS = [(lambda rng, n: (np.ones((n, n)), rng.uniform(size=(9, n, n)), -1.0), ValueError),
          (lambda rng, n: (np.zeros((n, n)), rng.uniform(size=(9, n, n)), 2.0), ValueError)]
