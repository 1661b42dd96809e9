"""A ledger: accounts in a dict by number, transfers between them, interest and fees.

The bank account of every textbook of object-oriented programming, with continuous interest.
"""
import math

import numpy as np


class Account:
    def __init__(self, number, balance):
        self.number = number
        self.balance = balance
        self.last = 0.0
        self.history = []

    def accrue(self, time, rate):
        self.balance *= math.exp(rate * (time - self.last))
        self.last = time

    def deposit(self, amount):
        self.balance += amount
        self.history.append(amount)

    def withdraw(self, amount, fee):
        if amount + fee > self.balance:
            raise ValueError("insufficient funds")
        self.balance -= amount + fee
        self.history.append(-amount)


def settle(numbers, balances, sources, targets, amounts, times, rate=0.05, fee=0.01, end=10.0):
    accounts = {}
    for number, balance in zip(numbers, balances):
        accounts[number] = Account(number, balance)
    for source, target, amount, time in zip(sources, targets, amounts, times):
        a, b = accounts[source], accounts[target]
        a.accrue(time, rate)
        b.accrue(time, rate)
        a.withdraw(amount, fee)
        b.deposit(amount)
    for account in accounts.values():
        account.accrue(end, rate)
    total = sum(account.balance for account in accounts.values())
    richest = max(accounts.values(), key=lambda account: account.balance)
    return total, {"balances": np.array([accounts[k].balance for k in numbers]), "richest": richest.number,
                   "moves": sum(len(account.history) for account in accounts.values())}


ENTRY = "settle"


def make_arguments(rng, n):
    numbers = 100 + 7 * rng.permutation(n)
    return (numbers, rng.uniform(50, 100, n), rng.choice(numbers, 2 * n), rng.choice(numbers, 2 * n),
            rng.uniform(1, 3, 2 * n), np.sort(rng.uniform(0, 10, 2 * n)))


GRADIENT = ("balances", "amounts", "times", "rate", "fee")
ERRORS = [
    (lambda rng, n: (np.arange(n), np.ones(n), np.zeros(1, dtype=int), np.ones(1, dtype=int), np.full(1, 5.0),
                     np.zeros(1)), ValueError),
    (lambda rng, n: (np.arange(n), np.ones(n), np.full(1, n), np.ones(1, dtype=int), np.full(1, 0.5),
                     np.zeros(1)), KeyError),
]
