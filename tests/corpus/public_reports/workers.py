"""Threads, processes and pickles; results that do not follow their arguments."""

import concurrent.futures
import copy
import io
import multiprocessing
import pickle

import numpy as np

import pellucid
from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Threads and forked processes


def sum_by_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total


def count_of_ones(x):
    return np.sum(np.sin(x) ** 2 + np.cos(x) ** 2)


def from_threads():
    summed, counted = pellucid.compile(sum_by_a_loop), pellucid.compile(count_of_ones)
    xs = [np.arange(10000.0) + k for k in range(8)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return np.array(list(pool.map(summed, xs))), np.array([float(count) for count in pool.map(counted, xs)])


REPORTS.answer(
    "two functions in four threads", from_threads, (sum(range(10000)) + 10000.0 * np.arange(8), np.full(8, 1e4))
)


def in_a_fork():
    counted, x = pellucid.compile(count_of_ones), np.ones(3000000)
    first = float(counted(x))
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=lambda: answers.put(float(counted(x))))
    child.start()
    found = answers.get(timeout=30)
    child.join(10)
    return first, found, float(counted(x))


REPORTS.answer("parallel code before a fork, in it and after it", in_a_fork, (3e6, 3e6, 3e6))


def compiled_in_threads():
    counted = pellucid.compile(count_of_ones)

    def share(k):
        x = np.ones((2,) * (k % 4 + 1), [np.float32, np.float64][k % 2])
        return float(counted(x)) / x.size

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return np.float32(list(pool.map(share, range(32))))


REPORTS.answer("compiled in threads", compiled_in_threads, np.ones(32, np.float32))


# Functions and arrays in pickles


def threefold(x):
    return x * 3.0


def again(value):
    return pickle.loads(pickle.dumps(value))


def functions_sent():
    f, g = pellucid.compile(threefold), pellucid.grad(threefold)
    return again(f)(2.0), float(again(g)(2.0)), copy.deepcopy(f)(1.0)


REPORTS.answer("functions in pickles", functions_sent, (6.0, 3.0, 3.0))


def array_sent():
    array = pellucid.compile(threefold)(np.arange(3.0))
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    return type(again(array)).__name__, again(array), np.load(file), copy.deepcopy(array)


THREE = np.array([0.0, 3.0, 6.0])
REPORTS.answer("arrays in pickles and files", array_sent, ("Array", THREE, THREE, THREE))


# Results that do not follow their arguments


def follows(function):
    def first_after_a_change():
        x = np.arange(6.0)
        y = pellucid.compile(function)(x)
        x[0] = 100.0
        return float(np.asarray(y)[0])

    return first_after_a_change


REPORTS.answer("an argument that is returned", follows(lambda v: v), 0.0)
REPORTS.answer("a view of an argument", follows(lambda v: v[::2]), 0.0)
