"""How each family of detectors fits pictures, and takes boxes back: by its own published formulas, written here in Python, on a detector that
tells where the picture lies on its input. Skipped without onnx."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE, TIPS = os.environ["SOURCE_DIR"], os.environ["TIPS"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
import peers  # noqa: E402

peers.need("onnx", "numpy")
peers.need_libraries("protobuf-c", "png")
import numpy as np  # noqa: E402
from onnx import helper  # noqa: E402
import detector_maker as maker  # noqa: E402

SCALE, BASE = 2048, 64  # scores are (number + BASE) / SCALE


def telling(path, size, boxes):
    """Scores tell left, top, width and height of what is white on the input."""
    nodes, constants = [], {"threshold": np.float32(0.7), "base": np.float32(BASE), "scale": np.float32(SCALE),
                            "one": np.asarray([1], np.int64)}
    for name, axes in ("x", [0, 1, 2]), ("y", [0, 1, 3]):
        nodes += [helper.make_node("ReduceMax", ["grey"], [name + "most"], axes=axes, keepdims=0),
                  helper.make_node("Greater", [name + "most", "threshold"], [name + "bright"]),
                  helper.make_node("Cast", [name + "bright"], [name + "is"], to=1),
                  helper.make_node("ReduceSum", [name + "is"], [name + "size"], axes=[0], keepdims=1),
                  helper.make_node("ArgMax", [name + "is"], [name + "first64"], axis=0, keepdims=1),
                  helper.make_node("Cast", [name + "first64"], [name + "first"], to=1)]
    nodes += [helper.make_node("Concat", ["xfirst", "yfirst", "xsize", "ysize"], ["numbers"], axis=0),
              helper.make_node("Add", ["numbers", "base"], ["raised"]), helper.make_node("Div", ["raised", "scale"], ["parts"]),
              helper.make_node("Reshape", ["parts", "column"], ["scores"])]
    constants["column"] = np.asarray([4, 1], np.int64)
    maker.boxes_with_scores(path, size, boxes, nodes, constants, "scores")


# Each: (left, top, width, height) of pixels on a square input, and what takes (x1, y1, x2, y2) back.


def torchvision(w, h, size):
    f = np.float32
    r = min(f(size) / f(h), f(size) / f(w))  # its bounds are beyond the input here
    nw, nh = max(int(np.floor(w * float(r))), 1), max(int(np.floor(h * float(r))), 1)
    return (0, 0, nw, nh), lambda b: [b[0] * w / nw, b[1] * h / nh, b[2] * w / nw, b[3] * h / nh]


def yolox(w, h, size):
    r = min(size / h, size / w)
    return (0, 0, max(int(w * r), 1), max(int(h * r), 1)), lambda b: [v / r for v in b]


def letterbox(w, h, size):
    r = min(size / h, size / w)
    nw, nh = int(round(w * r)), int(round(h * r))
    dw, dh = (size - nw) / 2, (size - nh) / 2
    return r, (int(round(dw - 0.1)), int(round(dh - 0.1)), max(nw, 1), max(nh, 1))


def back_by(gain, pad):
    return lambda b: [(b[0] - pad[0]) / gain, (b[1] - pad[1]) / gain, (b[2] - pad[0]) / gain, (b[3] - pad[1]) / gain]


def yolov5(w, h, size):
    gain, pixels = letterbox(w, h, size)
    return pixels, back_by(gain, ((size - w * gain) / 2, (size - h * gain) / 2))


def ultralytics(w, h, size):
    gain, pixels = letterbox(w, h, size)
    return pixels, back_by(gain, (round((size - w * gain) / 2 - 0.1), round((size - h * gain) / 2 - 0.1)))


def nanodet(w, h, size):
    """An affine map about the middles; pixels are nearest to it."""
    gain, pixels = letterbox(w, h, size)
    return pixels, back_by(gain, (size / 2 - gain * w / 2, size / 2 - gain * h / 2))


def stretched(w, h, size):
    return (0, 0, size, size), lambda b: [b[0] * w / size, b[1] * h / size, b[2] * w / size, b[3] * h / size]


FAMILIES = {torchvision: ["--place", "corner"], yolox: ["--place", "corner"], yolov5: [], ultralytics: [], nanodet: []}


def flags_of(rule):
    return ["--stretch", "yes"] if rule is stretched else ["--letterbox", rule.__name__, *FAMILIES[rule]]


def predict(folder, model, pictures, flags):
    results = os.path.join(folder, "found.json")
    run = subprocess.run([TIPS, "predict", "--model", model, "--boxes", "ended:score=0,classes=4", *flags, "--detections", results,
                          *pictures], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    found = {}
    for r in json.load(open(results)):
        found.setdefault(r["image_id"], {})[r["category_id"] - 1] = r
    return found


def expect_picture(rule, w, h, size, boxes, got):
    pixels, back = rule(w, h, size)
    for k, box in enumerate(boxes):
        x1, y1, x2, y2 = back(box)
        x1, x2 = (min(max(x, 0), w) for x in (x1, x2))
        y1, y2 = (min(max(y, 0), h) for y in (y1, y2))
        where = f"{rule.__name__}: {w}x{h} in {size}, box {k}"
        if min(x2 - x1, y2 - y1) < 1e-3:
            continue
        assert k in got, where + " is not there"
        assert np.allclose(got[k]["bbox"], [x1, y1, x2 - x1, y2 - y1], atol=1e-3), (where, got[k]["bbox"], [x1, y1, x2 - x1, y2 - y1])
        told = got[k]["score"] * SCALE - BASE
        assert abs(told - pixels[k]) < 1e-2, (where, "left, top, width, height".split(", ")[k], told, pixels[k])


def check(folder, rules, size, shapes):
    boxes = [[-9, -5, size + 7, size + 5], [0.2 * size, 0.3 * size, 0.7 * size, 0.6 * size], [3, 2, 0.9 * size, 0.95 * size],
             [0.41 * size, 0.43 * size, 0.57 * size, 0.61 * size]]
    boxes = np.asarray(boxes, np.float32).tolist()
    model = os.path.join(folder, f"telling-{size}.onnx")
    telling(model, size, boxes)
    pictures = [os.path.join(folder, f"{i + 1:06}.png") for i in range(len(shapes))]
    for rule in rules:
        found = predict(folder, model, pictures, flags_of(rule))
        for i, (w, h) in enumerate(shapes):
            expect_picture(rule, w, h, size, boxes, found[i + 1])


def main():
    chance = random.Random(5)
    side = lambda: chance.choice([chance.randrange(20, 200), chance.randrange(100, 500), chance.randrange(300, 700)])  # noqa: E731
    shapes = [(480, 640), (640, 480), (640, 427), (427, 640), (500, 375), (612, 612), (640, 426)]
    while len(shapes) < 200:
        w, h = side(), side()
        if max(w, h) <= 4 * min(w, h):
            shapes.append((w, h))
    assert yolox(480, 640, 416)[0] == ultralytics(480, 640, 416)[0][:0] + (0, 0, 312, 416)
    with tempfile.TemporaryDirectory() as folder:
        for i, (w, h) in enumerate(shapes):
            maker.png(os.path.join(folder, f"{i + 1:06}.png"), w, h, 255)
        for size in 320, 416, 640:
            check(folder, [*FAMILIES, stretched], size, shapes)


main()
