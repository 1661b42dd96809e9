"""What JAX gives for the programs in `as_written`, kept in `jax_values.json`: run by hand with a Python that has it.

    python -m venv /tmp/jax && /tmp/jax/bin/pip install jax==0.10.2
    /tmp/jax/bin/python tests/many_devices/jax_values.py        on eight devices of the processor, in float64

Of each array in a result, and of each slope of a weighted sum of them, the shape, the first elements and a weighted sum
of all are kept.  JAX has no slopes through a `while_loop`; there finite differences alone tell.
"""

import importlib
import json
import os
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
PROGRAMS = sorted(path.stem for path in (HERE / "as_written").glob("[a-z]*.py"))
KEPT = HERE / "jax_values.json"


def leaves(result):
    """The arrays of a result, one after the other."""
    if isinstance(result, tuple | list):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def weights(shape):
    return np.cos(1.0 + np.arange(np.prod(shape, dtype=int))).reshape(shape)


def digits(result):
    """What is kept of the arrays of a result."""
    arrays = [np.asarray(leaf) for leaf in leaves(result)]
    return [
        {"shape": list(a.shape), "first": a.ravel()[:6].tolist(), "sum": float(np.sum(weights(a.shape) * a))}
        for a in arrays
    ]


def weighed(function, floats):
    """A number of the results, of which `floats` says which count."""

    def loss(*args):
        total = 0.0
        for leaf, counts in zip(leaves(function(*args)), floats):
            if counts:
                total = total + (weights(leaf.shape) * leaf).sum()
        return total

    return loss


def of_jax(name):
    """The values and the slopes of one program on eight devices."""
    import jax

    text = (HERE / "as_written" / f"{name}.py").read_text(encoding="utf-8")
    text = text.replace("import pellucid.numpy as jnp", "import jax.numpy as jnp")
    program = {"__name__": name}
    exec(compile(text.replace("from pellucid import", "from jax import"), f"{name}.py", "exec"), program)
    function, args = program["build"](8), program["given"]()
    result = jax.jit(function)(*args)
    floats = [np.asarray(leaf).dtype.kind == "f" for leaf in leaves(result)]
    found = {"values": digits(result)}
    if "while_loop" in text or "BY" not in program:
        return found
    return found | {"slopes": digits(jax.jit(jax.grad(weighed(function, floats), argnums=program["BY"]))(*args))}


def main():
    os.environ |= {"JAX_ENABLE_X64": "1", "XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    jax = importlib.import_module("jax")
    plain = jax.make_mesh

    def make_mesh(shape, names):  # whose arrays a compiler may cut as it likes, as everywhere before JAX 0.9
        return plain(shape, names, axis_types=(jax.sharding.AxisType.Auto,) * len(names))

    jax.make_mesh = make_mesh
    known = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for name in sys.argv[1:] or PROGRAMS:
        known[name] = of_jax(name)
        print(name, len(known[name].get("slopes", ())), flush=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known))
    KEPT.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
