"""A U-Net on our ResNets in PyTorch; parameter names as in segmentation_models_pytorch."""
import torch
import torch.nn.functional as F
from torch import nn

import torch_ops as ops
from torch_net import Conv, Recorder, ResNet

ARCHS = ("unet",)
LEAST_CHANNELS = 8


class Encoder(ResNet):
    """The maps of all levels, finest first: the last one before each downsampling, and the one at the end."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        del self.fc

    def forward(self, x):
        record = Recorder()
        x = F.relu(self.bn1(self.conv1(x)))
        levels = [x]
        x = record(self.pool1(x)).y
        levels.append(x)
        x = record(self.pool2(ops.dense_max(x, 3, self.padding))).y
        for stage in range(1, self.stages + 1):
            for block in getattr(self, f"layer{stage}"):
                x = block(x, record)
            levels.append(x)
        return levels, record


class Block(nn.Module):
    def __init__(self, inputs, skip, outputs, padding):
        super().__init__()
        self.conv1 = nn.Sequential(Conv(inputs + skip, outputs, 3, padding), nn.BatchNorm2d(outputs), nn.ReLU())
        self.conv2 = nn.Sequential(Conv(outputs, outputs, 3, padding), nn.BatchNorm2d(outputs), nn.ReLU())

    def forward(self, x, skip):
        x = F.interpolate(x, scale_factor=2, mode="nearest")
        return self.conv2(self.conv1(x if skip is None else torch.cat([x, skip], 1)))


class UNet(nn.Module):
    """With the imagenet stem and all five downsamplings; the finest level is not joined."""

    def __init__(self, backbone, pool, padding, width, classes):
        super().__init__()
        self.encoder = Encoder(backbone, pool, 0, padding, "imagenet", 5, width)
        skips = [4 * width, 2 * width, width, width, 0]
        blocks, inputs = nn.ModuleList(), 8 * width
        for j, skip in enumerate(skips):
            outputs = max(4 * width >> j, LEAST_CHANNELS)
            blocks.append(Block(inputs, skip, outputs, padding))
            inputs = outputs
        self.decoder = nn.ModuleDict({"blocks": blocks})
        self.segmentation_head = nn.Sequential(nn.Conv2d(inputs, classes, 3, padding=1))

    def forward(self, x):
        levels, record = self.encoder(x)
        x = levels.pop()
        for block in self.decoder["blocks"]:
            skip = levels.pop()
            x = block(x, skip if levels else None)
        return self.segmentation_head(x), record


def make(a):
    if a.pool != "max" or a.stem != "imagenet" or a.down != 5 or a.padding != "zero":
        raise SystemExit("the U-Net to compare with has max pooling, zero padding, the imagenet stem and five downsamplings")
    return UNet(a.backbone, a.pool, a.padding, a.width or 64, a.classes)
