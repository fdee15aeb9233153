"""tips eval --detections against pycocotools' numbers on files that Python wrote; what it refuses."""
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["SOURCE_DIR"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tests", "golden"))
import detections as golden  # noqa: E402

# Of golden.synthetic() on COCO's sample: python3 tests/golden/detections.py --coco DIR --sample FILE
SAMPLE = {
    "ap": 0.2996819392130223, "ap50": 0.39607605489005343, "ap75": 0.31230979363611444,
    "ap_small": 0.45651979168408985, "ap_medium": 0.3504607443493368, "ap_large": 0.36254411056323654,
    "ar1": 0.4102804728226072, "ar10": 0.5681951702274447, "ar100": 0.5740213258883043,
    "ar_small": 0.5344302614951592, "ar_medium": 0.5165962000962001, "ar_large": 0.59734219269103,
    "voc_ap": 0.384577939187799, "voc07_ap": 0.3900584840269615,
}


def tips(*words):
    run = subprocess.run([os.environ["TIPS"], "eval", *words], capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def compare(what, got, want):
    for name, value in want.items():
        given = got[name]["value"] if isinstance(got[name], dict) else got[name]
        assert (given is None) == (value is None), (what, name, given, value)
        assert value is None or abs(given / 100 - value) <= 1e-9, (what, name, given, value)


def annotations_of(case):
    """Ids that are neither from 0 on nor in order."""
    return {"images": [{"id": 1000 + 3 * i, "file_name": f"{i}.jpg", "width": 400, "height": 400}
                       for i in reversed(range(case["pictures"]))],
            "annotations": [{"id": i + 1, "image_id": 1000 + 3 * o[0], "category_id": 7 + 2 * o[1], "bbox": o[2:6],
                             "area": o[6], "iscrowd": o[7], "segmentation": [[1, 2, 3]]}
                            for i, o in enumerate(case["objects"])],
            "categories": [{"id": 7 + 2 * c, "name": f"thing {c}"} for c in range(case["classes"])]}


def results_of(case):
    return [{"score": d[6], "category_id": 7 + 2 * d[1], "image_id": 1000 + 3 * d[0], "bbox": d[2:6], "area": 1}
            for d in case["detections"]]


def save(folder, name, value):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(value) if isinstance(value, str) else json.dump(value, file)
    return path


def check_cases(folder):
    with open(os.path.join(SOURCE, "tests", "golden", "average_precision.json")) as file:
        cases = json.load(file)
    for case in cases:
        truth, results = save(folder, "truth.json", annotations_of(case)), save(folder, "results.json", results_of(case))
        code, out, err = tips("--detections", results, "--data", truth, "--json")
        assert code == 0, err
        got = json.loads(out)
        compare(case["name"], got, case["figures"])
        assert got["images"] == case["pictures"] and got["boxes"] == len(case["detections"]), got
        assert [c["name"] for c in got["per_class"]] == [f"thing {c}" for c in range(case["classes"])]
        for c, value in zip(got["per_class"], case["per_class"]):
            compare(case["name"], {"ap": c["ap"]}, {"ap": value})
    return cases


def check_remarks(folder, case):
    truth = annotations_of(case)
    truth["annotations"][0]["id"] = 0
    results = results_of(case) + [{"image_id": 1000, "category_id": 5, "bbox": [1, 2, 3, 4], "score": 1}]
    code, out, err = tips("--detections", save(folder, "r.json", results), "--data", save(folder, "t.json", truth))
    assert code == 0, err
    assert "id 0" in out and "1 detections are of categories" in out and "AP at IoU 0.5" in out, out


def check_refusals(folder, case):
    truth = save(folder, "truth.json", annotations_of(case))
    good = {"image_id": 1000, "category_id": 7, "bbox": [1, 2, 3, 4], "score": 0.5}
    for text, words in [
            ([dict(good, image_id=3)], ["result 1", "id 3"]),
            ([good, dict(good, bbox=[1, 2, 3])], ["result 2", "bbox", "four numbers"]),
            ([dict(good, bbox=[1, 2, -3, 4])], ["result 1", "bbox"]),
            ([dict(good, bbox="x")], ["result 1", "bbox"]),
            ([dict(good, score="0.5")], ["result 1", "score", "a number"]),
            ([dict(good, image_id=1.5)], ["image_id", "a whole number"]),
            ([{k: v for k, v in good.items() if k != "score"}], ["result 1", "no score"]),
            ([good, 7], ["result 2", "not an object"]),
            ({"images": []}, ["not a list"]),
            ('[{"image_id": 1000, ', ["r.json"]),
    ]:
        code, _, err = tips("--detections", save(folder, "r.json", text), "--data", truth)
        assert code == 1 and all(w in err for w in words + ["r.json"]), (text, err)
    results = save(folder, "r.json", [good])
    code, _, err = tips("--detections", results, "--data", truth, "--pool", "max")
    assert code == 2 and "--pool" in err, err
    code, _, err = tips("--detections", results, "--data", truth, "--out", results)
    assert code != 0 and json.load(open(results)) == [good], err
    code, _, err = tips("--detections", results)
    assert code == 2 and "--data" in err, err
    code, out, err = tips("--detections", save(folder, "none.json", []), "--data", truth, "--json", "--out",
                          os.path.join(folder, "out.json"))
    ap = json.loads(out)["ap"]
    assert code == 0 and ap["value"] == ap["low"] == 0 < ap["high"], (out, err)
    assert json.load(open(os.path.join(folder, "out.json")))["boxes"] == 0


def check_sample(folder):
    sample = os.path.join(SOURCE, "..", "shared", "data", "coco-sample")
    annotations = os.path.join(sample, "annotations", "instances_val2017.json")
    if not os.path.exists(annotations):
        print("no sample of COCO here: left out")
        return
    with open(annotations) as file:
        results = save(folder, "sample.json", golden.synthetic(json.load(file)))
    for data in annotations, "coco:" + sample:
        code, out, err = tips("--detections", results, "--data", data, "--json")
        assert code == 0, err
        compare(data, json.loads(out), SAMPLE)


with tempfile.TemporaryDirectory() as temporary:
    first = check_cases(temporary)[0]
    check_remarks(temporary, first)
    check_refusals(temporary, first)
    check_sample(temporary)
