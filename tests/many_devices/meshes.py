"""Meshes, specs and shardings, and arrays that are put on many devices."""

import copy
import pickle
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

import pellucid
from pellucid import Array, NamedSharding, P, device_put, devices, make_mesh
from pellucid.sharding import Mesh, PartitionSpec, SingleDeviceSharding, get_mesh, set_mesh

MESH = make_mesh((2, 4), ("x", "y"))


def test_a_mesh_is_devices_with_names():
    assert MESH.axis_names == ("x", "y") and MESH.axis_sizes == (2, 4) and MESH.size == 8 and MESH.ndim == 2
    assert dict(MESH.shape) == {"x": 2, "y": 4} and MESH.shape["y"] == 4 and not MESH.empty
    assert MESH.devices.tolist() == [devices()[:4], devices()[4:]]
    assert MESH.device_ids.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert MESH == Mesh(np.array(devices()).reshape(2, 4), ("x", "y")) and len({MESH, copy.deepcopy(MESH)}) == 1
    assert MESH != make_mesh((4, 2), ("x", "y")) and MESH != make_mesh((2, 4), ("y", "x"))
    assert pickle.loads(pickle.dumps(MESH)) == MESH and repr(MESH) == "Mesh('x': 2, 'y': 4)"
    assert make_mesh((2,), ("x",), devices=devices()[2:]).devices.tolist() == devices()[2:4]
    assert Mesh(devices()[:2], "x").shape["x"] == 2
    with pytest.raises(ValueError, match="read-only"):
        MESH.devices[0, 0] = devices()[1]


def test_a_mesh_that_cannot_be():
    for make, told in [
        (lambda: make_mesh((3, 4), ("x", "y")), r"\(3, 4\) has 12 devices, and there are 8: PELLUCID_CPU_DEVICES"),
        (lambda: make_mesh((2, 4), ("x",)), "a mesh of 2 axes have 1 names"),
        (lambda: make_mesh((2, 4), ("x", "x")), "different names"),
        (lambda: Mesh([devices()[0]] * 2, ("x",)), "at most once"),
    ]:
        with pytest.raises(ValueError, match=told):
            make()


def test_the_mesh_of_a_block():
    other = make_mesh((8,), ("i",))
    assert get_mesh() is None
    with MESH:
        assert get_mesh() is MESH
        with set_mesh(other):
            assert get_mesh() is other
        assert get_mesh() is MESH
    assert get_mesh() is None


def test_a_spec_is_known_by_its_entries():
    assert PartitionSpec is P and P("x") == P("x") == ("x",) and P("x") != P("x", None) and P(("x",)) == P("x")
    assert list(P("x", None, ("y", "z"))) == ["x", None, ("y", "z")] and P("x", None)[0] == "x" and len(P()) == 0
    assert hash(P("x")) == hash(P("x")) and pickle.loads(pickle.dumps(P("x", ("y",)))) == P("x", "y")
    assert repr(P("x", ("y", "z"), None)) == "P('x', ('y', 'z'), None)"
    for make, error in [(lambda: P("x", "x"), ValueError), (lambda: P(("x", "y"), "y"), ValueError),
                        (lambda: P(0), TypeError)]:  # fmt: skip
        with pytest.raises(error):
            make()


def test_what_each_device_has():
    """Against NumPy's own way to cut: `np.split` along one axis after the other."""
    values = np.arange(16 * 3).reshape(16, 3)
    for spec, cut in [(P(), 1), (P("x"), 2), (P("y", None), 4), (P(("x", "y")), 8), (P(("y", "x")), 8)]:
        sharding = NamedSharding(MESH, spec)
        array = device_put(values, sharding)
        assert sharding.shard_shape(values.shape) == (16 // cut, 3) and array.sharding is sharding
        assert sharding.is_fully_replicated == array.is_fully_replicated == (cut == 1)
        assert sharding.device_set == array.devices() == {*devices()} and sharding.num_devices == 8
        parts = np.split(values, cut)
        names = [name for entry in spec if entry for name in ([entry] if isinstance(entry, str) else entry)]
        for shard in array.addressable_shards:
            at = dict(zip("xy", divmod(shard.device.id, 4), strict=True))
            number = 0
            for name in names:
                number = number * MESH.shape[name] + at[name]
            np.testing.assert_array_equal(shard.data, parts[number])
            np.testing.assert_array_equal(values[shard.index], parts[number])
            assert shard.data.device == shard.device
        copies = [shard.replica_id for shard in array.addressable_shards]
        assert sorted(copies) == sorted([*range(8 // cut)] * cut)


def test_two_axes_cut_two():
    array = device_put(np.arange(32).reshape(4, 8), NamedSharding(MESH, P("x", "y")))
    shard = array.addressable_shards[6]
    assert shard.index == (slice(2, 4), slice(4, 6)) and shard.replica_id == 0
    np.testing.assert_array_equal(shard.data, [[20, 21], [28, 29]])
    assert array.sharding.is_equivalent_to(NamedSharding(MESH, P("x", "y", None)), 3)
    assert not array.sharding.is_equivalent_to(NamedSharding(MESH, P("x")), 2)
    assert NamedSharding(MESH, P("x")).is_equivalent_to(NamedSharding(MESH, P("x", None)), 2)


def test_a_sharding_that_does_not_fit():
    for make, told in [
        (lambda: NamedSharding(MESH, P("z")), r"P\('z'\) names the mesh axis 'z', and the axes of the mesh are 'x', "),
        (lambda: device_put(np.ones((3, 4)), NamedSharding(MESH, P("x"))),
         r"axis 0 of an array of the shape \(3, 4\) has the length 3, which is not divided by the 2 devices along 'x': "
         r"fill it up to a multiple of 2"),
        (lambda: device_put(np.ones(4), NamedSharding(MESH, P("x", None))), "has 2 entries, and the array has 1 axes"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=told):
            make()
    with pytest.raises(TypeError, match="takes a Mesh"):
        NamedSharding("x", P())
    with pytest.raises(TypeError, match="a device or a sharding, not int"):
        device_put(np.ones(3), 3)


def test_containers_of_shardings():
    data, whole = NamedSharding(MESH, P("x")), NamedSharding(MESH, P())
    tree = {"w": np.ones((4, 2)), "b": [np.arange(2.0), np.float32(3.0)], "n": 2.0}
    there = device_put(tree, {"w": data, "b": whole, "n": SingleDeviceSharding(devices()[1])})
    assert there["w"].sharding == data and there["b"][0].sharding == whole and there["b"][1].sharding == whole
    assert there["n"] == 2.0
    assert device_put(tree, whole)["w"].sharding == whole
    moved = device_put(there["w"], NamedSharding(MESH, P("y")))
    assert moved.sharding.spec == P("y") and device_put(moved, devices()[3]).device == devices()[3]
    alone = device_put(np.ones(3), SingleDeviceSharding(devices()[2]))
    assert alone.device == devices()[2] and alone.sharding == SingleDeviceSharding(devices()[2])
    assert alone.sharding.is_fully_replicated and alone.sharding.shard_shape((3,)) == (3,)


def test_a_plain_array_is_on_one_device():
    array = Array(np.arange(3.0))
    assert array.sharding == SingleDeviceSharding(devices()[0]) and array.is_fully_addressable
    (shard,) = array.addressable_shards
    assert shard.device == devices()[0] and shard.replica_id == 0
    np.testing.assert_array_equal(shard.data, array)


def test_values_are_copied_and_stay():
    values = np.arange(8.0)
    array = device_put(values, NamedSharding(MESH, P("x")))
    values[0] = 9.0
    np.testing.assert_array_equal(array, np.arange(8.0))
    assert isinstance(array, Array) and array.is_fully_addressable and repr(array).startswith("Array([0., 1.")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(array)), np.arange(8.0))
    np.testing.assert_array_equal(np.asarray(array), np.arange(8.0))
    assert pellucid.device_get({"a": array})["a"].tolist() == np.arange(8.0).tolist()


def shown(array):
    text = StringIO()
    with redirect_stdout(text):
        pellucid.debug.visualize_array_sharding(array)
    return text.getvalue()


def test_a_picture_says_where_parts_are():
    values = np.ones((4, 8))
    assert shown(device_put(values, NamedSharding(MESH, P("x", "y")))) == (
        "┌───────┬───────┬───────┬───────┐\n"
        "│ cpu:0 │ cpu:1 │ cpu:2 │ cpu:3 │\n"
        "├───────┼───────┼───────┼───────┤\n"
        "│ cpu:4 │ cpu:5 │ cpu:6 │ cpu:7 │\n"
        "└───────┴───────┴───────┴───────┘\n"
    )
    assert "cpu:0,4" in shown(device_put(values, NamedSharding(MESH, P("y"))))
    assert shown(device_put(values[0], NamedSharding(MESH, P(("x", "y"))))).count("cpu:") == 8
    assert "cpu:0" in shown(Array(values))
    with pytest.raises(ValueError, match="one or two dimensions"):
        pellucid.debug.visualize_array_sharding(Array(np.ones((2, 2, 2))))
