"""Gradients by the pixels of networks that torch exported are torch's, and attacks by them do what Foolbox's algorithm does in torch. Skipped without
torch, torchvision and onnx."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", part))
import torch_networks as networks  # tests/support/torch_networks.py
import exported as ex  # tests/onnxruntime/exported.py
from torch_networks import nn, torch
import foolbox  # tests/support/foolbox.py
import numpy

LIMIT = 1e-4  # of the largest gradient
QUICK = ["resnet18", "mobilenet_v2", "shufflenet"]


def gradients(name, folder, size=64):
    path, files = os.path.join(folder, "model.onnx"), [os.path.join(folder, f) for f in ("in.npy", "labels.npy", "out.npy")]
    model = networks.draw(networks.NETWORKS[name]()).eval()
    # Smooth networks would do without: at a kink of a ReLU or a tie of a maximum either slope is right, and drawn numbers avoid both.
    pictures = torch.rand(2, 3, size, size)
    networks.export(model, path, pictures, 17 if name == "layer norm" else 13, False, (0,))
    labels = torch.tensor([3, 7])
    first = lambda x: (lambda y: y[0] if isinstance(y, tuple) else y)(model(x))
    want = foolbox.gradient(first, pictures, labels).numpy()
    numpy.save(files[0], pictures.numpy())
    numpy.save(files[1], labels.numpy().astype(numpy.float32))
    done = subprocess.run([os.path.join(BUILD, "tests", "attack_gradient"), path, *files], capture_output=True, text=True)
    if done.returncode:
        print(f"{name}: {done.stderr.strip()}")
        return False
    error = abs(numpy.load(files[2]) - want).max() / abs(want).max()
    print(f"{name}: gradients differ by {error:.1e} of the largest")
    return bool(error <= LIMIT)


def tiny_network(folder):
    """A network that is right about all of its pictures: the labels are its answers."""
    torch.manual_seed(3)
    model = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                          nn.Linear(32 * 16, 10)).eval()
    path = os.path.join(folder, "tiny.onnx")
    noise = nn.functional.interpolate(torch.rand(200, 3, 8, 8), size=32, mode="bilinear", align_corners=False)
    pictures = (255 * (0.7 * noise + 0.3 * torch.rand(200, 3, 32, 32))).byte().numpy()
    with torch.no_grad():
        logits = model((torch.from_numpy(pictures).float() / 255 - foolbox.MEAN) / foolbox.STD)
        model[-1].bias -= logits.mean(0)  # not one answer to all
    networks.export(model, path, torch.rand(1, 3, 32, 32), 13, False, (0,))
    with torch.no_grad():
        labels = model((torch.from_numpy(pictures).float() / 255 - foolbox.MEAN) / foolbox.STD).argmax(1).numpy()
    data = os.path.join(folder, "cifar-10-batches-bin")
    foolbox.write_cifar(data, pictures, labels)
    return foolbox.compare("a tiny network", path, data, model, pictures, labels, 0.1, 0.02)


def main():
    ex.need_onnx()
    names = QUICK if sys.argv[1:] == [] else [name for name in networks.NETWORKS if name != "fixed batch"] if sys.argv[1:] == ["all"] else sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        results = [gradients(name, folder) for name in names]
        results.append(tiny_network(folder))
    sys.exit(0 if all(results) else 1)


main()
