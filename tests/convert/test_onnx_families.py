"""Networks of the known families, from torch's exporter through audit, convert, verify, train and export into ONNX Runtime:
they learn, and no shift changes what they say. Arguments choose families. Skipped without torch, torchvision, onnx, node or npm."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
SOURCE = os.environ["SOURCE_DIR"]
for folder in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", folder))
import torch_networks as networks  # tests/support/torch_networks.py
import torch_transformers as transformers  # tests/support/torch_transformers.py
import exported as ex  # tests/onnxruntime/exported.py
from exported import np

FAMILIES = ["resnet18", "vgg", "squeezenet", "mobilenet_v2", "densenet", "googlenet", "mobilenet_v3", "alexnet", "norms of a sample", "vit", "swin", "convnext"]
SIZE, STRIDE = 64, 32
DATA = f"shapes:size={SIZE},train=160,test=40"
TRANSFORMERS = {"vit": lambda: transformers.vit(SIZE), "swin": transformers.swin, "convnext": transformers.convnext}
SHIFTS = [(0, 1), (1, 0), (3, 5), (17, 31), (63, 2)]


def run(*words, code=0):
    done = subprocess.run([ex.TIPS, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != code:
        raise RuntimeError(f"tips {' '.join(words)}: exit code {done.returncode}, wanted {code}\n{done.stdout}{done.stderr}")
    return done.stdout


def losses(folder):
    """Of every epoch of a run."""
    with open(os.path.join(folder, "log.jsonl")) as file:
        rows = [json.loads(line) for line in file]
    return [row["loss"] for row in rows if "loss" in row]


def invariant(answers):
    return all(ex.agree(answers[i:i + 1], answers[:1]) for i in range(len(answers)))


def pass_through(name, folder):
    start = time.time()
    original, converted, trained, final = (os.path.join(folder, f"{name}{end}") for end in (".onnx", ".safetensors", "", ".final.onnx"))
    model = transformers.draw(TRANSFORMERS[name]()) if name in TRANSFORMERS else networks.draw(networks.NETWORKS[name]())
    networks.export(model, original, networks.torch.randn(2, 3, SIZE, SIZE))
    # The original changes its answer with the shift: the control.
    audit = json.loads(run("audit", original, "--data", DATA, "--limit", "20", "--grid-images", "0", "--shifts", "8", "--require", "exact", "--json", code=3))
    assert not audit["verify"]["exact"] and audit["verify"]["first_breaking_layer"], audit["verify"]
    said = run("convert", original, "--padding", "circular", "-o", converted)
    assert "Exact under circular shifts" in said, said
    run("verify", "--model", converted, "--shifts", "8", "--quiet")
    start_filtered = os.path.join(folder, f"{name}.lpf.safetensors")
    run("convert", original, "--padding", "circular", "--lpf", "3", "-o", start_filtered)
    run("train", "--init", converted, "--data", DATA, "--epochs", "5", "--batch", "16", "--out", trained)
    loss = losses(trained)
    assert len(loss) == 5 and loss[-1] < loss[0], f"the loss does not fall: {loss}"
    last = os.path.join(trained, "last.safetensors")
    run("verify", "--model", last, "--shifts", "8", "--quiet")
    run("export", "--model", last, "-o", final)
    ex.check(final)
    picture = ex.pictures(1, 3, SIZE, SIZE)
    batch = np.concatenate([picture] + [np.roll(picture, shift, (2, 3)) for shift in SHIFTS])
    read, ours = ex.our_logits(original, batch, folder), ex.our_logits(last, batch, folder)
    starts = [converted, start_filtered]
    for path in starts:
        run("export", "--model", path, "-o", path + ".onnx")
    theirs, before, *fresh = ex.runtime_logits([(final, batch), (original, batch)] + [(path + ".onnx", batch) for path in starts], folder)
    for path, answers in zip(starts, fresh):  # nothing hangs on rounding, before any training either
        there = ex.difference(answers, ex.our_logits(path, batch, folder))
        assert there <= ex.LIMIT, f"{os.path.basename(path)}: ONNX Runtime differs by {there:.1e} of the largest logit before training"
        assert invariant(answers), f"{os.path.basename(path)}: a shift changes the answer in ONNX Runtime before training"
    assert ex.agree(read, before), f"the original differs by {ex.difference(read, before):.1e} of the largest logit here"
    assert (ours == ours[0]).all(), "our own answers differ"
    assert ex.agree(theirs, ours), f"ONNX Runtime differs by {ex.difference(theirs, ours):.1e} of the largest logit"
    assert invariant(theirs), "a shift changes the answer in ONNX Runtime"
    assert not invariant(before), "no shift changes the original's answer: the test shows nothing"
    print(f"{name}: {audit['verify']['first_breaking_layer']} breaks the original; loss {loss[0]:.2f} -> {loss[-1]:.2f}, {time.time() - start:.0f} s", flush=True)


def read_published(path):
    """The CIFAR-10 ResNet-20 of the shared folder, where there is one."""
    batch = ex.pictures(8, 3, 32, 32)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = ex.our_logits(path, batch, folder), ex.runtime_logits([(path, batch)], folder)[0]
    print(f"{os.path.basename(path)}: differs from ONNX Runtime by {ex.difference(ours, theirs):.1e} of the largest logit")
    return ex.agree(ours, theirs)


def main():
    ex.need_runtime()
    failed = []
    published = os.path.join(SOURCE, "..", "shared", "data", "models", "resnet20-cifar10.onnx")
    if os.path.exists(published) and not read_published(published):
        failed.append(published)
    few = FAMILIES[::3] if os.environ.get("ASAN_OPTIONS") else FAMILIES  # sanitizers take many times as long
    for name in sys.argv[1:] or few:
        with tempfile.TemporaryDirectory() as folder:
            try:
                pass_through(name, folder)
            except (AssertionError, RuntimeError, subprocess.CalledProcessError) as error:
                failed.append(name)
                print(f"{name}: {error}", flush=True)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


main()
