"""What each of two processes knows and refuses: `mpiexec -n 2 python -m tests.many_processes.refusals`."""

import numpy as np
import pytest

import pellucid
from pellucid import NamedSharding, P, device_put, distributed, make_mesh, pmap, shard_map
from pellucid.runtime import mpi

with pytest.raises(ValueError, match="num_processes is 3, and MPI says 2"):
    distributed.initialize(num_processes=3)
assert not distributed.is_initialized() and pellucid.process_count() == 1 and mpi.world() is None
with pytest.raises(ValueError, match="'slurm'"):
    distributed.initialize(cluster_detection_method="slurm")
distributed.initialize(cluster_detection_method="mpi4py", num_processes=2)
with pytest.raises(RuntimeError, match="is called once"):
    distributed.initialize()
assert distributed.is_initialized() and pellucid.process_count() == 2

OWN = pellucid.process_index()
MINE, OTHERS = pellucid.local_devices(), pellucid.local_devices(1 - OWN)
assert pellucid.devices() == (MINE + OTHERS if OWN == 0 else OTHERS + MINE)
assert [one.id for one in pellucid.devices()] == [0, 1, 2, 3] and pellucid.local_device_count() == 2
assert [one.process_index for one in pellucid.devices()] == [0, 0, 1, 1] and pellucid.device_count() == 4
assert device_put(np.ones(2), "cpu").device == MINE[0] == "cpu" and OTHERS[0] != "cpu"
assert device_put(np.ones(2), MINE[1]).device is MINE[1]

MESH = make_mesh((4,), ("i",))
X = device_put(np.arange(8.0), NamedSharding(MESH, P("i")))
WHOLE = device_put(np.arange(8.0), NamedSharding(MESH, P()))
ALONE = device_put(np.arange(8.0), NamedSharding(make_mesh((2,), ("i",), devices=MINE), P("i")))
assert (X.is_fully_addressable, X.is_fully_replicated, X.sharding.is_fully_addressable) == (False, False, False)
assert X.sharding.addressable_devices == {*MINE} and X.devices() == {*pellucid.devices()}
assert (WHOLE.is_fully_addressable, WHOLE.is_fully_replicated) == (False, True)
assert ALONE.is_fully_addressable and [shard.device for shard in X.addressable_shards] == MINE
np.testing.assert_array_equal(X.addressable_data(1), np.arange(8.0)[4 * OWN + 2 : 4 * OWN + 4])
np.testing.assert_array_equal(WHOLE, np.arange(8.0))
np.testing.assert_array_equal(ALONE, np.arange(8.0))
assert X.shape == (8,) and X.dtype == np.float64 and X.nbytes == 64

ELSEWHERE = r"other processes have parts of this array: `x.addressable_shards` .*process_allgather\(x, tiled=True\)"
for read in (np.asarray, lambda x: x + 1.0, np.sin, pellucid.compile(lambda x: x * 2.0), lambda x: x[0], repr,
             lambda x: device_put(x, "cpu"), pellucid.device_get):  # fmt: skip
    with pytest.raises(RuntimeError, match=ELSEWHERE):
        read(X)
with pytest.raises(ValueError, match="pass `tiled=True`"):
    distributed.process_allgather(X)

for use in (lambda device: device.number, lambda device: device_put(np.ones(2), device), pellucid.default_device):
    with pytest.raises(ValueError, match=f"is a device of process {1 - OWN}, and this is process {OWN}: `pel"):
        use(OTHERS[0])
theirs = make_mesh((2,), ("i",), devices=OTHERS)
double = lambda a: a * 2.0  # noqa: E731
with pytest.raises(ValueError, match="no device of this process is in the mesh"):
    shard_map(double, mesh=theirs, in_specs=P("i"), out_specs=P("i"))(np.ones(4))
with pytest.raises(ValueError, match="no device of this process is in the mesh"):
    device_put(np.ones(4), NamedSharding(theirs, P("i")))
with pytest.raises(ValueError, match="2 examples, and 4 devices of several processes"):
    pmap(double)(np.ones(2))
np.testing.assert_array_equal(pmap(double, devices=MINE)(np.ones(2)), [2.0, 2.0])
with pytest.raises(pellucid.BatchError, match="out_specs leaves out"):
    shard_map(double, mesh=MESH, in_specs=P("i"), out_specs=P())(X)

with pytest.raises(ValueError, match="axis 0 the devices of this process have 4 of 8 elements, and local_data has 3"):
    pellucid.make_array_from_process_local_data(NamedSharding(MESH, P("i")), np.ones(3), (8,))
mixed = make_mesh((4,), ("i",), devices=[MINE[0], OTHERS[0], MINE[1], OTHERS[1]][:: 1 if OWN == 0 else -1])
with pytest.raises(ValueError, match="do not lie side by side"):
    pellucid.make_array_from_process_local_data(NamedSharding(mixed, P("i")), np.ones(4))
with pytest.raises(ValueError, match=r"a part has the shape \(3,\), and each device has \(2,\) of \(8,\)"):
    pellucid.make_array_from_callback((8,), NamedSharding(MESH, P("i")), lambda _: np.ones(3))

np.testing.assert_array_equal(distributed.process_allgather(np.full(2, OWN)), [[0, 0], [1, 1]])
np.testing.assert_array_equal(distributed.process_allgather({"a": np.full(2, OWN)}, tiled=True)["a"], [0, 0, 1, 1])
np.testing.assert_array_equal(distributed.process_allgather(OWN, tiled=True), [0, 1])
np.testing.assert_array_equal(distributed.broadcast_one_to_all(np.full(2, OWN)), [0, 0])
np.testing.assert_array_equal(distributed.broadcast_one_to_all([OWN], is_source=OWN == 1)[0], 1)
with pytest.raises(ValueError, match="one process is the source, and 2 say"):
    distributed.broadcast_one_to_all(1, is_source=True)
distributed.sync_global_devices("here")
with pytest.raises(ValueError, match="at different places"):
    distributed.sync_global_devices(f"place {OWN}")

distributed.shutdown()
assert not distributed.is_initialized() and pellucid.device_count() == 2
with pytest.raises(RuntimeError, match="there are no other processes"):
    distributed._world()
