"""The networks of `make bench` in PyTorch are ours: the same parameters by name, from the same weights the same logits, and in a training step the same
statistics of norms, or gradients where there are none. Skipped without torchvision."""
import os
import subprocess
import sys
import tempfile

TIPS, SOURCE = os.environ["TIPS"], os.environ["SOURCE_DIR"]
sys.dont_write_bytecode = True
for folder in ("bench", *(os.path.join("tests", name) for name in ("golden", "support", "train"))):
    sys.path.insert(0, os.path.join(SOURCE, folder))
import peers  # tests/support/peers.py

peers.need("numpy", "torch", "torchvision")
import numpy as np
import torch
import torch_families  # bench/torch_families.py
import test_torch_gradients as library  # tests/train/test_torch_gradients.py
from resnet18 import load  # tests/golden/resnet18.py

CASES = [("mobilenet_v2", "stride", "cifar", 3, 32), ("mobilenet_v2", "max", "cifar", 2, 32), ("mobilenet_v2", "stride", "imagenet", 5, 96), ("vit_tiny", "stride", "auto", 0, 32)]
TRAINING = [("mobilenet_v2", "max"), ("vit_tiny", "stride")]
LIMIT = 1e-5  # of the largest logit
STEP_LIMIT = 1e-5  # of the largest number of a tensor


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


def parameters_of(tensors):
    return {name: torch.tensor(values) for name, (values, _) in tensors.items()}


def tensors_differ(ours, theirs):
    """The largest difference of two tensors of a name, of the largest number in them."""
    return max(float((ours[name].double() - want.double()).abs().max() / want.abs().max()) for name, want in theirs.items())


def step_differs(arch, pool):
    """Dropout comes behind all norms, so their statistics do not know of it; a transformer has none. Means behind linear layers alone are 0, so variances are compared."""
    case = {"arch": arch, "pool": pool, "padding": "zero", "size": 32, "width": 0, "seed": 3, "away": False, "n": 4}
    images, labels = library.batch_of(case)
    before, gradients, after = library.our_step(case, images, labels)
    net = torch_families.make(arch, pool, "zero", 3, 32, 10).net
    net.load_state_dict(parameters_of(before), strict=False)
    net.double().train()
    loss = torch.nn.functional.cross_entropy(net(torch.from_numpy(images).double()), torch.from_numpy(labels).long())
    variances = {name: value for name, value in net.named_buffers() if name.endswith("running_var")}
    if variances:
        return tensors_differ(parameters_of(after), variances)
    loss.backward()
    return tensors_differ({name: torch.tensor(value) for name, value in gradients.items()}, {name: value.grad for name, value in net.named_parameters()})


def main():
    good = True
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            differs = logits_differ(*case, folder)
        print(*case, f"differs by {differs:.1e}", flush=True)
        good = good and differs <= LIMIT
    for case in TRAINING:
        differs = step_differs(*case)
        print(*case, f"differs by {differs:.1e} in a training step", flush=True)
        good = good and differs <= STEP_LIMIT
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
