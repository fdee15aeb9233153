"""What the tests of exported networks share: models with drawn weights, their files, and ONNX Runtime's answers."""
import json
import os
import re
import subprocess
import sys

os.environ["OMP_NUM_THREADS"] = "1"  # the networks are small
TIPS, SOURCE, BUILD = os.environ["TIPS"], os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
HERE, RUNTIME = os.path.join(SOURCE, "tests", "onnxruntime"), os.path.join(BUILD, "onnxruntime")
LIMIT = 1e-4  # of the largest logit

sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
import peers  # tests/support/peers.py

peers.need("numpy", "onnx")
import numpy as np
import onnx

CHECKED_OPSET = onnx.defs.onnx_opset_version()


def need_onnx():
    sample = os.path.join(SOURCE, "tests", "fuzz", "corpus", "onnx", "se.onnx")
    said = subprocess.run([TIPS, "info", sample], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    if "without ONNX" in said:
        peers.lack("this build does not read ONNX")


def need_runtime():
    need_onnx()
    installed = subprocess.run(["sh", os.path.join(HERE, "install.sh"), RUNTIME], check=False)
    if installed.returncode:
        sys.exit(installed.returncode)


def tips(*words):
    return subprocess.run([TIPS, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def drawn(name, shape, random):
    """Numbers for one parameter; norms get statistics of their own, so that folding them matters."""
    if name.endswith("running_var"):
        return random.uniform(0.5, 2, shape)
    if name.endswith("running_mean"):
        return random.normal(0, 0.2, shape)
    if len(shape) == 1:
        return random.uniform(0.6, 1.4, shape) if name.endswith("weight") else random.normal(0, 0.2, shape)
    return random.normal(0, (2 / np.prod(shape[1:])) ** 0.5, shape)


def draw_weights(path, seed):
    """Other weights for a .safetensors file, in place."""
    random = np.random.RandomState(seed)
    with open(path, "r+b") as file:
        size = int.from_bytes(file.read(8), "little")
        text = file.read(size)
        header = json.loads(text)
        for key in (rb'"tips\.xxh64":"[0-9a-f]*",', rb',"tips\.summed":"xxh64"'):  # a file without a checksum
            text = re.sub(key, lambda found: b" " * len(found[0]), text)
        file.seek(8)
        file.write(text)
        for name, tensor in sorted(header.items()):
            if name != "__metadata__" and tensor["dtype"] == "F32":
                file.seek(8 + size + tensor["data_offsets"][0])
                file.write(drawn(name, tensor["shape"], random).astype("<f4").tobytes())


def make_model(path, options, seed=1):
    tips("init", *options, "--out", path)
    draw_weights(path, seed)


def pictures(count, channels, height, width, seed=7):
    return np.random.RandomState(seed).normal(0, 1, (count, channels, height, width)).astype(np.float32)


def our_logits(model, batch, folder):
    given, answer = os.path.join(folder, "given.npy"), os.path.join(folder, "ours.npy")
    np.save(given, batch)
    tips("predict", "--model", model, given, "--logits", answer)
    return np.load(answer)


def our_maps(model, batch, folder, *output):
    """Logits of every pixel."""
    given, answer = os.path.join(folder, "given.npy"), os.path.join(folder, "ours.npy")
    np.save(given, batch)
    subprocess.run([os.path.join(BUILD, "tests", "model_maps"), model, given, answer, *output], check=True)
    return np.load(answer)


def runtime_logits(jobs, folder):
    """Answers to (model, batch) pairs, a hundred from each process: with some 340 of them node died."""
    words = []
    for i, (model, batch) in enumerate(jobs):
        given = os.path.join(folder, f"given{i}.npy")
        np.save(given, np.ascontiguousarray(batch))
        words += [model, given, os.path.join(folder, f"answer{i}.npy")]
    for first in range(0, len(words), 300):
        some = words[first:first + 300]
        subprocess.run(["node", os.path.join(HERE, "run.mjs"), *some], check=True, env={**os.environ, "ONNXRUNTIME_FOLDER": RUNTIME})
    return [np.load(answer) for answer in words[2::3]]


def difference(got, want):
    """Of two sets of logits, as a share of the largest."""
    return np.abs(got - want).max() / np.abs(want).max() if got.shape == want.shape else np.inf


def agree(got, want):
    return difference(got, want) <= LIMIT and (got.argmax(1) == want.argmax(1)).all()


def check(path, full=True):
    """onnx's own opinion, where it knows the opset."""
    model = onnx.load(path)
    if model.opset_import[0].version <= CHECKED_OPSET:
        onnx.checker.check_model(model, full_check=full)
    return model


def write_graph_model(path, steps, shapes, size, classes):
    """A network as a list of steps (name, layer, options, inputs), with drawn parameters of the given shapes."""
    graph = {"channels": 3, "classes": classes, "output": len(steps) - 1,
             "steps": [dict(zip(("name", "layer", "options", "in"), step)) for step in steps]}
    metadata = {"tips.arch": "graph", "tips.pool": "stride", "tips.lpf": "0", "tips.padding": "zero", "tips.stem": "cifar",
                "tips.down": "0", "tips.width": "1", "tips.classes": f"{classes}", "tips.channels": "3",
                "tips.size": f"{size[0]}x{size[1]}", "tips.mean": "0.5,0.5,0.5", "tips.std": "0.25,0.25,0.25",
                "tips.version": "0", "tips.graph": json.dumps(graph)}
    header, end = {"__metadata__": metadata}, 0
    for name, shape in shapes.items():
        start, end = end, end + 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + bytes(end))
    draw_weights(path, 5)
