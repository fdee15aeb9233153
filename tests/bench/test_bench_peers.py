"""The networks of `make bench` in PyTorch are ours: the same parameters by name, and from the same weights the same logits. Skipped without torchvision."""
import os
import subprocess
import sys
import tempfile

TIPS, SOURCE = os.environ["TIPS"], os.environ["SOURCE_DIR"]
sys.dont_write_bytecode = True
for folder in ("bench", os.path.join("tests", "golden"), os.path.join("tests", "support")):
    sys.path.insert(0, os.path.join(SOURCE, folder))
import peers  # tests/support/peers.py

peers.need("numpy", "torch", "torchvision")
import numpy as np
import torch
import torch_families  # bench/torch_families.py
from resnet18 import load  # tests/golden/resnet18.py

CASES = [("mobilenet_v2", "stride", "cifar", 3, 32), ("mobilenet_v2", "max", "cifar", 2, 32), ("mobilenet_v2", "stride", "imagenet", 5, 96), ("vit_tiny", "stride", "auto", 0, 32)]
LIMIT = 1e-5  # of the largest logit


def logits_differ(arch, pool, stem, down, size, folder):
    model, given, logits = (os.path.join(folder, name) for name in ("model.safetensors", "given.npy", "logits.npy"))
    options = ["--arch", arch, "--pool", pool, "--padding", "zero", "--stem", stem, "--down", down, "--size", size]
    subprocess.run([TIPS, "init", *map(str, options), "--out", model], check=True, stdout=subprocess.DEVNULL)
    np.save(given, np.random.default_rng(1).standard_normal((2, 3, size, size), dtype=np.float32))
    subprocess.run([TIPS, "predict", "--model", model, given, "--logits", logits], check=True, stdout=subprocess.DEVNULL)
    net = torch_families.make(arch, pool, "zero", down, size, 10).net
    missing, unexpected = net.load_state_dict(load(model)[0], strict=False)
    assert not unexpected and all(name.endswith("num_batches_tracked") for name in missing), (missing, unexpected)
    with torch.no_grad():
        theirs = net.double().eval()(torch.from_numpy(np.load(given)).double()).numpy()
    return float(np.abs(np.load(logits).reshape(theirs.shape) - theirs).max() / np.abs(theirs).max())


def main():
    good = True
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            differs = logits_differ(*case, folder)
        print(*case, f"differs by {differs:.1e}", flush=True)
        good = good and differs <= LIMIT
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
