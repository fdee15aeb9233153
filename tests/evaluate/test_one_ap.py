"""Average precision is one: audit of a detector, eval of it, and eval of what predict saved, all of them COCO's, written here once more in
numpy, crowds, areas and numbers of detections included. Skipped without onnx."""
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

SIZE, CLASSES, BOXES, PICTURES = 96, 3, 60, 14
KEYS = "ap ap50 ap75 ap_small ap_medium ap_large ar1 ar10 ar100 ar_small ar_medium ar_large".split()
RANGES = {"all": (0, 1e10), "small": (0, 32 ** 2), "medium": (32 ** 2, 96 ** 2), "large": (96 ** 2, 1e10)}


def make_detector(path, chance):
    """Boxes that drift with the brightness of the picture, some far over its border; scores too."""
    boxes = []
    for _ in range(BOXES):
        w, h = chance.choice([(6, 9), (20, 30), (50, 40), (80, 90)])
        x, y = chance.uniform(-w / 2, SIZE - w / 2), chance.uniform(-h / 2, SIZE - h / 2)
        boxes.append([x, y, x + w, y + h])
    rows = np.asarray(boxes, np.float32)
    scores = np.asarray([[chance.uniform(0.05, 0.9)] for _ in boxes], np.float32)
    drift = np.asarray([[chance.uniform(-9, 9)] * 2 + [chance.uniform(-9, 9)] * 2 for _ in boxes], np.float32)
    tilt = np.asarray([[chance.uniform(-0.04, 0.09)] for _ in boxes], np.float32)
    labels = np.asarray([[i % CLASSES] for i in range(BOXES)], np.float32)
    node = helper.make_node
    nodes = [node("ReduceMean", ["grey"], ["bright"], axes=[0, 1, 2, 3], keepdims=0), node("Mul", ["drift", "bright"], ["by"]),
             node("Add", ["rows0", "by"], ["rows1"]), node("Mul", ["tilt", "bright"], ["more"]), node("Add", ["scores0", "more"], ["scores"]),
             node("Concat", ["rows1", "scores", "labels"], ["table"], axis=1), node("Reshape", ["table", "all"], ["found"])]
    maker.save(path, nodes, {"rows0": rows, "scores0": scores, "drift": drift, "tilt": tilt, "labels": labels,
                             "all": np.asarray([1, BOXES, 6], np.int64)}, SIZE, [("found", [1, BOXES, 6])])


def run(*words):
    done = subprocess.run([TIPS, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def annotate(chance, shapes, found):
    """Truth near what was found, with masks of other areas than the boxes, crowds, and things that nobody found."""
    annotations = []
    for r in found:
        w, h = shapes[r["image_id"] - 1]
        if chance.random() < 0.8:
            continue
        x, y, bw, bh = r["bbox"]
        x, y = max(x + chance.gauss(0, 0.06) * bw, 0), max(y + chance.gauss(0, 0.06) * bh, 0)
        bw, bh = min(bw, w - x), min(bh, h - y)
        if bw > 1 and bh > 1:
            annotations.append([r["image_id"], r["category_id"], x, y, bw, bh])
    for i, (w, h) in enumerate(shapes):
        annotations.append([i + 1, chance.randrange(CLASSES) + 1, 0.1 * w, 0.2 * h, 0.3 * w, 0.3 * h])
    return [{"id": k + 1, "image_id": a[0], "category_id": a[1], "bbox": [round(v, 2) for v in a[2:]], "iscrowd": int(chance.random() < 0.1),
             "area": round(a[4] * a[5] * chance.uniform(0.3, 1), 2)} for k, a in enumerate(annotations)]


def overlap(d, g, crowd):
    w = min(d[0] + d[2], g[0] + g[2]) - max(d[0], g[0])
    h = min(d[1] + d[3], g[1] + g[3]) - max(d[1], g[1])
    if w <= 0 or h <= 0:
        return 0
    return w * h / (d[2] * d[3] if crowd else d[2] * d[3] + g[2] * g[3] - w * h)


def evaluate_picture(dts, gts, low, high, threshold, most):
    """For each detection: score, whether it is a hit, whether it is ignored; and how many truths count."""
    gts = sorted(gts, key=lambda g: g["iscrowd"] or not low <= g["area"] <= high)
    skip = [bool(g["iscrowd"]) or not low <= g["area"] <= high for g in gts]
    dts = sorted(dts, key=lambda d: -d["score"])[:most]
    taken, out = [False] * len(gts), []
    for d in dts:
        best, chosen = min(threshold, 1 - 1e-10), -1
        for k, g in enumerate(gts):
            if taken[k] and not g["iscrowd"]:
                continue
            if chosen >= 0 and not skip[chosen] and skip[k]:
                break
            iou = overlap(d["bbox"], g["bbox"], g["iscrowd"])
            if iou >= best:
                best, chosen = iou, k
        if chosen >= 0:
            taken[chosen] = True
            out.append((d["score"], True, skip[chosen]))
        else:
            area = d["bbox"][2] * d["bbox"][3]
            out.append((d["score"], False, not low <= area <= high))
    return out, skip.count(False)


def curve(pictures, category, low, high, threshold, most, dts, gts):
    rows, positives = [], 0
    for p in pictures:
        more, count = evaluate_picture(dts.get((p, category), []), gts.get((p, category), []), low, high, threshold, most)
        rows += more
        positives += count
    if positives == 0:
        return None
    rows.sort(key=lambda r: -r[0])
    hit = np.cumsum([r[1] and not r[2] for r in rows if not r[2]])
    miss = np.cumsum([not r[1] for r in rows if not r[2]])
    if len(hit) == 0:
        return 0.0, 0.0
    recall, precision = hit / positives, hit / (hit + miss + np.spacing(1))
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    at = np.searchsorted(recall, np.linspace(0, 1, 101), side="left")
    return float(np.mean([precision[i] if i < len(precision) else 0 for i in at])), float(recall[-1])


def coco(annotations, found):
    dts, gts = {}, {}
    for d in found:
        dts.setdefault((d["image_id"], d["category_id"]), []).append(d)
    for g in annotations:
        gts.setdefault((g["image_id"], g["category_id"]), []).append(g)

    def mean(which, area, most, thresholds):
        values = [curve(range(1, PICTURES + 1), c + 1, *RANGES[area], t, most, dts, gts) for c in range(CLASSES) for t in thresholds]
        values = [v[which] for v in values if v is not None]
        return 100 * sum(values) / len(values) if values else None

    every = np.linspace(0.5, 0.95, 10)
    precision, recall = 0, 1
    return dict(zip(KEYS, [mean(precision, "all", 100, every), mean(precision, "all", 100, [0.5]), mean(precision, "all", 100, [0.75]),
                           *(mean(precision, a, 100, every) for a in ("small", "medium", "large")),
                           *(mean(recall, "all", most, every) for most in (1, 10, 100)),
                           *(mean(recall, a, 100, every) for a in ("small", "medium", "large"))]))


def figures_in(node):
    """The object that has the figures."""
    if isinstance(node, dict) and "ap_small" in node:
        return node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        found = figures_in(child)
        if found:
            return found
    return None


def value(figures, key):
    return figures[key]["value"] if isinstance(figures[key], dict) else figures[key]


def expect_same(what, figures, want):
    for key in KEYS:
        got = value(figures, key)
        assert (got is None) == (want[key] is None) and (got is None or abs(got - want[key]) < 1e-4), (what, key, got, want[key])


def check(folder, name, flags, chance):
    root = os.path.join(folder, name)
    os.makedirs(os.path.join(root, "val2017"))
    os.makedirs(os.path.join(root, "annotations"))
    side = lambda: chance.choice([chance.randrange(30, 130), chance.randrange(100, 400)])  # noqa: E731
    shapes = [(side(), side()) for _ in range(PICTURES)]
    pictures = [os.path.join(root, "val2017", f"{i + 1:06}.png") for i in range(PICTURES)]
    for path, (w, h) in zip(pictures, shapes):
        maker.png(path, w, h, chance.randrange(256))
    model, results = os.path.join(root, "detector.onnx"), os.path.join(root, "found.json")
    make_detector(model, chance)
    boxes = ["--boxes", f"ended:classes={CLASSES}", *flags]
    run("predict", "--model", model, *boxes, "--detections", results, *pictures)
    found = json.load(open(results))
    for r in found:
        w, h = shapes[r["image_id"] - 1]
        x, y, bw, bh = r["bbox"]
        assert x >= 0 and y >= 0 and x + bw <= w + 1e-9 and y + bh <= h + 1e-9, (r, w, h)
    truth = {"images": [{"id": i + 1, "file_name": os.path.basename(pictures[i]), "width": w, "height": h} for i, (w, h) in enumerate(shapes)],
             "categories": [{"id": c + 1, "name": f"thing {c}"} for c in range(CLASSES)], "annotations": annotate(chance, shapes, found)}
    path = os.path.join(root, "annotations", "instances_val2017.json")
    json.dump(truth, open(path, "w"))
    want = coco(truth["annotations"], found)
    assert 5 < want["ap"] < 95 and want["ap_small"] is not None and want["ap_large"] is not None, want
    expect_same(name + ", saved", json.loads(run("eval", "--detections", results, "--data", path, "--json")), want)
    quick = ["--set-shifts", "3", "--grid-images", "0", "--pairs", "1", "--no-msb", "--quiet", "--json"]
    for command in (["audit", model, "--shifts", "none"], ["eval", "--model", model]):
        figures = figures_in(json.loads(run(*command, *boxes, "--data", root, *quick)))
        expect_same(f"{name}, {command[0]}", figures, want)
        for kind in "", "circular_":
            assert value(figures, kind + "worst_ap") <= value(figures, "ap") <= value(figures, kind + "best_ap"), (name, kind)


def main():
    chance = random.Random(3)
    with tempfile.TemporaryDirectory() as folder:
        check(folder, "centred", [], chance)
        check(folder, "corner", ["--letterbox", "yolox", "--place", "corner", "--pad", "black"], chance)
        check(folder, "stretched", ["--stretch", "yes"], chance)


main()
