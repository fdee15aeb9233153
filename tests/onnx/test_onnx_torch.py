"""Networks that torch exports to ONNX give the same logits here, whatever family they are of. Skipped without torch, torchvision and onnx."""
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
from torch_networks import nn, onnx, torch
import numpy

LIMIT = 1e-4  # of the largest logit


def ours(path, pictures, folder):
    files = [os.path.join(folder, name) for name in ("in.npy", "out.npy")]
    numpy.save(files[0], pictures)
    done = subprocess.run([os.path.join(BUILD, "tests", "onnx_logits"), path, *files], capture_output=True, text=True)
    if done.returncode:
        print(done.stderr.strip())
        return None
    return numpy.load(files[1])


def compare(title, got, want):
    if got is None:
        print(f"{title}: not read")
        return False
    error = abs(got - want).max() / abs(want).max()
    print(f"{title}: differs by {error:.1e} of the largest logit")
    return got.shape == want.shape and error <= LIMIT and (got.argmax(1) == want.argmax(1)).all()


def exported(name, folder, opset=13, keep=False, open_axes=(0,)):
    model, path = networks.draw(networks.NETWORKS[name]()), os.path.join(folder, "model.onnx")
    pictures = torch.randn(4 if name == "fixed batch" else 2 if open_axes else 1, 3, 64, 64)
    networks.export(model, path, pictures, opset, keep, open_axes)
    with torch.no_grad():
        want = model(pictures)
    want = (want[0] if isinstance(want, tuple) else want).numpy()
    title = f"{name}, opset {opset}{', norms kept' if keep else ''}{', any size' if 2 in open_axes else ''}"
    return compare(title, ours(path, pictures.numpy(), folder), want)


def resnet20(path, x):
    """The CIFAR-10 ResNet-20 of the shared folder, norms folded, written down again: shortcuts take every other pixel and add channels of zeros."""
    from onnx import numpy_helper
    graph = onnx.load(path).graph
    tensors = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.initializer}
    convs = iter([[tensors[name] for name in node.input[1:]] for node in graph.node if node.op_type == "Conv"])
    conv = lambda x, stride=1: nn.functional.conv2d(x, *next(convs), stride=stride, padding=1)
    x = torch.relu(conv(x))
    for block in range(9):
        stride = 2 if block in (3, 6) else 1
        y = conv(torch.relu(conv(x, stride)))
        more = (y.size(1) - x.size(1)) // 2
        x = torch.relu(y + nn.functional.pad(x[:, :, ::stride, ::stride], (0, 0, 0, 0, more, more)))
    return nn.functional.linear(x.mean((2, 3)), tensors["linear.weight"], tensors["linear.bias"])


def from_file(path, folder):
    pictures = torch.randn(2, 3, 32, 32)
    return compare(os.path.basename(path), ours(path, pictures.numpy(), folder), resnet20(path, pictures).numpy())


def main():
    ex.need_onnx()
    wanted = sys.argv[1:] or list(networks.NETWORKS)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            opset = 17 if name == "layer norm" else 13  # before, it is written as arithmetic
            results.append(exported(name, folder, opset, open_axes=() if name == "fixed batch" else (0,)))
            if name in ("resnet18", "mobilenet_v2", "shufflenet"):
                results.append(exported(name, folder, 16, keep=True, open_axes=(0, 2, 3)))
                results.append(exported(name, folder, 9, open_axes=()))
        shared = os.path.join(SOURCE, "..", "shared", "data", "models", "resnet20-cifar10.onnx")
        if os.path.exists(shared) and len(sys.argv) == 1:
            results.append(from_file(shared, folder))
    sys.exit(0 if all(results) else 1)


main()
