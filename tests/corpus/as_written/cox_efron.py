"""Cox's proportional hazards with tied deaths after Breslow or Efron, by Newton's method; baseline hazard.

Therneau & Grambsch, *Modeling Survival Data*, ch. 3.
"""
import numpy as np


def sorted_by_time(X, time, event):
    order = np.lexsort((~event, -time))
    return X[order], time[order], event[order]


def partial_log_likelihood(beta, X, time, event, ties="efron"):
    """Value, score and information.  The rows are sorted by falling time."""
    n, p = X.shape
    risk_phi, risk_phi_x, risk_phi_xx = 0.0, np.zeros(p), np.zeros((p, p))
    ll, score, info = 0.0, np.zeros(p), np.zeros((p, p))
    i = 0
    while i < n:
        t = time[i]
        tie_phi, tie_phi_x, tie_phi_xx = 0.0, np.zeros(p), np.zeros((p, p))
        x_sum, deaths = np.zeros(p), 0
        while i < n and time[i] == t:
            x = X[i]
            phi = np.exp(x @ beta)
            risk_phi += phi
            risk_phi_x = risk_phi_x + phi * x
            risk_phi_xx = risk_phi_xx + phi * np.outer(x, x)
            if event[i]:
                tie_phi += phi
                tie_phi_x = tie_phi_x + phi * x
                tie_phi_xx = tie_phi_xx + phi * np.outer(x, x)
                x_sum = x_sum + x
                deaths += 1
            i += 1
        if deaths == 0:
            continue
        ll += x_sum @ beta
        score = score + x_sum
        for l in range(deaths):
            c = l / deaths if ties == "efron" else 0.0
            denominator = risk_phi - c * tie_phi
            mean = (risk_phi_x - c * tie_phi_x) / denominator
            second = (risk_phi_xx - c * tie_phi_xx) / denominator
            ll -= np.log(denominator)
            score = score - mean
            info = info + second - np.outer(mean, mean)
    return ll, score, info


def fit_cox(X, time, event, max_iter=25, tol=1e-9):
    X = X - X.mean(axis=0)
    X, time, event = sorted_by_time(X, time, event)
    beta = np.zeros(X.shape[1])
    ll, score, info = partial_log_likelihood(beta, X, time, event)
    for _ in range(max_iter):
        step = np.linalg.solve(info, score)
        new_ll, new_score, new_info = partial_log_likelihood(beta + step, X, time, event)
        while new_ll < ll - 1e-12:
            step = step / 2
            new_ll, new_score, new_info = partial_log_likelihood(beta + step, X, time, event)
        beta = beta + step
        converged = abs(new_ll - ll) < tol
        ll, score, info = new_ll, new_score, new_info
        if converged:
            break
    breslow, _, _ = partial_log_likelihood(beta, X, time, event, ties="breslow")
    standard_errors = np.sqrt(np.diag(np.linalg.inv(info)))
    return beta, ll, standard_errors, breslow


ENTRY = "fit_cox"


def make_arguments(rng, n):
    X = rng.normal(size=(8 * n, 2))
    t = np.ceil(5 * rng.exponential(size=8 * n) * np.exp(-0.5 * X[:, 0]))
    return X, t, rng.random(8 * n) < 0.8


GRADIENT = ("X",)
ERRORS = []
