"""Profiles: what is called and compiled is heard, once each, and what is written can be read."""

import collections
import gc
import gzip
import json
import threading

import numpy as np
import pytest

import pellucid
from pellucid import compile, grad, profiler, recording
from pellucid.held_memory import OTHER

X = np.ones((40, 3))
W = np.ones(3)


def squares(w, x):
    return np.sum((x @ w) ** 2)


def refused(x):
    if x < 0.0:
        raise ValueError("below zero")
    return x


def events(path, what=None):
    """The complete events of a file, in order."""
    found = [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]
    return found if what is None else [event for event in found if event["cat"] == what]


def test_every_call_is_heard_also_of_functions_that_were_called_natively(tmp_path):
    function, slope = compile(squares), grad(squares)
    for _ in range(4):
        function(W, X)  # the third is native where there is a native part
    with profiler.trace(tmp_path / "trace.json"):
        values = [function(W, X) for _ in range(3)]
        slope(W, X)
    assert values == [360.0] * 3
    names = [event["name"] for event in events(tmp_path / "trace.json", "call")]
    assert names == ["squares"] * 3 + ["squares_grad"]
    for _ in range(4):
        assert function(W, X) == 360.0
    assert len(events(tmp_path / "trace.json", "call")) == 4


def test_an_event_says_where_and_how_long(tmp_path):
    function = compile(squares)
    with profiler.trace(tmp_path / "trace.json"):
        function(W, X)
    (call,) = events(tmp_path / "trace.json", "call")
    (made,) = events(tmp_path / "trace.json", "compilation")
    line = squares.__code__.co_firstlineno
    assert call["args"]["where"] == made["args"]["where"] == f"test_profiler.py:{line}"
    assert made["name"] == "compile squares" and made["args"]["detail"] in ("compiled", "from the cache")
    assert call["ts"] <= made["ts"] and made["ts"] + made["dur"] <= call["ts"] + call["dur"] + 1e-3
    assert call["tid"] == threading.get_native_id()


def test_a_compilation_has_its_steps_inside(tmp_path, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    with profiler.trace(tmp_path / "trace.json"):
        grad(squares)(W, X)
    (made,) = events(tmp_path / "trace.json", "compilation")
    steps = events(tmp_path / "trace.json", "step")
    names = [event["name"] for event in steps]
    assert names[0] == "specialise" and names[-1] == "machine code" and {"reverse", "lower", "fuse"} <= set(names)
    assert all(event["args"]["detail"] == "squares_grad" for event in steps)
    ends = [made["ts"]]
    for step in steps:  # one after the other, inside the compilation
        assert step["ts"] >= ends[-1] - 1e-3
        ends.append(step["ts"] + step["dur"])
    assert ends[-1] <= made["ts"] + made["dur"] + 1e-3


def test_an_error_is_told_and_the_file_is_written(tmp_path):
    function = compile(refused)
    with pytest.raises(ValueError, match="below zero"), profiler.trace(tmp_path / "trace.json"):
        function(-1.0)
    (call,) = events(tmp_path / "trace.json", "call")
    assert call["args"]["detail"] == "ValueError"
    assert recording.LISTENING == []


def test_annotations_nest_and_decorate(tmp_path):
    @profiler.annotate("load")
    def load(count):
        return np.ones(count)

    assert load(2).shape == (2,) and load.__name__ == "load"  # nobody listens
    with profiler.trace(tmp_path / "trace.json"):
        with profiler.annotate("outer"), profiler.annotate("inner"):
            load(3)
    found = events(tmp_path / "trace.json")
    assert [event["name"] for event in found] == ["outer", "inner", "load"]
    starts, ends = [e["ts"] for e in found], [e["ts"] + e["dur"] for e in found]
    assert starts == sorted(starts) and ends == sorted(ends, reverse=True)
    assert {event["cat"] for event in found} == {"annotation"}


def test_threads_are_told_apart(tmp_path):
    function = compile(squares)
    with profiler.trace(tmp_path / "trace.json"):
        worker = threading.Thread(target=function, args=(W, X), name="the worker")
        worker.start()
        worker.join()
        function(W, X)
    found = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in found if event["ph"] == "M"}
    assert sorted(names.values()) == sorted(["the worker", threading.current_thread().name])
    calls = events(tmp_path / "trace.json", "call")
    assert {names[call["tid"]] for call in calls} == set(names.values())


def test_traces_may_stand_in_each_other(tmp_path):
    function = compile(squares)
    with profiler.trace(tmp_path / "outer.json"):
        function(W, X)
        with profiler.trace(tmp_path / "inner.json"):
            function(W, X)
        function(W, X)
    counts = [len(events(tmp_path / name, "call")) for name in ("outer.json", "inner.json")]
    assert counts == [3, 1]


def test_the_report_counts_calls_and_compilations(monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    function, other = compile(squares), compile(refused)
    with profiler.trace():
        for x in (X, X[:5], X.astype(np.float32), X):
            function(W, x)
        other(1.0)
    heads, *rows = [line.split() for line in profiler.report().splitlines()]
    assert heads[:3] == ["function", "line", "calls"]
    found = {row[0]: row for row in rows}
    assert found["squares"][2] == "4" and found["squares"][7] == "2"  # two dtypes, one compilation for both lengths
    assert found["refused"][1:3] == [f"test_profiler.py:{refused.__code__.co_firstlineno}", "1"]
    assert repr(profiler.report()) == profiler.report().rstrip("\n")


def test_the_report_counts_what_the_cache_had(monkeypatch, tmp_path):
    monkeypatch.setenv("PELLUCID_CACHE", "1")
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path / "cache"))
    compile(squares)(W, X)
    with profiler.trace(tmp_path / "trace.json"):
        compile(squares)(W, X)
    (made,) = events(tmp_path / "trace.json", "compilation")
    assert made["args"]["detail"] == "from the cache" and not events(tmp_path / "trace.json", "step")


def test_a_report_of_nothing(monkeypatch):
    monkeypatch.setattr(profiler, "_LATEST", [])
    with pytest.raises(ValueError, match="nothing was recorded"):
        profiler.report()
    with profiler.trace():
        pass
    assert "no compiled function" in profiler.report()


@pytest.mark.parametrize("nanoseconds, words", [
    (7, "7 ns"), (1500, "1.50 us"), (15_000_000, "15.0 ms"), (150_000_000, "150 ms"), (12 * 10**9, "12.0 s"),
])  # fmt: skip
def test_times_have_three_digits(nanoseconds, words):
    assert profiler.as_time(nanoseconds) == words


# --- memory, read by a decoder of its own --------------------------------------------------------------------------


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message of protocol buffers by number; sub-messages stay bytes."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            assert kind == 2
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
            assert len(value) == length
        found[number].append(value)
    return found


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def decoded(path):
    """The unit of each column, and its values by the name of the function they are told for (profile.proto)."""
    top = fields(gzip.decompress(path.read_bytes()))
    strings = [text.decode() for text in top[6]]
    assert strings[0] == ""
    units = [tuple(strings[fields(one)[part][0]] for part in (1, 2)) for one in top[1]]
    functions = {f[1][0]: strings[f[2][0]] for f in map(fields, top[5])}
    locations = {f[1][0]: functions[fields(f[4][0])[1][0]] for f in map(fields, top[4])}
    samples = {}
    for one in map(fields, top[2]):
        (place,) = packed(one[1][0])
        samples[locations[place]] = packed(one[2][0])
    assert strings[top[14][0]] == "space"
    return units, samples


def test_the_memory_profile_says_what_arrays_hold(tmp_path):
    function = compile(lambda n: np.zeros((n, 321)))
    held = [function(77) for _ in range(3)]
    gc.collect()
    profiler.save_device_memory_profile(tmp_path / "memory.pb.gz")
    units, samples = decoded(tmp_path / "memory.pb.gz")
    assert units == [("objects", "count"), ("space", "bytes")]
    assert samples["Array float64[77, 321]"] == [3, 3 * 77 * 321 * 8]
    del held
    gc.collect()
    profiler.save_device_memory_profile(tmp_path / "memory.pb.gz")
    assert "Array float64[77, 321]" not in decoded(tmp_path / "memory.pb.gz")[1]


def test_memory_that_is_no_longer_an_array_is_told_too(tmp_path):
    values = np.asarray(compile(lambda n: np.ones(n))(10**6))
    gc.collect()
    profiler.save_device_memory_profile(tmp_path / "memory.pb.gz")
    _, samples = decoded(tmp_path / "memory.pb.gz")
    assert samples[OTHER][1] >= values.nbytes


def test_it_is_reached_from_the_package():
    assert pellucid.profiler is profiler
