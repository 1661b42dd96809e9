"""Containers of arrays in files: `npz` of NumPy, and `safetensors`.

    save("model.safetensors", model)              each array under the path to it: "layers.0.weight"
    model = load("model.safetensors", model)      an instance like this one, with the arrays of the file

A file of safetensors is eight bytes with the length of a header, the header in JSON ({"name": {"dtype", "shape",
"data_offsets"}}), and the bytes of the arrays.  Source: https://huggingface.co/docs/safetensors.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from .. import tree
from ..runtime.array import Array

DTYPES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "U32": "uint32", "I32": "int32",
    "U64": "uint64", "I64": "int64", "F16": "float16", "F32": "float32", "F64": "float64", "C64": "complex64",
}  # fmt: skip
WORDS = {dtype: word for word, dtype in DTYPES.items()}


def save(file: Any, values: Any) -> None:
    """Write the arrays and numbers of a container to a file; its suffix, .npz or .safetensors, says in which form.

    What is neither (functions, texts) is left out.  Raises ValueError for another suffix, and for a dtype that
    safetensors does not have.
    """
    path = Path(file)
    arrays = {
        name: np.ascontiguousarray(leaf).reshape(np.shape(leaf)) for name, leaf in _named(values) if _is_data(leaf)
    }
    if _suffix(path) == ".npz":
        with path.open("wb") as stream:
            np.savez(stream, **arrays)  # type: ignore[arg-type]
        return
    header, end = {}, 0
    for name, array in arrays.items():
        if array.dtype.name not in WORDS:
            raise ValueError(f"safetensors have no {array.dtype.name}, the dtype of {name}")
        header[name] = {
            "dtype": WORDS[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [end, end + array.nbytes],
        }
        end += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as stream:
        stream.write(len(text).to_bytes(8, "little"))
        stream.write(text)
        for array in arrays.values():
            stream.write(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())


def load(file: Any, like: Any = None) -> Any:
    """The arrays of a file, in a container like `like`; without one, a dict of them by their names.

    Raises ValueError where the file is not whole, or where its names and shapes are not those of `like`.
    """
    path = Path(file)
    if _suffix(path) == ".npz":
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    else:
        arrays = _read(path)
    if like is None:
        return arrays
    wanted = {name for name, leaf in _named(like) if _is_data(leaf)}
    if wanted != arrays.keys():
        raise ValueError(f"{path} and the container differ in {', '.join(sorted(wanted ^ arrays.keys()))}")
    return tree.map_with_path(lambda steps, leaf: _found(path, arrays, _name(steps), leaf), like)


def _found(path: Path, arrays: dict[str, np.ndarray], name: str, leaf: Any) -> Any:
    if not _is_data(leaf):
        return leaf
    array = arrays[name]
    if array.shape != np.shape(leaf):
        raise ValueError(f"{name} has the shape {array.shape} in {path}, and {np.shape(leaf)} in the container")
    return type(leaf)(array) if isinstance(leaf, bool | int | float | complex) else array


def _read(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file of safetensors."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    if len(content) < 8 or start > len(content):
        raise ValueError(f"{path} is no file of safetensors, or is cut off")
    found = {}
    for name, entry in json.loads(content[8:start]).items():
        if name == "__metadata__":
            continue
        if entry["dtype"] not in DTYPES:
            raise ValueError(f"{name} in {path} is {entry['dtype']}, which NumPy does not have")
        dtype, shape = np.dtype(DTYPES[entry["dtype"]]).newbyteorder("<"), tuple(entry["shape"])
        first, last = entry["data_offsets"]
        if last - first != math.prod(shape) * dtype.itemsize or start + last > len(content):
            raise ValueError(f"{name} in {path} is not whole")
        array = np.frombuffer(content[start + first : start + last], dtype).reshape(shape)
        found[name] = array.astype(dtype.newbyteorder("="))
    return found


def _suffix(path: Path) -> str:
    if path.suffix not in (".npz", ".safetensors"):
        raise ValueError(f"the suffix of {path.name} is neither .npz nor .safetensors")
    return path.suffix


def _is_data(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray | np.generic | Array | bool | int | float | complex)


def _named(values: Any) -> list[tuple[str, Any]]:
    return [(_name(steps), leaf) for steps, leaf in tree.leaves_with_path(values)]


def _name(steps: tree.Path) -> str:
    """layers[0].weight as `layers.0.weight`."""
    words = [getattr(step, "name", getattr(step, "key", getattr(step, "idx", None))) for step in steps]
    return ".".join(map(str, words)) or "value"
