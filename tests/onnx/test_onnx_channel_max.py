"""A maximum over channels, written as a pooling of the transposed map or as ReduceMax: the numbers of numpy, no permutation left,
and networks that segment with it are converted. Skipped without numpy and onnx."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "support"))
import peers

peers.need("numpy", "onnx")
peers.need_libraries("protobuf-c")
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TIPS, SIZE = os.environ["TIPS"], 16
# How the maximum is written: nodes from "y" (1, c, h, w) to "top" (1, 1, h, w) of c channels.
FORMS = {
    "last axis": lambda c: [transpose("y", "t", [0, 2, 3, 1]), pool("t", "p", [1, c], [1, c]), transpose("p", "top", [0, 3, 1, 2])],
    "last axis, turned": lambda c: [transpose("y", "t", [0, 3, 2, 1]), pool("t", "p", [1, c], [1, 1]), transpose("p", "top", [0, 3, 2, 1])],
    "rows": lambda c: [transpose("y", "t", [0, 3, 1, 2]), pool("t", "p", [c, 1], [c, 1]), transpose("p", "top", [0, 2, 3, 1])],
    "tokens": lambda c: [reshape("y", "r", "flat"), transpose("r", "t", [0, 1, 3, 2]), pool("t", "p", [1, c], [1, c]), reshape("p", "top", "map")],
    "reduce": lambda c: [helper.make_node("ReduceMax", ["y"], ["top"], axes=[1], keepdims=1)],
}


def transpose(x, y, perm):
    return helper.make_node("Transpose", [x], [y], perm=perm)


def pool(x, y, kernel, strides):
    return helper.make_node("MaxPool", [x], [y], kernel_shape=kernel, strides=strides)


def reshape(x, y, shape):
    return helper.make_node("Reshape", [x, shape], [y])


def write(path, channels, form):
    rng = np.random.default_rng(channels)
    w = rng.normal(size=(channels, 3, 3, 3)).astype("f4")
    v = rng.normal(size=(2, channels, 1, 1)).astype("f4")
    half = SIZE // 2
    constants = [numpy_helper.from_array(a, n) for n, a in (("w", w), ("v", v), ("flat", np.array([1, 1, channels, half * half])), ("map", np.array([1, 1, half, half])),
                                                            ("scales", np.array([1, 1, 2, 2], "f4")))]
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]), *FORMS[form](channels),
             helper.make_node("Mul", ["y", "top"], ["gated"]), helper.make_node("Conv", ["gated", "v"], ["small"], kernel_shape=[1, 1]),
             helper.make_node("Resize", ["small", "", "scales"], ["scores"], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")]
    value = lambda name, c: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, c, SIZE, SIZE])
    onnx.save(helper.make_model(helper.make_graph(nodes, "gate", [value("x", 3)], [value("scores", 2)], constants), opset_imports=[helper.make_opsetid("", 12)], ir_version=7), path)
    return w, v


def wanted(x, w, v):
    padded = np.pad(x.astype("f8"), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    y = np.einsum("ncyxab,ocab->noyx", windows, w.astype("f8"))
    small = np.einsum("ncyx,oc->noyx", y * y.max(1, keepdims=True), v[:, :, 0, 0].astype("f8"))
    return small.repeat(2, 2).repeat(2, 3)


def run(*words):
    done = subprocess.run([TIPS, *words], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check(folder, channels, form):
    path, picture, out = (os.path.join(folder, name) for name in ("m.onnx", "x.npy", "stable.safetensors"))
    x = np.random.default_rng(1).normal(size=(1, 3, SIZE, SIZE)).astype("f4")
    want = wanted(x, *write(path, channels, form))
    np.save(picture, x)
    scores = os.path.join(folder, "scores.npy")
    code, said = run("predict", "--model", path, picture, "--range", "0..1", "--logits", scores)
    if code:
        return said
    error = np.abs(np.load(scores).reshape(want.shape) - want).max() / np.abs(want).max()
    if error > 1e-5:
        return f"differs by {error:.1e}"
    code, said = run("verify", "--model", path, "--shifts", "4")
    if "permute" in said:
        return "a permutation is left: " + said
    code, said = run("convert", path, "--padding", "circular", "--range", "0..1", "-o", out)
    if code or "Exact under circular shifts" not in said:
        return said
    code, said = run("verify", "--model", out, "--shifts", "16", "--quiet")
    return "" if code == 0 else said


with tempfile.TemporaryDirectory() as folder:
    bad = [(form, channels, said) for form in FORMS for channels in (2, 5, 8, 19) if (said := check(folder, channels, form))]
for form, channels, said in bad:
    print(f"{form}, {channels} channels: {said}")
sys.exit(bool(bad))
