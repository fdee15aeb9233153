"""ResNets with a configurable pooling operator, in PyTorch; parameter names as in torchvision.

A strided convolution becomes: convolution at stride 1, norm, ReLU, [LPF-n], pool. In a block the pool sits after the first ReLU (Basic: before
conv2) or the second (Bottleneck: before conv3); the shortcut is pool, 1x1 convolution, norm. The shortcut reuses the phase of the main branch.

Names of the pools: `layer2.0.pool`, `layer2.0.downsample.pool`; in the stem `pool1` (after conv1-bn1-ReLU) and `pool2` (after the dense max).
"""
import torch
import torch.nn.functional as F
from torch import nn

import torch_ops as ops


class Conv(nn.Conv2d):
    """Stride 1, no bias, same size, in the network's padding mode."""

    def __init__(self, inputs, outputs, kernel, padding):
        super().__init__(inputs, outputs, kernel, bias=False)
        self.mode = padding

    def forward(self, x):
        return ops.conv(x, self.weight, self.bias, self.mode)


class Recorder:
    """Collects the operators' own losses during one forward pass."""

    def __init__(self):
        self.fm, self.undo = [], []

    def __call__(self, out):
        if out.fm is not None:
            self.fm.append(out.fm)
            self.undo.append(out.undo)
        return out


class Shortcut(nn.Module):
    def __init__(self, inputs, outputs, pool, padding):
        super().__init__()
        if pool is not None:
            self.pool = pool
        self.add_module("0", Conv(inputs, outputs, 1, padding))
        self.add_module("1", nn.BatchNorm2d(outputs))

    def forward(self, x, shared, record):
        if hasattr(self, "pool"):
            x = record(self.pool(x, shared)).y
        first, second = self._modules["0"], self._modules["1"]
        return second(first(x))


class Block(nn.Module):
    def __init__(self, inputs, width, make_pool, padding):
        """make_pool(channels, shortcut) gives the operator, or is None where the block keeps its size."""
        super().__init__()
        outputs = width * self.expansion
        self.build(inputs, width, padding)
        self.downsample = None
        if make_pool is not None:
            self.pool = make_pool(width, False)
        if make_pool is not None or inputs != outputs:
            self.downsample = Shortcut(inputs, outputs, make_pool and make_pool(inputs, True), padding)

    def pooled(self, x, record):
        if not hasattr(self, "pool"):
            return x, None
        out = record(self.pool(x))
        return out.y, out.selection

    def forward(self, x, record):
        y, shared = self.main(x, record)
        return F.relu(y + (x if self.downsample is None else self.downsample(x, shared, record)))


class Basic(Block):
    expansion = 1

    def build(self, inputs, width, padding):
        self.conv1, self.bn1 = Conv(inputs, width, 3, padding), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = Conv(width, width, 3, padding), nn.BatchNorm2d(width)

    def main(self, x, record):
        y, shared = self.pooled(F.relu(self.bn1(self.conv1(x))), record)
        return self.bn2(self.conv2(y)), shared


class Bottleneck(Block):
    expansion = 4

    def build(self, inputs, width, padding):
        self.conv1, self.bn1 = Conv(inputs, width, 1, padding), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = Conv(width, width, 3, padding), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = Conv(width, 4 * width, 1, padding), nn.BatchNorm2d(4 * width)

    def main(self, x, record):
        y = F.relu(self.bn1(self.conv1(x)))
        y, shared = self.pooled(F.relu(self.bn2(self.conv2(y))), record)
        return self.bn3(self.conv3(y)), shared


ARCHS = {
    "tiny": (Basic, (1, 1, 1), 8),
    "resnet18": (Basic, (2, 2, 2, 2), 64),
    "resnet34": (Basic, (3, 4, 6, 3), 64),
    "resnet50": (Bottleneck, (3, 4, 6, 3), 64),
}


class ResNet(nn.Module):
    """down = how many times the map is halved.

    cifar stem (3x3): 3 = stages 2-4; 4 adds stage 1; 5 adds a pool after the stem; 2 leaves out stage 4.
    imagenet stem (7x7, dense 3x3 max): 3 = stages 2-4; 4 adds a pool after the dense max; 5 one before it; 2 leaves out stage 4.
    `tiny` has three stages of one Basic block and halves in stages 2 and 3.
    """

    def __init__(self, arch="resnet18", pool="max", lpf=0, padding="zero", stem="cifar", down=3, width=0, classes=10, channels=3, **pool_options):
        super().__init__()
        block, counts, default = ARCHS[arch]
        width = width or default
        if arch == "tiny":
            stem, halving = "cifar", {2, 3}
        else:
            assert 2 <= down <= 5 and stem in ("cifar", "imagenet")
            halving = {2, 3} if down == 2 else {2, 3, 4}
            if stem == "cifar" and down >= 4:
                halving.add(1)
        self.padding, self.imagenet = padding, stem == "imagenet"

        def make_pool(channels, shortcut=False):
            return ops.make_pool(pool, channels, 2, padding, lpf, shortcut, **pool_options)

        self.conv1, self.bn1 = Conv(channels, width, 7 if self.imagenet else 3, padding), nn.BatchNorm2d(width)
        if arch != "tiny" and down == 5:
            self.pool1 = make_pool(width)
        if self.imagenet and down >= 4:
            self.pool2 = make_pool(width)
        inputs = width
        self.stages = len(counts)
        for stage, count in enumerate(counts, 1):
            outputs = width << (stage - 1)
            blocks = nn.ModuleList()
            for i in range(count):
                blocks.append(block(inputs, outputs, make_pool if i == 0 and stage in halving else None, padding))
                inputs = outputs * block.expansion
            setattr(self, f"layer{stage}", blocks)
        self.fc = nn.Linear(inputs, classes)
        for module in self.modules():
            if isinstance(module, Conv):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        """(logits, Recorder with the operators' losses)."""
        record = Recorder()
        x = F.relu(self.bn1(self.conv1(x)))
        if hasattr(self, "pool1"):
            x = record(self.pool1(x)).y
        if self.imagenet:
            x = ops.dense_max(x, 3, self.padding)
        if hasattr(self, "pool2"):
            x = record(self.pool2(x)).y
        for stage in range(1, self.stages + 1):
            for block in getattr(self, f"layer{stage}"):
                x = block(x, record)
        return self.fc(x.mean((2, 3))), record

    def tips_pools(self):
        return [m for m in self.modules() if isinstance(m, ops.TipsPool)]


def total_loss(logits, labels, record, alpha=0.35, undo_on=True):
    """(1-alpha) L_task + alpha L_undo + L_FM, operator losses averaged over layers; L_task alone without tau."""
    task = F.cross_entropy(logits, labels)
    if not record.fm:
        return task, task, None, None
    fm, undo = torch.stack(record.fm).mean(), torch.stack(record.undo).mean()
    total = (1 - alpha) * task + fm
    return (total + alpha * undo if undo_on else total), task, fm, undo
