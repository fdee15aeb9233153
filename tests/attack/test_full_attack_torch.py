"""The gradients of every family of networks that torch exports, and attacks on a ResNet-20 that others trained on CIFAR-10, on 200 of its test pictures. The
second is skipped where the shared data are not there."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["SOURCE_DIR"]
HERE, SHARED = os.path.dirname(os.path.abspath(__file__)), os.path.join(SOURCE, "..", "shared", "data")
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", part))
import torch_networks as networks  # tests/support/torch_networks.py
import exported as ex  # tests/onnxruntime/exported.py
from torch_networks import nn, onnx, torch
import foolbox  # tests/support/foolbox.py
import numpy

PICTURES = 200


def resnet20(path):
    """Norms folded, written down again: shortcuts take every other pixel and add channels of zeros."""
    from onnx import numpy_helper
    graph = onnx.load(path).graph
    tensors = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.initializer}
    weights = [[tensors[name] for name in node.input[1:]] for node in graph.node if node.op_type == "Conv"]

    def run(x):
        convs = iter(weights)
        conv = lambda x, stride=1: nn.functional.conv2d(x, *next(convs), stride=stride, padding=1)
        x = torch.relu(conv(x))
        for block in range(9):
            stride = 2 if block in (3, 6) else 1
            y = conv(torch.relu(conv(x, stride)))
            more = (y.size(1) - x.size(1)) // 2
            x = torch.relu(y + nn.functional.pad(x[:, :, ::stride, ::stride], (0, 0, 0, 0, more, more)))
        return nn.functional.linear(x.mean((2, 3)), tensors["linear.weight"], tensors["linear.bias"])

    return run


def real(folder):
    subprocess.run([os.path.join(SHARED, "get-cifar10"), folder], check=True, stdout=subprocess.DEVNULL)
    rows = numpy.fromfile(os.path.join(folder, "cifar-10-batches-bin", "test_batch.bin"), numpy.uint8).reshape(-1, 3073)[:PICTURES]
    pictures, labels = rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0]
    data = os.path.join(folder, "few", "cifar-10-batches-bin")
    foolbox.write_cifar(data, pictures, labels)
    path = os.path.join(SHARED, "models", "resnet20-cifar10.onnx")
    return foolbox.compare("ResNet-20", path, data, resnet20(path), pictures, labels, 1, 0.1)


def main():
    ex.need_onnx()
    ok = subprocess.run([sys.executable, os.path.join(HERE, "test_attack_torch.py"), "all"]).returncode == 0
    if not os.path.exists(os.path.join(SHARED, "get-cifar10")):
        print("there are no shared data: no attack on a trained network")
        sys.exit(0 if ok else 1)
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(0 if real(folder) and ok else 1)


main()
