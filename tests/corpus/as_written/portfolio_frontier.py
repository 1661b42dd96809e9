"""Long-only mean-variance portfolio by an active-set method, with shrinkage and risk parity.

Markowitz (1952); Ledoit & Wolf (2004) shrinkage towards a scaled identity;
equal-risk contributions by cyclical coordinate descent (Griveau-Billion et al. 2013).
"""
import numpy as np


def ledoit_wolf(returns):
    """Shrunk covariance and the shrinkage intensity."""
    T, p = returns.shape
    X = returns - returns.mean(axis=0)
    S = X.T @ X / T
    mu = np.trace(S) / p
    d2 = np.sum((S - mu * np.eye(p)) ** 2) / p
    if d2 == 0:
        return S, 0.0
    b2 = 0.0
    for row in X:
        b2 += np.sum((np.outer(row, row) - S) ** 2) / p
    b2 = min(b2 / T ** 2, d2)
    rho = b2 / d2
    return (1 - rho) * S + rho * mu * np.eye(p), rho


def exponential_mean(returns, halflife):
    T = len(returns)
    w = 0.5 ** (np.arange(T)[::-1] / halflife)
    return (w / w.sum()) @ returns


def equality_qp(cov, lin, free):
    """min 1/2 w'Cw - lin'w with sum(w)=1 on the free set."""
    k = len(free)
    kkt = np.zeros((k + 1, k + 1))
    kkt[:k, :k] = cov[np.ix_(free, free)]
    kkt[:k, k] = kkt[k, :k] = 1.0
    sol = np.linalg.solve(kkt, np.append(lin[free], 1.0))
    return sol[:k], sol[k]


def long_only(cov, mean, risk_aversion):
    """Active-set solution of max mean'w - gamma/2 w'Cw, w >= 0, sum w = 1."""
    p = len(mean)
    lin = mean / risk_aversion
    w = np.full(p, 1.0 / p)
    free = list(range(p))
    for _ in range(10 * p):
        target, nu = equality_qp(cov, lin, free)
        if np.all(target >= -1e-12):
            w = np.zeros(p)
            w[free] = target
            # multipliers of the zero weights
            grad = cov @ w - lin + nu
            bound = [i for i in range(p) if i not in free]
            if not bound:
                break
            worst = min(bound, key=lambda i: grad[i])
            if grad[worst] >= -1e-10:
                break
            free = sorted(free + [worst])
        else:
            current = w[free]
            step = target - current
            shrinking = step < 0
            ratios = np.where(shrinking, current / np.where(shrinking, -step, 1.0), np.inf)
            blocking = int(np.argmin(ratios))
            t = min(1.0, ratios[blocking])
            w[free] = current + t * step
            w[free[blocking]] = 0.0
            del free[blocking]
    return w


def risk_parity(cov, tol=1e-12, max_iter=500):
    """Equal risk contributions (positive weights)."""
    p = len(cov)
    x = 1.0 / np.sqrt(np.diag(cov))
    for _ in range(max_iter):
        old = x.copy()
        for i in range(p):
            b = cov[i] @ x - cov[i, i] * x[i]
            x[i] = (-b + np.sqrt(b * b + 4 * cov[i, i] / p)) / (2 * cov[i, i])
        if np.max(np.abs(x - old)) < tol * np.max(x):
            break
    return x / x.sum()


def drawdown(path):
    peak = np.maximum.accumulate(path)
    return np.max(1.0 - path / peak)


def build_portfolios(returns, risk_aversion=5.0, halflife=20.0, n_frontier=5):
    """First result: expected utility of the long-only optimum."""
    returns = np.asarray(returns, dtype=float)
    if returns.ndim != 2:
        raise ValueError(f"returns must be a T x p table, got ndim={returns.ndim}")
    T, p = returns.shape
    if T < 2:
        raise ValueError("need at least two periods")
    if risk_aversion <= 0:
        raise ValueError(f"risk aversion must be positive, not {risk_aversion}")

    cov, rho = ledoit_wolf(returns)
    mean = exponential_mean(returns, halflife)
    w = long_only(cov, mean, risk_aversion)
    utility = mean @ w - 0.5 * risk_aversion * w @ cov @ w

    frontier = []
    for g in risk_aversion * np.logspace(-1, 1, n_frontier):
        wg = long_only(cov, mean, g)
        frontier.append((np.sqrt(wg @ cov @ wg), mean @ wg))

    erc = risk_parity(cov)
    contrib = erc * (cov @ erc) / (erc @ cov @ erc)
    wealth = np.cumprod(1.0 + returns @ w)
    return {"utility": utility,
            "weights": w,
            "shrinkage": rho,
            "frontier": np.array(frontier),
            "risk_parity": erc,
            "contributions": contrib,
            "max_drawdown": drawdown(np.concatenate([[1.0], wealth])),
            "n_held": int(np.sum(w > 1e-8))}


ENTRY = "build_portfolios"


def make_arguments(rng, n):
    T = 4 * n + 6
    factor = rng.normal(size=(T, 1))
    returns = 0.01 + 0.02 * factor * rng.uniform(0.5, 1.5, size=n) + 0.03 * rng.normal(size=(T, n))
    return (returns, 25.0, 40.0, 4)


GRADIENT = ("returns", "risk_aversion", "halflife")
ERRORS = [(lambda rng, n: (rng.normal(size=n),), ValueError),
          (lambda rng, n: (rng.normal(size=(n, 2)), -1.0), ValueError)]
