"""Options, bonds, portfolios and cash flows."""

import math

import numpy as np


def _normal_cdf(x):
    """The normal distribution function by Zelen and Severo's polynomial, seven digits."""
    k = 1.0 / (1.0 + 0.2316419 * abs(x))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi) * poly
    return 1.0 - tail if x >= 0.0 else tail


def black_scholes_call(spot, strike, rate, sigma, maturity):
    """Price of a European call."""
    spread = sigma * math.sqrt(maturity)
    d1 = (math.log(spot / strike) + (rate + 0.5 * sigma**2) * maturity) / spread
    return spot * _normal_cdf(d1) - strike * math.exp(-rate * maturity) * _normal_cdf(d1 - spread)


def implied_volatility(spot, strike, rate, maturity, sigma):
    """Recover a volatility from the price it gives, by Newton's method."""
    price = black_scholes_call(spot, strike, rate, sigma, maturity)
    guess = 0.3
    for _ in range(40):
        gap = black_scholes_call(spot, strike, rate, guess, maturity) - price
        d1 = (math.log(spot / strike) + (rate + 0.5 * guess**2) * maturity) / (guess * math.sqrt(maturity))
        vega = spot * math.sqrt(maturity / (2.0 * math.pi)) * math.exp(-0.5 * d1 * d1)
        if abs(gap) < 1e-9:
            break
        guess -= gap / vega
    return guess


def american_put(spot, strike, rate, sigma, maturity, n_steps):
    """Price on a binomial tree, exercised where that pays."""
    dt = maturity / n_steps
    up = math.exp(sigma * math.sqrt(dt))
    chance = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    value = np.zeros(n_steps + 1)
    for i in range(n_steps + 1):
        value[i] = max(strike - spot * up ** (2 * i - n_steps), 0.0)
    for step in range(n_steps - 1, -1, -1):
        for i in range(step + 1):
            hold = math.exp(-rate * dt) * (chance * value[i + 1] + (1.0 - chance) * value[i])
            value[i] = max(hold, strike - spot * up ** (2 * i - step))
    return value[0]


def bond_price_and_duration(p, rate):
    """Present value and mean payment time of yearly payments p."""
    times = np.arange(1, len(p) + 1)
    present = p / (1.0 + rate) ** times
    return present.sum(), np.sum(times * present) / np.sum(present)


def bond_yield(p, rate):
    """The rate that gives back the price, by Newton's method."""
    price, _ = bond_price_and_duration(p, rate)
    guess = 0.05
    step = 1.0
    while abs(step) > 1e-11:
        value, duration = bond_price_and_duration(p, guess)
        step = (value - price) * (1.0 + guess) / (value * duration)
        guess += step
    return guess


def internal_rate_of_return(p, a):
    """Rate at which yearly incomes p pay back an outlay of a times their mean."""
    outlay = a * np.mean(p)
    growth = 1.0
    for _ in range(100):
        value, slope = -outlay, 0.0
        for year, income in enumerate(p):
            value += income * growth ** (year + 1)
            slope += income * (year + 1) * growth**year
        growth -= value / slope
        if abs(value) < 1e-12:
            break
    return 1.0 / growth - 1.0


def monte_carlo_call(x, spot, strike, rate, sigma, maturity):
    """Mean discounted pay-off over given normal draws, each with its mirror image."""
    drift = (rate - 0.5 * sigma**2) * maturity
    shock = sigma * math.sqrt(maturity) * x
    there = np.maximum(spot * np.exp(drift + shock) - strike, 0.0)
    back = np.maximum(spot * np.exp(drift - shock) - strike, 0.0)
    return math.exp(-rate * maturity) * np.mean(0.5 * (there + back))


def asian_call(A, spot, strike, rate, sigma):
    """Pay-off on the mean price of each path, one path per row of normal draws."""
    n_paths, n_steps = A.shape
    dt = 1.0 / n_steps
    total = 0.0
    for path in range(n_paths):
        price, mean = spot, 0.0
        for step in range(n_steps):
            price *= math.exp((rate - 0.5 * sigma**2) * dt + sigma * math.sqrt(dt) * A[path, step])
            mean += price / n_steps
        total += max(mean - strike, 0.0)
    return math.exp(-rate) * total / n_paths


def barrier_pay_off(increments, spot, strike, sigma):
    """A call that is worth nothing once the price has fallen below 70."""
    price = spot
    for draw in increments:
        price *= math.exp(0.3 * sigma * draw)
        if price < 70.0:
            return 0.0
    return max(price - strike, 0.0)


def short_rate_path(increments, rate, sigma, alpha):
    """Vasicek's rate and the discount factor it builds up."""
    level, discount = rate, 1.0
    path = np.zeros(len(increments))
    for i, draw in enumerate(increments):
        level += alpha * (0.04 - level) * 0.1 + 0.1 * sigma * draw
        discount *= math.exp(-0.1 * level)
        path[i] = level
    return path, discount


def portfolio_risk(weights, S, x):
    """Expected return, volatility, and each holding's share of the variance."""
    image = S @ weights
    variance = weights @ image
    return x @ weights, np.sqrt(variance), weights * image / variance


def minimum_variance_weights(p):
    """Weights for uncorrelated assets with standard deviations p."""
    precision = np.square(np.reciprocal(p))
    return precision / np.sum(precision)


def max_drawdown(p):
    """Largest relative fall from an earlier high."""
    high, worst = p[0], 0.0
    for price in p:
        high = max(high, price)
        worst = max(worst, (high - price) / high)
    return worst


def repayment_schedule(a, rate, n_steps):
    """Interest and balance in each period of a loan with level payments."""
    payment = a * rate / (1.0 - (1.0 + rate) ** -n_steps)
    balance = a
    schedule = np.zeros((n_steps, 2))
    for i in range(n_steps):
        interest = balance * rate
        balance -= payment - interest
        schedule[i, 0] = interest
        schedule[i, 1] = balance
    return schedule


def crossover_profit(p, alpha, beta):
    """Profit of holding a stock while a fast average is above a slow one."""
    fast, slow, profit = p[0], p[0], 0.0
    for i in range(1, len(p)):
        holding = fast > slow
        if holding:
            profit += p[i] - p[i - 1]
        fast += (0.5 + 0.5 * alpha) * (p[i] - fast)
        slow += 0.3 * beta * (p[i] - slow)
    return profit


def garch_log_likelihood(x, alpha, beta):
    """Normal likelihood of returns whose variance follows the last one."""
    variance, total = 1.0, 0.0
    for value in x:
        total -= 0.5 * (math.log(variance) + value * value / variance)
        variance = 0.1 + 0.5 * alpha * value * value + 0.5 * beta * variance
    return total


def sharpe_ratio(x, rate):
    excess = x - rate
    return np.mean(excess) / np.std(excess) * math.sqrt(252.0)


def income_tax(p):
    """Tax on each income under three brackets."""
    tax = np.zeros_like(p)
    for start, end, share in zip((0.0, 0.8, 1.4), (0.8, 1.4, np.inf), (0.1, 0.25, 0.4)):
        tax += share * np.clip(p - start, 0.0, end - start)
    return tax


MIN_SIZE = {"sharpe_ratio": 2}

NO_GRADIENT = {}
