"""Names of classes under "names" in an ONNX file's metadata, as exporters of detectors leave them: a dictionary or a list of Python or
JSON, in any order; anything else leaves the classes without names."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "support"))
import peers

peers.need("onnx", "numpy")
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

peers.need_libraries("protobuf-c")

CASES = [("{0: 'cat', 1: \"dog's\", 2: 'a \\'b\\''}", ["cat", "dog's", "a 'b'"]),
         ("{2: 'c', 0: 'a', 1: 'b'}", ["a", "b", "c"]),
         ('{"0": "a", "1": "b", "2": "c"}', ["a", "b", "c"]),
         ("['7 up', '2', 'x, y']", ["7 up", "2", "x, y"]),
         ('["a", "b", "c"]', ["a", "b", "c"]),
         ("{0: 'a', 1: 'b'}", None),  # of other classes
         ("{0: 'a', 1: 'b', 3: 'c'}", None),
         ("{0: 'a', 0: 'b', 1: 'c'}", None),
         ("['a', 'b', 'c', 'd']", None),
         ("['a', 'b', 'c'", None),
         ("['a', 'b', 'c", None),
         ("cat, dog, cow", None),
         ("", None)]


def model(names):
    weights = numpy_helper.from_array(np.zeros((3, 48), np.float32), "w")
    graph = helper.make_graph([helper.make_node("Flatten", ["x"], ["f"]), helper.make_node("Gemm", ["f", "w"], ["y"], transB=1)], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 4, 4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3])], [weights])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)])
    made.ir_version = 7
    helper.set_model_props(made, {"names": names})
    return made


failures = 0
with tempfile.TemporaryDirectory() as work:
    for text, wanted in CASES:
        onnx.save(model(text), f"{work}/m.onnx")
        done = subprocess.run([os.environ["TIPS"], "info", f"{work}/m.onnx", "--json"], capture_output=True, text=True)
        got = json.loads(done.stdout)["model"]["class_names"] if done.returncode == 0 else done.stderr
        if got != wanted:
            failures += 1
            print(f"{text}: {got}, not {wanted}")
sys.exit(1 if failures else 0)
