"""ONNX files that should not be believed: attributes and weights that are no numbers, names that a terminal would obey, and graphs of many
nodes, which cost time in proportion to what there is of them."""
import os
import subprocess
import sys
import tempfile

SOURCE, TIPS = os.environ["SOURCE_DIR"], os.environ["TIPS"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
import peers  # tests/support/peers.py

peers.need("numpy", "onnx")
import numpy as np
import onnx
from onnx import helper, numpy_helper

FLOAT = onnx.TensorProto.FLOAT
NAN, INF = float("nan"), float("inf")
failures = 0


def complain(text):
    global failures
    print(text)
    failures += 1


def tell(*arguments):
    run = subprocess.run([TIPS, *arguments], capture_output=True, text=True, errors="replace")
    if run.returncode not in (0, 1, 2):
        complain(f"tips {arguments}: exit code {run.returncode}")
    return run.returncode, run.stdout + run.stderr


def save(path, nodes, weights=(), opset=17, node_names=()):
    for node, name in zip(nodes, node_names):
        node.name = name
    weights = [numpy_helper.from_array(np.asarray(value), name) for name, value in dict(weights).items()]
    ends = [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in (("x", [1, 3, 8, 8]), ("y", [1, 3]))]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], initializer=weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8
    onnx.save(model, path)
    return path


def ending(value):
    return [helper.make_node("GlobalAveragePool", [value], ["pooled"]), helper.make_node("Flatten", ["pooled"], ["y"])]


ONES, ZEROS = np.ones(3, "f"), np.zeros(3, "f")
NORMS = {"BatchNormalization": dict(s=ONES, b=ZEROS, m=ZEROS, v=ONES), "InstanceNormalization": dict(s=ONES, b=ZEROS)}


def check_numbers(path):
    cases = [(op, dict(epsilon=value), NORMS[op]) for op in NORMS for value in (-1e-3, -1.0, NAN, INF, -INF)]
    cases += [("LayerNormalization", dict(epsilon=value, axis=-1), dict(s=np.ones(8, "f"), b=np.zeros(8, "f"))) for value in (-1.0, NAN)]
    cases += [(op, {key: value}, {}) for value in (NAN, INF) for op, key in (("LeakyRelu", "alpha"), ("Elu", "alpha"), ("HardSigmoid", "beta"))]
    cases += [("LRN", dict(size=3, bias=value), {}) for value in (NAN, INF)]
    for op, attributes, weights in cases:
        save(path, [helper.make_node(op, ["x", *weights], ["n"], **attributes), *ending("n")], weights)
        for command in ("info", "verify"):
            code, said = tell(*([command, path] if command == "info" else ["verify", "--model", path, "--shifts", "2"]))
            if code != 1 or "its attribute" not in said or path not in said:
                complain(f"{command} of {op} with {attributes}: exit code {code}: {said[:300]}")
    for op in NORMS:  # nothing is added: that is a number
        save(path, [helper.make_node(op, ["x", *NORMS[op]], ["n"], epsilon=0.0), *ending("n")], NORMS[op])
        if tell("info", path)[0] != 0:
            complain(f"{op} with epsilon 0 is refused")
    for value in (NAN, INF):
        save(path, [helper.make_node("Mul", ["x", "k"], ["n"]), *ending("n")], dict(k=np.array(value, "f")))
        code, said = tell("verify", "--model", path, "--shifts", "2")
        if code != 1 or "finite" not in said:
            complain(f"a weight of {value}: exit code {code}: {said[:300]}")
    # Numbers that become infinite: no verdict, by either engine.
    save(path, [helper.make_node("Mul", ["x", "k"], ["a"]), helper.make_node("Mul", ["a", "k"], ["b"]), helper.make_node("Mul", ["b", "l"], ["n"]), *ending("n")],
         dict(k=np.array(3e38, "f"), l=np.array(3e38, "f")))
    code, said = tell("verify", "--model", path, "--shifts", "2", "--json")
    if code == 0 and '"exact": true' in said:
        complain(f"infinite numbers are exact: {said[:300]}")


def check_names(path):
    for name in ("\x1b]0;title\x07", "a\nb", "\u202egnp", "<script>", "x" * 5000):
        nodes = [helper.make_node("Relu", ["x"], [name]), *ending(name)]
        save(path, nodes, node_names=(name,))
        for command in (["info", path], ["verify", "--model", path, "--shifts", "2"], ["info", path, "--json"]):
            said = tell(*command)[1]
            if "\x1b" in said or "\u202e" in said or "\x07" in said:
                complain(f"{command[0]}: the name {name!r} reaches the terminal: {said[:200]!r}")


def chain(count):
    names = ["x"] + [f"t{i}" for i in range(count)]
    return [helper.make_node("Relu", [names[i]], [names[i + 1]]) for i in range(count)] + ending(names[-1]), {}


def scaled(count):
    names = ["x"] + [f"t{i}" for i in range(count)]
    nodes = [helper.make_node("Mul", [names[i], f"k{i}"], [names[i + 1]]) for i in range(count)]
    return nodes + ending(names[-1]), {f"k{i}": np.array(1.5, "f") for i in range(count)}


def summed(count):
    nodes = [helper.make_node("Relu", ["x"], [f"t{i}"]) for i in range(count)]
    return nodes + [helper.make_node("Sum", [f"t{i}" for i in range(count)], ["s"])] + ending("s"), {}


def reading(path):
    process = subprocess.Popen([TIPS, "info", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        complain(f"{path}: exit code {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


def check_time(path):
    for make in (chain, scaled, summed):
        seconds = []
        for count in (4000, 16000):
            save(path, *make(count))
            seconds.append(min(reading(path) for _ in range(2)))
        print(f"{make.__name__}: {seconds[0]:.2f} s for 4,000 nodes, {seconds[1]:.2f} s for 16,000")
        if seconds[1] > 7 * max(seconds[0], 0.05):
            complain(f"{make.__name__}: four times the nodes take {seconds[1] / seconds[0]:.1f} times as long")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        save(path, chain(3)[0])
        if "without ONNX" in tell("info", path)[1]:
            peers.lack("this build does not read ONNX")
        check_numbers(path)
        check_names(path)
        check_time(path)
    sys.exit(failures > 0)


main()
