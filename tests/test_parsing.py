"""Texts are parsed right whatever other threads do."""

import gc
import sys
import threading

from pellucid.compiler.parsing import parsed_module


def test_threads_that_are_interrupted_while_they_parse():
    """A collector's callback that runs Python lets other threads in, half-way through the making of a tree."""
    text = "".join(f"def f{k}(x):\n    return [v + {k} for v in ((x, {k}), (x,))]\n" for k in range(300))
    made, former = [], sys.getswitchinterval()

    def work():
        for _ in range(3):
            made.append(len(parsed_module(text).body))

    def interrupt(phase, info):
        sum(range(100))

    gc.callbacks.append(interrupt)
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(former)
        gc.callbacks.remove(interrupt)
    assert made == [300] * 24
