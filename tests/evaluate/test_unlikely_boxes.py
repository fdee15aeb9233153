"""A wrong style of boxes is told of: nothing found, scores that are none, boxes beside the picture; in words and in JSON. What looks like a
detector is not taken for a classifier or a segmenter. Skipped without onnx."""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE, TIPS = os.environ["SOURCE_DIR"], os.environ["TIPS"]
MODELS = os.path.join(SOURCE, "..", "shared", "data", "models")
sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
import peers  # noqa: E402

peers.need("onnx", "numpy")
peers.need_libraries("protobuf-c", "png")
import numpy as np  # noqa: E402
from onnx import helper  # noqa: E402
import detector_maker as maker  # noqa: E402

SIZE = 64


def run(*words):
    return subprocess.run([TIPS, *words], capture_output=True, text=True)


def constant(path, rows):
    """The same rows of corners, score and class whatever is seen: 1e-9 of the picture's mean is added."""
    rows = np.asarray(rows, np.float32)
    node = helper.make_node
    nodes = [node("ReduceMean", ["grey"], ["bright"], axes=[0, 1, 2, 3], keepdims=0), node("Mul", ["bright", "little"], ["less"]),
             node("Add", ["rows", "less"], ["sum"]), node("Reshape", ["sum", "all"], ["found"])]
    maker.save(path, nodes, {"rows": rows, "little": np.float32(1e-9), "all": np.asarray([1, *rows.shape], np.int64)}, SIZE,
               [("found", [1, *rows.shape])])


def warnings_in(text):
    found, node = [], [json.loads(text)]
    while node:
        one = node.pop()
        if isinstance(one, dict):
            found += [w["text"] for w in one.get("warnings") or [] if isinstance(w, dict) and w.get("name") == "unlikely_boxes"]
        node += one.values() if isinstance(one, dict) else one if isinstance(one, list) else []
    return found


def expect(folder, model, style, words):
    """`words` in the warning of predict, audit and eval; None: there is none."""
    picture = os.path.join(folder, "set", "val2017", "000001.png")
    short = ["--boxes", style, "--labels", os.path.join(folder, "names.txt")]
    data = ["--data", os.path.join(folder, "set"), "--set-shifts", "0", "--grid-images", "0", "--pairs", "1", "--no-msb"]
    commands = [["predict", "--model", model, *short, picture], ["audit", model, *short, *data, "--shifts", "none"],
                ["eval", "--model", model, *short, *data]]
    for command in commands:
        plain, as_json = run(*command), run(*command, "--json")
        assert plain.returncode == 0 and as_json.returncode == 0, (command, plain.stderr, as_json.stderr)
        told = warnings_in(as_json.stdout)
        said = " ".join((plain.stdout + plain.stderr).split())
        if words is None:
            assert not told and "the outputs may mean something else" not in said, (command, told, said)
            continue
        assert len(told) == 1, (command, as_json.stdout)
        assert "the outputs may mean something else" in said, (command, said)
        for word in words:
            assert word in told[0] and word in said, (command, word, told, said)


def make_set(folder):
    os.makedirs(os.path.join(folder, "set", "val2017"))
    os.makedirs(os.path.join(folder, "set", "annotations"))
    maker.png(os.path.join(folder, "set", "val2017", "000001.png"), SIZE, SIZE, 200)
    truth = {"images": [{"id": 1, "file_name": "000001.png", "width": SIZE, "height": SIZE}], "categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}],
             "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [5, 5, 20, 20], "area": 400, "iscrowd": 0}]}
    json.dump(truth, open(os.path.join(folder, "set", "annotations", "instances_val2017.json"), "w"))
    with open(os.path.join(folder, "names.txt"), "w") as file:
        file.write("a\nb\n")


def check_styles(folder):
    model = os.path.join(folder, "detector.onnx")
    good = [5, 5, 25, 25, 0.8, 0]
    cases = [([good], "ended:classes=2", None), ([[5, 5, 25, 25, 0, 0]], "ended:classes=2", ["'ended'", "given", "no boxes", "--boxes auto", "yolox", "fastestdet"]),
             ([[5, 5, 25, 25, 7, 0]], "ended:classes=2", ["1 of 1 boxes have scores outside of 0..1"]),
             ([[900, 900, 925, 925, 0.7, 0], [900, 5, 925, 25, 0.7, 1]], "ended:classes=2", ["2 of 2 boxes lie beside the input"]),
             ([[5, 5, 25, 25, 0.02, 0]], "ended:classes=2", ["no box has a score above 0.02"])]
    for rows, style, words in cases:
        constant(model, rows + [[0, 0, 0, 0, 0, 0]])
        expect(folder, model, style, words)


def refused(words, pieces):
    done = run(*words)
    assert done.returncode != 0, (words, done.stdout)
    for piece in pieces:
        assert piece in " ".join(done.stderr.split()), (words, piece, done.stderr)


def maps(path, shapes, joined=False):
    """Outputs of these shapes (n, c, h, w), from pooled pictures; `joined`: one, of two halves of its channels."""
    node, nodes, constants, outputs = helper.make_node, [], {}, []
    for i, (c, side) in enumerate(shapes):
        stride, parts = SIZE // side, (2 if joined else 1)
        nodes.append(node("MaxPool", ["grey"], [f"pooled{i}"], kernel_shape=[stride] * 2, strides=[stride] * 2))
        for k in range(parts):
            constants[f"w{i}{k}"] = np.ones((c // parts, 1, 1, 1), np.float32)
            nodes.append(node("Conv", [f"pooled{i}", f"w{i}{k}"], [f"head{i}{k}" if joined else f"out{i}"]))
        if joined:
            nodes.append(node("Concat", [f"head{i}0", f"head{i}1"], [f"out{i}"], axis=1))
        outputs.append((f"out{i}", [1, c, side, side]))
    maker.save(path, nodes, constants, SIZE, outputs)


def check_looks(folder):
    model, out = os.path.join(folder, "maps.onnx"), os.path.join(folder, "out.onnx")
    for shapes, joined, why in [([(18, 8), (18, 4)], False, "2 maps of several sizes"), ([(10, 4)], True, "a coarse map with scores"),
                                ([(85, 8)], False, "a coarse map with scores")]:
        maps(model, shapes, joined)
        for words in ["info", model], ["audit", model, "--data", os.path.join(folder, "set")], ["convert", model, "--out", out]:
            refused(words, ["looks like a detector", why, "--boxes auto", "--task segment"])
    for shapes, joined in [([(4, 64), (4, 64)], False), ([(6, 32)], True), ([(4, 8)], False)]:
        maps(model, shapes, joined)
        done = run("info", model)
        assert done.returncode == 0, (shapes, done.stderr)
    maps(model, [(10, 4)], True)
    done = run("info", model, "--task", "segment")
    assert done.returncode == 0 and "segment" in done.stdout, done.stderr
    done = run("info", model, "--boxes", "auto")
    assert done.returncode == 0 and "detect" in done.stdout, done.stderr
    refused(["convert", model, "--boxes", "auto", "--out", out], ["is a detector", "are not converted", "tips audit"])


def check_models(folder):
    if not os.path.exists(os.path.join(MODELS, "yunet.onnx")):
        print("no models of others here: left out")
        return
    for name, why in ("yunet", "12 outputs of rows of numbers"), ("fastestdet-coco", "a coarse map with scores"):
        for command in "info", "convert":
            more = ["--out", os.path.join(folder, "out.onnx")] if command == "convert" else []
            refused([command, os.path.join(MODELS, name + ".onnx"), *more], ["looks like a detector", why, "--boxes auto"])
    done = run("info", os.path.join(MODELS, "deeplab-portrait.onnx"))
    assert done.returncode == 0 and "segment" in done.stdout, done.stderr


def check_channels(folder):
    node = helper.make_node
    from onnx import TensorProto, numpy_helper, save
    weights = numpy_helper.from_array(np.ones((3, 4, 1, 1), np.float32), "w")
    graph = helper.make_graph([node("Conv", ["x", "w"], ["m"]), node("GlobalAveragePool", ["m"], ["g"]), node("Flatten", ["g"], ["y"])], "four",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 32, 32])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3])], [weights])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)])
    made.ir_version = 6
    model = os.path.join(folder, "four.onnx")
    save(made, model)
    picture = os.path.join(folder, "set", "val2017", "000001.png")
    refused(["predict", "--model", model, picture], ["takes 4 channels", "1 or 3", "4x32x32", ".npy"])
    array = os.path.join(folder, "four.npy")
    np.save(array, np.zeros((4, 32, 32), np.float32))
    done = run("predict", "--model", model, array)
    assert done.returncode == 0, done.stderr


with tempfile.TemporaryDirectory() as temporary:
    make_set(temporary)
    check_channels(temporary)
    check_looks(temporary)
    check_models(temporary)
    check_styles(temporary)
