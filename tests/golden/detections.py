"""Golden numbers of average precision: draws sets of objects and detections, and has pycocotools say what they come to.

    python3 tests/golden/detections.py --coco DIR            # writes average_precision.json
    python3 tests/golden/detections.py --coco DIR --sample ANNOTATIONS   # prints the numbers of synthetic() on a COCO file

DIR holds pycocotools/cocoeval.py of cocodataset/cocoapi with `np.float` replaced by `float`, which newer NumPys want;
overlaps and areas, which that package has in C, are NumPy's here. VOC's numbers are computed below, detection by detection.
"""
import argparse
import collections
import contextlib
import io
import json
import os
import random
import sys
import types

FIGURES = ["ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large", "ar1", "ar10", "ar100", "ar_small", "ar_medium",
           "ar_large"]


def iou_matrix(detections, objects, crowd):
    import numpy as np
    out = np.zeros((len(detections), len(objects)))
    for i, d in enumerate(detections):
        for k, g in enumerate(objects):
            w = min(d[2] + d[0], g[2] + g[0]) - max(d[0], g[0])
            h = min(d[3] + d[1], g[3] + g[1]) - max(d[1], g[1])
            if w > 0 and h > 0:
                out[i, k] = w * h / (d[2] * d[3] if crowd[k] else d[2] * d[3] + g[2] * g[3] - w * h)
    return out if len(detections) and len(objects) else []


class Coco:
    """What cocoeval asks of pycocotools.coco.COCO."""

    def __init__(self, pictures, categories, annotations):
        self.pictures, self.categories, self.annotations = pictures, categories, annotations

    def getImgIds(self):
        return list(self.pictures)

    def getCatIds(self):
        return list(self.categories)

    def getAnnIds(self, imgIds, catIds):
        return [i for i, a in enumerate(self.annotations) if a["image_id"] in imgIds and a["category_id"] in catIds]

    def loadAnns(self, ids):
        return [self.annotations[i] for i in ids]


def coco_figures(folder, pictures, categories, annotations, results):
    sys.path.insert(0, folder)
    package = types.ModuleType("pycocotools")
    package.__path__ = [os.path.join(folder, "pycocotools")]
    mask = types.ModuleType("pycocotools.mask")
    mask.iou = iou_matrix
    package.mask = mask
    sys.modules["pycocotools"], sys.modules["pycocotools.mask"] = package, mask
    from pycocotools.cocoeval import COCOeval
    truth = Coco(pictures, categories, [dict(a) for a in annotations])
    found = Coco(pictures, categories, [dict(r, id=i + 1, area=r["bbox"][2] * r["bbox"][3], iscrowd=0)
                                        for i, r in enumerate(results)])
    with contextlib.redirect_stdout(io.StringIO()):
        run = COCOeval(truth, found, "bbox")
        run.evaluate()
        run.accumulate()
        run.summarize()
    per_class = []
    for k in range(len(run.params.catIds)):
        values = run.eval["precision"][:, :, k, 0, 2]
        per_class.append(float(values.mean()) if values.min() > -1 else None)
    return {n: None if v == -1 else float(v) for n, v in zip(FIGURES, run.stats)}, per_class


def voc_figures(categories, annotations, results):
    """As the development kit does it, one detection after the other."""
    area, eleven = [], []
    for category in categories:
        truth = collections.defaultdict(list)
        for a in annotations:
            if a["category_id"] == category:
                truth[a["image_id"]].append({"box": a["bbox"], "difficult": bool(a["iscrowd"]), "seen": False})
        n = sum(not t["difficult"] for boxes in truth.values() for t in boxes)
        if n == 0:
            continue
        found = [r for r in results if r["category_id"] == category]
        order = {p: i for i, p in enumerate(sorted({r["image_id"] for r in results}))}
        found.sort(key=lambda r: (-r["score"], order[r["image_id"]]))
        curve, hits, misses = [], 0, 0
        for r in found:
            here = truth[r["image_id"]]
            overlaps = [iou_matrix([r["bbox"]], [t["box"]], [t["difficult"]])[0][0] for t in here]
            best = max(range(len(here)), key=lambda i: overlaps[i]) if here else None
            if best is not None and overlaps[best] >= 0.5:
                if here[best]["difficult"]:
                    continue
                if here[best]["seen"]:
                    misses += 1
                else:
                    hits += 1
                here[best]["seen"] = True
            else:
                misses += 1
            curve.append((hits / n, hits / (hits + misses)))
        eleven.append(sum(max([p for r, p in curve if r >= i / 10], default=0) for i in range(11)) / 11)
        total, before = 0, 0
        for i, (r, _) in enumerate(curve):
            total += (r - before) * max(p for _, p in curve[i:])
            before = r
        area.append(total)
    mean = lambda v: sum(v) / len(v) if v else None
    return {"voc_ap": mean(area), "voc07_ap": mean(eleven)}


def draw_set(seed, pictures, classes, whole=False, crowds=0.1, many=0, ties=0.3, size=200, empty=()):
    """Objects and detections near them, others anywhere, scores that tie."""
    rng = random.Random(seed)
    place = (lambda v: float(int(v))) if whole else (lambda v: round(v, 2))
    draw_score = lambda: rng.choice([0.25, 0.5, 0.75]) if rng.random() < ties else round(rng.random(), 4)
    objects, results = [], []
    for p in range(pictures):
        for _ in range(rng.randint(0, 9)):
            w, h = size * rng.random() ** 2 + 2, size * rng.random() ** 2 + 2
            box = [place(rng.random() * size), place(rng.random() * size), place(w), place(h)]
            label = rng.randrange(classes)
            crowd = int(rng.random() < crowds)
            area = round(box[2] * box[3] * rng.uniform(0.5, 1), 3)
            if label not in empty:
                objects.append({"image_id": p, "category_id": label, "bbox": box, "area": area, "iscrowd": crowd})
            for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
                reach = rng.choice([0, 0.03, 0.1, 0.3])
                near = [place(max(0, v + rng.uniform(-reach, reach) * s)) for v, s in zip(box, (w, h, w, h))]
                other = rng.randrange(classes) if rng.random() < 0.1 else label
                results.append({"image_id": p, "category_id": other, "bbox": near, "score": draw_score()})
        for _ in range(rng.randint(0, 5) + (many if p == 0 else 0)):
            results.append({"image_id": p, "category_id": 0 if many and p == 0 else rng.randrange(classes),
                            "bbox": [place(rng.random() * size), place(rng.random() * size),
                                     place(1 + rng.random() * size), place(1 + rng.random() * size)],
                            "score": draw_score()})
    for i, o in enumerate(objects):
        o["id"] = i + 1
    return list(range(pictures)), list(range(classes)), objects, results


class Lcg:
    """Numbers that are the same everywhere and in every Python."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (self.state >> 33) / 2 ** 31


def synthetic(data, seed=1):
    """Detections for a COCO file: its objects moved a little, some twice, some of another class, and boxes anywhere."""
    draw = Lcg(seed)
    categories = [c["id"] for c in data["categories"]]
    results = []
    for a in data["annotations"]:
        for _ in range(int(draw() * 3)):
            reach = 0.4 * draw() ** 2
            x, y, w, h = (v + reach * (draw() - 0.5) * s for v, s in zip(a["bbox"], 2 * a["bbox"][2:]))
            category = categories[int(draw() * len(categories))] if draw() < 0.1 else a["category_id"]
            score = round(draw(), 2) if draw() < 0.5 else draw()
            results.append({"image_id": a["image_id"], "category_id": category, "bbox": [x, y, w, h], "score": score})
    for n, image in enumerate(data["images"]):
        for _ in range(int(draw() * 12) + (130 if n == 0 else 0)):
            w, h = draw() * image["width"] / 2 + 1, draw() * image["height"] / 2 + 1
            category = categories[0] if n == 0 else categories[int(draw() * len(categories))]
            results.append({"image_id": image["id"], "category_id": category,
                            "bbox": [draw() * image["width"] / 2, draw() * image["height"] / 2, w, h],
                            "score": round(draw(), 2)})
    return results


def flat(objects, results):
    return {"objects": [[o["image_id"], o["category_id"], *o["bbox"], o["area"], o["iscrowd"]] for o in objects],
            "detections": [[r["image_id"], r["category_id"], *r["bbox"], r["score"]] for r in results]}


CASES = {
    "decimals": dict(seed=1, pictures=14, classes=4),
    "whole numbers, so that overlaps tie": dict(seed=2, pictures=14, classes=3, whole=True, ties=0.8, size=60),
    "more than 100 of a class on a picture": dict(seed=3, pictures=4, classes=2, many=180, size=120),
    "crowds": dict(seed=4, pictures=12, classes=3, crowds=0.5, whole=True, size=40),
    "classes without objects": dict(seed=5, pictures=8, classes=6, empty=(0, 4)),
    "one picture": dict(seed=7, pictures=1, classes=2, size=80),
    "nothing to find": dict(seed=8, pictures=3, classes=1, empty=(0,)),
    "one class": dict(seed=9, pictures=25, classes=1, size=100, ties=0),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coco", required=True)
    parser.add_argument("--sample")
    args = parser.parse_args()
    if args.sample:
        data = json.load(open(args.sample))
        pictures, categories = [i["id"] for i in data["images"]], [c["id"] for c in data["categories"]]
        results = synthetic(data)
        figures, _ = coco_figures(args.coco, pictures, categories, data["annotations"], results)
        figures.update(voc_figures(categories, data["annotations"], results))
        print(json.dumps(figures, indent=1))
        return
    cases = []
    for name, how in CASES.items():
        pictures, categories, objects, results = draw_set(**how)
        figures, per_class = coco_figures(args.coco, pictures, categories, objects, results)
        figures.update(voc_figures(categories, objects, results))
        cases.append({"name": name, "pictures": len(pictures), "classes": len(categories), **flat(objects, results),
                      "figures": figures, "per_class": per_class})
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "average_precision.json"), "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main()
