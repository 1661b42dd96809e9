"""Save a container in all processes, or load it cut in another way: `... checkpoints DIRECTORY save|load [alone]`."""

import sys

import numpy as np

import pellucid
from pellucid import NamedSharding, P, device_put, distributed, make_mesh

VALUES = np.random.default_rng(4).normal(size=(8, 12))
if sys.argv[3:] != ["alone"]:
    distributed.initialize()
count = pellucid.device_count()
line, grid = make_mesh((count,), ("i",)), make_mesh((2, count // 2), ("x", "y"))
rows, columns = NamedSharding(line, P("i")), NamedSharding(line, P(None, "i"))
blocks = NamedSharding(grid, P("y", "x"))
if sys.argv[2] == "save":
    distributed.save(sys.argv[1], {
        "rows": device_put(VALUES, rows), "parts": [device_put(VALUES, blocks), 2.5, np.arange(3)],
        "whole": device_put(VALUES[0].astype(np.float32), NamedSharding(line, P())), "empty": np.zeros((0, 2)),
    })  # fmt: skip
like = {"rows": columns, "parts": [device_put(0.0 * VALUES, rows), None, None], "whole": rows,
        "empty": None}  # fmt: skip
found = distributed.load(sys.argv[1], like)
for array, wanted, sharding in [(found["rows"], VALUES, columns), (found["parts"][0], VALUES, rows),
                                (found["whole"], VALUES[0].astype(np.float32), rows)]:  # fmt: skip
    assert array.sharding == sharding and array.shape == wanted.shape and array.dtype == wanted.dtype
    for shard in array.addressable_shards:
        np.testing.assert_array_equal(shard.data, wanted[shard.index])
assert float(found["parts"][1]) == 2.5 and found["empty"].shape == (0, 2)
np.testing.assert_array_equal(found["parts"][2], np.arange(3))
