"""Functions that run for hours, and what becomes of each when SIGINT comes: run as a script by `test_interrupts.py`.

    python -m tests.harness.interrupted endless     ->     endless KeyboardInterrupt True 0 3 True

Each line says what the call raised, whether soon, how many bytes are still held, in which line of the function it was,
and whether a call with less to do gives the same as before.
"""

import gc
import os
import signal
import sys
import threading
import time
import traceback

import numpy as np

import pellucid
from pellucid.runtime import memory

signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts after itself begins with it ignored


@pellucid.compile
def endless(x):
    while x > 0.0:
        x = x * 1.0000001 if x < 2.0 else 1.0
    return x


@pellucid.compile
def counted(n):
    s = 0.0
    for _ in range(n):
        s = s * 0.5 + 1.0
    return s


@pellucid.compile
def backwards(n):
    s = 0.0
    for i in range(n, 0, -1):
        s = s * 0.5 + i
    return s


@pellucid.compile
def by_sevens(n):
    s = 0.0
    for i in range(0, n, 7):
        s = s * 0.5 + i
    return s


@pellucid.compile
def nested(n):
    s = 0.0
    for _ in range(1000):
        for _ in range(n):
            s = s * 0.5 + 1.0
    return s


@pellucid.compile
def pairs(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            for k in range(len(x)):
                s = s * 0.5 + x[i] * x[j] * x[k]
    return s


@pellucid.compile
def sweeps(x, n):
    s = 0.0
    for _ in range(n):
        for i in range(len(x)):
            s = s * 0.5 + np.sin(x[i] + s)
    return s


@pellucid.compile
def triangle(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s = s * 0.5 + x[i] / (x[j] + s)
    return s


@pellucid.compile
def moving(x, n):
    s = 0.0
    for _ in range(n):
        x = np.concatenate((x[1:], x[:1]))
        for i in range(len(x)):
            s = s * 0.5 + x[i] / (x[0] + s)
    return s


@pellucid.compile
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@pellucid.compile
def rows(x, n):
    out = np.empty(len(x))
    for i in range(len(x)):
        s = 0.0
        for _ in range(n):
            s = s * 0.5 + x[i]
        out[i] = s
    return out


@pellucid.compile
def products(x, n):
    for _ in range(n):
        x = x @ x * 0.001
    return x


@pellucid.compile
def growing(x, n):
    found = []
    i = 0
    while i < n:
        found.append(x * 2.0)
        if len(found) > 10:
            found.pop()
        i += 1
    return len(found)


@pellucid.compile(mutates=("x",))
def changing(x):
    while x[0] > 0.0:
        x[1] += 1.0
    return x[1]


square = np.full((200, 200), 0.1)
LONG = {
    "endless": (endless, (1.0,), (-1.0,)),
    "counted": (counted, (10**14,), (10,)),
    "backwards": (backwards, (10**14,), (10,)),
    "by_sevens": (by_sevens, (10**14,), (10,)),
    "nested": (nested, (10**12,), (3,)),
    "pairs": (pairs, (np.ones(10**5),), (np.ones(3),)),
    "sweeps": (sweeps, (np.ones(10**5), 10**12), (np.ones(3), 3)),
    "triangle": (triangle, (np.ones(10**7),), (np.ones(3),)),
    "moving": (moving, (np.ones(10**5), 10**12), (np.ones(3), 3)),
    "fibonacci": (fibonacci, (90,), (10,)),
    "rows": (rows, (np.ones(10**5), 10**8), (np.ones(3), 3)),
    "products": (products, (square, 10**9), (square[:2, :2].copy(), 2)),
    "growing": (growing, (np.ones(100), 10**12), (np.ones(3), 5)),
    "changing": (changing, (np.ones(2),), (np.array([0.0, 4.0]),)),
}
LIMIT = 20.0  # seconds that a busy machine may take


def after(seconds, action):
    thread = threading.Thread(target=lambda: (time.sleep(seconds), action()))
    thread.start()
    return thread


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def line_of(error, function):
    names = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.name == function]
    return names[-1] if names else None


def stop(name):
    function, arguments, less = LONG[name]
    before = function(*less)
    function(*less)
    gc.collect()
    held, sent = memory.live_bytes(), []
    thread = after(0.1, lambda: (sent.append(time.perf_counter()), interrupt()))
    raised, line = "nothing", None
    try:
        function(*arguments)
    except BaseException as error:
        ended = time.perf_counter() - sent[0]
        raised, line = type(error).__name__, line_of(error, name) - function.__pellucid__.python.__code__.co_firstlineno
        del error
    thread.join()
    gc.collect()
    same = np.array_equal(np.asarray(function(*less)), np.asarray(before))
    print(name, raised, ended < LIMIT, memory.live_bytes() - held, line, same, flush=True)
    if name == "changing":
        assert arguments[0].tolist() == [1.0, 1.0]


if __name__ == "__main__":
    for asked in sys.argv[1:]:
        stop(asked)
