"""An SEIR epidemic by solve_ivp, fitted to counts by least squares, with the basic reproduction number.

Keeling & Rohani, *Modeling Infectious Diseases*, ch. 2.
"""
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares


def seir(t, y, beta, sigma, gamma, N):
    S, E, I, R = y
    infection = beta * S * I / N
    return [-infection, infection - sigma * E, sigma * E - gamma * I, gamma * I]


def incidence(t, params, N):
    beta, sigma, gamma, I0 = params
    y0 = [N - I0, 0.0, I0, 0.0]
    sol = solve_ivp(seir, (t[0], t[-1]), y0, t_eval=t, args=(beta, sigma, gamma, N), rtol=1e-8, atol=1e-8)
    return sol.y[2]


def fit(t, cases, N, start):
    def residuals(log_params):
        return (incidence(t, np.exp(log_params), N) - cases) / np.sqrt(cases + 1.0)

    result = least_squares(residuals, np.log(start), xtol=1e-12, ftol=1e-12, gtol=1e-12)
    beta, sigma, gamma, I0 = np.exp(result.x)
    return 2 * result.cost, np.exp(result.x), beta / gamma, incidence(t, np.exp(result.x), N)


ENTRY = "fit"


def make_arguments(rng, n):
    t = np.linspace(0, 60, 10 + 2 * n)
    truth = incidence(t, np.array([0.6, 0.25, 0.2, 3.0]), 1000.0)
    return t, truth * (1 + 0.05 * rng.normal(size=len(t))), 1000.0, np.array([0.5, 0.3, 0.25, 2.0])


TOLERANCE = 1e-4  # SciPy takes differences for the Jacobian
GRADIENT = ("cases",)
ERRORS = []
