"""Small ONNX files of one operator whose inputs depend on the picture, so that it runs in the program behind a network."""
import os
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "int32": TensorProto.INT32, "bool": TensorProto.BOOL,
         "uint8": TensorProto.UINT8}


def parts(arrays):
    """Nodes that cut the operands out of one row of numbers: negated by a layer, and past something that is none."""
    nodes = [helper.make_node("Neg", ["picture"], ["negated"]), helper.make_node("IsNaN", ["negated"], ["odd"]),
             helper.make_node("Where", ["odd", "zero", "negated"], ["clean"]),
             helper.make_node("Reshape", ["clean", "flat"], ["row"])]
    constants, at = [numpy_helper.from_array(np.zeros(1, "f4"), "zero"), numpy_helper.from_array(np.array([-1]), "flat")], 0
    for i, array in enumerate(arrays):
        if array is None:
            continue
        places = np.arange(at, at + array.size)
        constants += [numpy_helper.from_array(places, f"at{i}"), numpy_helper.from_array(np.array(array.shape, "i8"), f"shape{i}")]
        nodes += [helper.make_node("Gather", ["row", f"at{i}"], [f"taken{i}"]),
                  helper.make_node("Cast", [f"taken{i}"], [f"cast{i}"], to=TYPES[array.dtype.name]),
                  helper.make_node("Reshape", [f"cast{i}", f"shape{i}"], [f"in{i}"])]
        at += array.size
    return nodes, constants


def save(path, arrays, nodes, constants, outputs, opset):
    """Writes the file, and the picture that makes the operands what they are; None stands for what is left out."""
    made, more = parts(arrays)
    row = np.concatenate([np.zeros(0), *[a.astype("f8").ravel() for a in arrays if a is not None], np.zeros(1)])
    graph = helper.make_graph(made + nodes, "case", [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 1, 1, row.size])],
                              [onnx.ValueInfoProto(name=name) for name in outputs], more + constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
    np.save(path + ".npy", (-row).astype("f4").reshape(1, 1, 1, -1))


def one(op, arrays, n_out=1, opset=13, constants=(), **attributes):
    """A case of a single node; `constants` are further inputs that do not depend on the picture."""
    def write(path):
        names = ["" if a is None else f"in{i}" for i, a in enumerate(arrays)]
        extra = [numpy_helper.from_array(np.asarray(c), f"extra{i}") for i, c in enumerate(constants)]
        outputs = [f"out{i}" for i in range(n_out)]
        node = helper.make_node(op, names + [e.name for e in extra], outputs, **attributes)
        save(path, arrays, [node], extra, outputs, opset)
    return op, write


def ours(tool, model, prefix):
    said = subprocess.run([tool, model, model + ".npy", prefix], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return said.stderr.strip() if said.returncode else None


def arrays_at(prefix):
    found = []
    while os.path.exists(f"{prefix}{len(found)}.npy"):
        found.append(np.load(f"{prefix}{len(found)}.npy"))
    return found
