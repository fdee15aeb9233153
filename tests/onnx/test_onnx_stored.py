"""Files of half precision are computed in float32, and info, audit and convert say so; files of float32 say nothing."""
import os, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import peers

peers.need("numpy", "onnx")
peers.need_libraries("protobuf-c")
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

tips = os.environ["TIPS"]
failures = 0
DATA = ["--data", "shapes:size=16,train=40,test=9,classes=3", "--limit", "4", "--threads", "1", "--shifts", "none", "--range", "0..1"]


def run(*words):
    done = subprocess.run([tips, *words], capture_output=True, text=True)
    if done.returncode:
        print(done.stdout, done.stderr)
        sys.exit(f"tips {' '.join(words)}: exit code {done.returncode}")
    return done.stdout


def expect(condition, what):
    global failures
    if not condition:
        print(what)
        failures += 1


def write(path, dtype, element):
    rng = np.random.default_rng(5)
    w = numpy_helper.from_array(rng.normal(size=(8, 3, 3, 3)).astype(dtype), "w")
    b = numpy_helper.from_array(rng.normal(size=(8,)).astype(dtype), "b")
    v = numpy_helper.from_array(rng.normal(size=(8, 3)).astype(dtype), "v")
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("GlobalAveragePool", ["y"], ["m"]),
        helper.make_node("Flatten", ["m"], ["f"]),
        helper.make_node("MatMul", ["f", "v"], ["scores"]),
    ]
    x = helper.make_tensor_value_info("x", element, ["N", 3, 16, 16])
    scores = helper.make_tensor_value_info("scores", element, ["N", 3])
    graph = helper.make_graph(nodes, "stored", [x], [scores], [w, b, v])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


with tempfile.TemporaryDirectory() as folder:
    for dtype, element, name in ((np.float16, TensorProto.FLOAT16, "float16"), (np.float64, TensorProto.DOUBLE, "double"), (np.float32, TensorProto.FLOAT, "float32")):
        path, out = os.path.join(folder, name + ".onnx"), os.path.join(folder, name + ".safetensors")
        write(path, dtype, element)
        said = [run("info", path), run("audit", path, *DATA), run("convert", path, "--range", "0..1", "-o", out)]
        for what in said:
            expect((f"stored in {name}, computed in float32" in what) == (name != "float32"), f"{name}: it says\n{what}")
        expect(f'"stored": "{name}"' in run("info", path, "--json"), f"{name}: the JSON of info does not say it")
        expect('"stored": "float32"' in run("info", out, "--json"), "what convert writes is not float32")
sys.exit(failures > 0)
