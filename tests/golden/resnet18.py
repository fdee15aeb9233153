"""Writes torchvision_resnet18.safetensors beside this file: a ResNet-18 of torchvision's blocks, 4 channels wide, and the logits it computes.

    python3 tests/golden/resnet18.py            # writes it
    python3 tests/golden/resnet18.py --check    # recomputes the logits of the committed file

Tensors are stored as F16 and the logits are those of the stored numbers, computed in double; they are metadata: golden.logits_HxW, for the
input that `picture` makes. Needs torchvision (Debian: python3-torchvision, then /usr/bin/python3).
"""
import json
import os
import struct
import sys

import torch
import torchvision

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(HERE, "torchvision_resnet18.safetensors")
WIDTH, CLASSES, SIZES = 4, 10, ((64, 64), (48, 80))
DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.float64: "F64", torch.int64: "I64"}
BY_NAME = {name: dtype for dtype, name in DTYPES.items()}


def save(path, tensors, metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, tensor in tensors.items():
        raw = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text + data)


def load(path):
    """(tensors, metadata)"""
    with open(path, "rb") as stream:
        length = struct.unpack("<Q", stream.read(8))[0]
        header, data = json.loads(stream.read(length)), bytearray(stream.read())
    metadata, tensors = header.pop("__metadata__", {}), {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        flat = torch.frombuffer(data[begin:end], dtype=BY_NAME[entry["dtype"]]) if end > begin else torch.zeros(0)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors, metadata


class Narrow(torchvision.models.ResNet):
    """torchvision's ResNet-18 with another width; blocks, stages and forward are torchvision's."""

    def __init__(self, width, classes):
        super().__init__(torchvision.models.resnet.BasicBlock, [2, 2, 2, 2], classes)
        self.inplanes = width
        self.conv1 = torch.nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(width)
        for stage in range(4):
            block = torchvision.models.resnet.BasicBlock
            setattr(self, f"layer{stage + 1}", self._make_layer(block, width << stage, 2, stride=1 if stage == 0 else 2))
        self.fc = torch.nn.Linear(8 * width, classes)


def draw(model, seed):
    """Random weights, and statistics that are not those of a fresh norm."""
    torch.manual_seed(seed)
    for name, value in model.state_dict().items():
        if name.endswith("running_var") or name.endswith("bn1.weight") or name.endswith("bn2.weight"):
            value.uniform_(0.5, 1.5)
        elif value.dim() == 4:
            torch.nn.init.kaiming_normal_(value, mode="fan_out")
        elif value.is_floating_point():
            value.normal_(0, 0.3)
        else:
            value.fill_(7)


def picture(height, width):
    """Numbers that any language can make: 16 bits of i * 2654435761, between -1 and 1."""
    i = torch.arange(3 * height * width, dtype=torch.int64)
    return (((i * 2654435761) >> 8 & 0xFFFF).double() / 32768 - 1).reshape(1, 3, height, width)


def logits(tensors, size):
    model = Narrow(WIDTH, CLASSES).double().eval()
    model.load_state_dict({name: value.double() if value.is_floating_point() else value for name, value in tensors.items()})
    with torch.no_grad():
        return model(picture(*size))[0]


def check():
    tensors, metadata = load(PATH)
    for size in SIZES:
        want = torch.tensor([float(number) for number in metadata["golden.logits_%dx%d" % size].split(",")])
        error = (logits(tensors, size) - want).abs().max() / want.abs().max()
        print("%dx%d: differs by %.1e of the largest logit" % (*size, error))
        if not error < 1e-6:
            return 1
    return 0


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    model = Narrow(WIDTH, CLASSES)
    draw(model, 1)
    tensors = {name: value.half() if value.is_floating_point() else value for name, value in model.state_dict().items()}
    metadata = {"source": "torchvision " + torchvision.__version__ + ", ResNet-18 with 4 channels"}
    for size in SIZES:
        metadata["golden.logits_%dx%d" % size] = ",".join("%.9g" % number for number in logits(tensors, size))
    save(PATH, tensors, metadata)
    return 0


if __name__ == "__main__":
    sys.exit(main())
