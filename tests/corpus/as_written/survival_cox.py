"""Survival analysis: Kaplan-Meier, Greenwood, log-rank and Cox regression (Breslow ties).

Kalbfleisch & Prentice, *The Statistical Analysis of Failure Time Data*.
"""
import numpy as np


def kaplan_meier(time, event):
    """Return distinct event times, survival and Greenwood standard errors."""
    times = np.unique(time[event])
    surv, var_sum = 1.0, 0.0
    S, se = [], []
    for t in times:
        at_risk = np.count_nonzero(time >= t)
        d = np.count_nonzero((time == t) & event)
        surv *= 1.0 - d / at_risk
        if at_risk > d:
            var_sum += d / (at_risk * (at_risk - d))
        S.append(surv)
        se.append(surv * np.sqrt(var_sum))
    return times, np.array(S), np.array(se)


def restricted_mean(times, surv, horizon):
    """Area under the survival step function up to the horizon."""
    area, last_t, last_s = 0.0, 0.0, 1.0
    for t, s in zip(times, surv):
        if t >= horizon:
            break
        area += last_s * (t - last_t)
        last_t, last_s = t, s
    return area + last_s * (horizon - last_t)


def log_rank(time, event, group):
    observed = expected = variance = 0.0
    for t in np.unique(time[event]):
        risk = time >= t
        n, n1 = risk.sum(), (risk & group).sum()
        dead = (time == t) & event
        d, d1 = dead.sum(), (dead & group).sum()
        observed += d1
        expected += d * n1 / n
        if n > 1:
            variance += d * (n1 / n) * (1 - n1 / n) * (n - d) / (n - 1)
    return (observed - expected) ** 2 / variance if variance > 0 else 0.0


def cox_partial(beta, X, time, event, ridge):
    """Log partial likelihood, score and information."""
    n, p = X.shape
    eta = X @ beta
    w = np.exp(eta - eta.max())
    ll = -0.5 * ridge * beta @ beta
    score = -ridge * beta
    info = ridge * np.eye(p)
    for i in np.flatnonzero(event):
        risk = time >= time[i]
        wr, Xr = w[risk], X[risk]
        s0 = wr.sum()
        xbar = wr @ Xr / s0
        ll += eta[i] - eta.max() - np.log(s0)
        score = score + X[i] - xbar
        info = info + (Xr.T * wr) @ Xr / s0 - np.outer(xbar, xbar)
    return ll, score, info


def newton_cox(X, time, event, ridge, tol=1e-9, max_iter=30):
    beta = np.zeros(X.shape[1])
    ll, score, info = cox_partial(beta, X, time, event, ridge)
    for it in range(max_iter):
        step = np.linalg.solve(info, score)
        t = 1.0
        while True:
            new = cox_partial(beta + t * step, X, time, event, ridge)
            if new[0] >= ll - 1e-12 or t < 1e-4:
                break
            t /= 2
        beta = beta + t * step
        ll, score, info = new
        if np.max(np.abs(t * step)) < tol:
            return beta, ll, info, it + 1
    raise RuntimeError("Cox regression did not converge")


def baseline_hazard(beta, X, time, event):
    risk_score = np.exp(X @ beta)
    times = np.unique(time[event])
    jumps = [np.sum(event[time == t]) / risk_score[time >= t].sum() for t in times]
    return times, np.cumsum(jumps)


def concordance(score, time, event):
    good, total = 0.0, 0
    n = len(time)
    for i in range(n):
        if not event[i]:
            continue
        for j in range(n):
            if time[j] > time[i]:
                total += 1
                good += 1.0 if score[i] > score[j] else 0.5 if score[i] == score[j] else 0.0
    return good / total if total else 0.5


def analyse_survival(X, time, event, ridge=0.1, horizon=None):
    """Fit everything on one data set; first result is the penalised log partial likelihood."""
    n = len(time)
    if X.shape[0] != n or len(event) != n:
        raise ValueError(f"inconsistent lengths: X {X.shape[0]}, time {n}, event {len(event)}")
    if np.any(time <= 0):
        raise ValueError(f"non-positive survival time at {np.flatnonzero(time <= 0).tolist()}")
    event = np.asarray(event, dtype=bool)
    if not event.any():
        raise ValueError("no events observed")
    horizon = time.max() if horizon is None else horizon

    Xc = X - X.mean(axis=0)
    beta, ll, info, iters = newton_cox(Xc, time, event, ridge)
    times, surv, se = kaplan_meier(time, event)
    group = Xc[:, 0] > np.median(Xc[:, 0])
    _, cum_haz = baseline_hazard(beta, Xc, time, event)
    return {"loglik": ll,
            "beta": beta,
            "se_beta": np.sqrt(np.diag(np.linalg.inv(info))),
            "km": surv,
            "km_se": se,
            "rmst": restricted_mean(times, surv, horizon),
            "log_rank": log_rank(time, event, group),
            "cum_hazard": cum_haz,
            "concordance": concordance(Xc @ beta, time, event)}


ENTRY = "analyse_survival"


def make_arguments(rng, n):
    m = 2 * n + 2
    X = rng.normal(size=(m, 2))
    time = rng.exponential(size=m) * np.exp(-0.5 * X[:, 0]) + 0.01
    event = rng.uniform(size=m) < 0.75
    event[0] = True
    return (X, time, event, 0.1)


GRADIENT = ("X", "ridge")
ERRORS = [(lambda rng, n: (rng.normal(size=(n, 2)), -np.ones(n), np.ones(n, dtype=bool)), ValueError),
          (lambda rng, n: (rng.normal(size=(n, 2)), np.ones(n), np.zeros(n, dtype=bool)), ValueError)]
