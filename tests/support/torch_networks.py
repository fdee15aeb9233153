"""Narrow networks of the families people export from torch, with drawn weights. Needs torch, torchvision and onnx, and says so
where they are not there."""
import os
import sys
import warnings

import peers  # beside this file

peers.need("torch", "torchvision", "onnx")
import onnx  # the exporter needs it
import torch
import torchvision.models as zoo
from torch import nn

CLASSES = 10
warnings.filterwarnings("ignore")
torch.manual_seed(4)


def narrow_resnet(block, layers):
    """torchvision's ResNet with an eighth of the channels."""
    model = zoo.ResNet(block, layers, num_classes=CLASSES)

    def shrink(module):
        for name, child in module.named_children():
            if isinstance(child, nn.Conv2d):
                setattr(module, name, nn.Conv2d(max(3, child.in_channels // 8) if child.in_channels > 3 else 3, child.out_channels // 8, child.kernel_size, child.stride,
                                                child.padding, bias=False))
            elif isinstance(child, nn.BatchNorm2d):
                setattr(module, name, nn.BatchNorm2d(child.num_features // 8))
            elif isinstance(child, nn.Linear):
                setattr(module, name, nn.Linear(child.in_features // 8, child.out_features))
            else:
                shrink(child)

    shrink(model)
    return model


def narrow_vgg():
    layers, channels = [], 3
    for width in [8, "M", 16, 16, "M", 24, "M", 24, "M"]:
        if width == "M":
            layers.append(nn.MaxPool2d(2, 2))
        else:
            layers += [nn.Conv2d(channels, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(True)]
            channels = width
    model = zoo.VGG(nn.Sequential(*layers), num_classes=CLASSES, init_weights=False)
    model.avgpool = nn.AdaptiveAvgPool2d((2, 2))
    model.classifier = nn.Sequential(nn.Linear(24 * 4, 32), nn.ReLU(True), nn.Dropout(), nn.Linear(32, CLASSES))
    return model


def narrow_alexnet():
    """Windows without padding, so that maps are smaller than the strides say, and a flattened head."""
    return nn.Sequential(nn.Conv2d(3, 16, 11, stride=4, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Conv2d(16, 24, 5, padding=2), nn.ReLU(),
                         nn.MaxPool2d(3, 2), nn.Conv2d(24, 16, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 9, 32), nn.ReLU(), nn.Linear(32, CLASSES))


class NarrowFire(nn.Module):
    def __init__(self, channels, squeeze, expand):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, squeeze, 1)
        self.expand1x1 = nn.Conv2d(squeeze, expand, 1)
        self.expand3x3 = nn.Conv2d(squeeze, expand, 3, padding=1)

    def forward(self, x):
        x = torch.relu(self.squeeze(x))
        return torch.cat([torch.relu(self.expand1x1(x)), torch.relu(self.expand3x3(x))], 1)


class NarrowSqueezeNet(nn.Module):
    def __init__(self):
        super().__init__()
        pool = lambda: nn.MaxPool2d(3, 2, ceil_mode=True)
        self.features = nn.Sequential(nn.Conv2d(3, 12, 3, 2), nn.ReLU(), pool(), NarrowFire(12, 4, 8), NarrowFire(16, 4, 8), pool(), NarrowFire(16, 6, 12), pool())
        self.classifier = nn.Sequential(nn.Dropout(), nn.Conv2d(24, CLASSES, 1), nn.ReLU(), nn.AdaptiveAvgPool2d((1, 1)))

    def forward(self, x):
        return torch.flatten(self.classifier(self.features(x)), 1)


class NarrowInception(nn.Module):
    """GoogLeNet's parts: pictures brought to another range, inception blocks, pooling that rounds up, an auxiliary output."""

    def __init__(self):
        super().__init__()
        block = lambda i, o, **k: nn.Sequential(nn.Conv2d(i, o, bias=False, **k), nn.BatchNorm2d(o, eps=0.001), nn.ReLU())
        self.stem = nn.Sequential(block(3, 8, kernel_size=7, stride=2, padding=3), nn.MaxPool2d(3, 2, ceil_mode=True))
        self.branches = nn.ModuleList([block(8, 5, kernel_size=1), nn.Sequential(block(8, 4, kernel_size=1), block(4, 6, kernel_size=3, padding=1)),
                                       nn.Sequential(block(8, 3, kernel_size=1), block(3, 4, kernel_size=5, padding=2)),
                                       nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=True), block(8, 4, kernel_size=1))])
        self.pool, self.end, self.fc, self.aux = nn.MaxPool2d(2, 2, ceil_mode=True), nn.AdaptiveAvgPool2d(1), nn.Linear(19, CLASSES), nn.Linear(19, CLASSES)

    def forward(self, x):
        x = torch.cat([torch.unsqueeze(x[:, i], 1) * (0.229 + 0.01 * i) / 0.5 + (0.485 - 0.5) / (0.5 + i) for i in range(3)], 1)
        x = self.stem(x)
        x = self.pool(torch.cat([branch(x) for branch in self.branches], 1))
        x = torch.flatten(self.end(x), 1)
        return self.fc(x), self.aux(torch.relu(x))


def circular(x, border):
    """As torch 2 exports it; torch 1 writes something else than it computes."""
    x = torch.cat([x[:, :, -border:], x, x[:, :, :border]], 2)
    return torch.cat([x[:, :, :, -border:], x, x[:, :, :, :border]], 3)


class CircularNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 5, stride=2)
        self.conv3, self.conv4 = nn.Conv2d(8, 8, 3, padding=1, padding_mode="reflect"), nn.Conv2d(8, 8, 3, padding=1, padding_mode="replicate")
        self.fc = nn.Linear(8, CLASSES)

    def forward(self, x):
        x = torch.relu(self.conv2(circular(torch.relu(self.conv1(circular(x, 1))), 2)))
        x = self.conv4(torch.relu(self.conv3(x)))
        return self.fc(x.mean((2, 3)))


class Odds(nn.Module):
    """Operators that the families leave out."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.fc = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, stride=2), nn.Linear(16 * 4 * 4, CLASSES)
        self.slope = nn.PReLU(8)
        self.scale = nn.Parameter(torch.rand(8, 1, 1))

    def forward(self, x):
        x = nn.functional.gelu(self.slope(self.a(x))) * self.scale + 0.5
        x = nn.functional.leaky_relu(x - 1.0, 0.2) / 3.0
        x = nn.functional.pad(x[:, :, ::2, 1::2], (1, 2, 0, 3), value=0.25)
        x = torch.tanh(nn.functional.interpolate(x, scale_factor=2, mode="bilinear")) * torch.sigmoid(nn.functional.interpolate(x, scale_factor=2))
        x = nn.functional.avg_pool2d(self.b(x), 3, 2, padding=1, ceil_mode=True)
        x = torch.cat([torch.cat([x, x * 2], 2)[:, :, 4:], torch.cat([x, -x], 2)[:, :, :-4]], 3)[:, :, :, 2:]
        x = nn.functional.hardswish(-x) + nn.functional.hardsigmoid(x.clamp(-1, 2))
        x = nn.functional.avg_pool2d(x[:, :, :16, :16], 4)
        return torch.log_softmax(self.fc(x.reshape(x.size(0), -1)), 1)


class Depthwise(nn.Module):
    """ConvNeXt's middle without its norm: channels last, MatMul, GELU."""

    def __init__(self):
        super().__init__()
        self.conv, self.up, self.down, self.fc = nn.Conv2d(3, 6, 7, padding=3, groups=3), nn.Linear(6, 24), nn.Linear(24, 6), nn.Linear(6 * 16, CLASSES)

    def forward(self, x):
        x = self.conv(x)
        y = self.down(nn.functional.gelu(self.up(x.permute(0, 2, 3, 1))))
        x = nn.functional.max_pool2d(x + y.permute(0, 3, 1, 2), 16)
        return self.fc(x.permute(0, 2, 3, 1).flatten(1))


class FixedBatch(nn.Module):
    """Written for a batch of four, channels shuffled by reshaping."""

    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.Linear(8 * 16, CLASSES)

    def forward(self, x):
        x = torch.relu(self.conv(x)).view(4, 2, 4, 32, 32).transpose(1, 2).reshape(4, 8, 32, 32)
        return self.fc(nn.functional.avg_pool2d(x, 8).view(4, -1))


MOBILE_V2 = [[1, 8, 1, 1], [6, 8, 2, 2], [6, 16, 2, 2], [6, 16, 1, 1]]


def mobilenet_v3():
    from torchvision.models.mobilenetv3 import InvertedResidualConfig, MobileNetV3
    rows = [InvertedResidualConfig(16, 3, 16, 16, True, "RE", 2, 1, 0.5), InvertedResidualConfig(16, 5, 48, 24, False, "HS", 2, 1, 0.5),
            InvertedResidualConfig(24, 5, 64, 24, True, "HS", 1, 2, 0.5)]
    return MobileNetV3(rows, 32, num_classes=CLASSES)


def efficientnet():
    from functools import partial
    from torchvision.models.efficientnet import EfficientNet, MBConvConfig
    row = partial(MBConvConfig, width_mult=0.5, depth_mult=0.5)
    return EfficientNet([row(1, 3, 1, 32, 16, 1), row(6, 3, 2, 16, 24, 2), row(6, 5, 2, 24, 40, 2)], 0.2, num_classes=CLASSES)


def regnet():
    from torchvision.models.regnet import BlockParams, RegNet
    return RegNet(BlockParams.from_init_params(depth=6, w_0=8, w_a=8.0, w_m=2.2, group_width=8, se_ratio=0.25), num_classes=CLASSES, stem_width=8)


class SampleNorms(nn.Module):
    """Norms of a sample: groups that the exporter writes as instances of a reshaped map, instances with and without weights."""

    def __init__(self):
        super().__init__()
        conv = lambda a, b, stride=1: nn.Conv2d(a, b, 3, stride, 1, bias=False)
        self.features = nn.Sequential(conv(3, 12, 2), nn.GroupNorm(3, 12), nn.ReLU(), conv(12, 20, 2), nn.GroupNorm(1, 20), nn.ReLU(), conv(20, 24, 2),
                                      nn.InstanceNorm2d(24, affine=True), nn.ReLU(), conv(24, 16), nn.InstanceNorm2d(16), nn.ReLU(), conv(16, 16),
                                      nn.GroupNorm(16, 16), nn.ReLU(), conv(16, 16), nn.GroupNorm(4, 16, affine=False))
        self.fc = nn.Linear(16, CLASSES)

    def forward(self, x):
        x = self.features(x)
        return self.fc((x * x).mean((2, 3)))


class PlainLayerNorm(nn.Module):
    """A norm over channels and positions at once, with weights for each of them, which stay as they are made."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Conv2d(3, 12, 3, 4, 1), nn.LayerNorm((12, 16, 16)), nn.Conv2d(12, CLASSES, 3)

    def forward(self, x):
        return self.last(torch.relu(self.norm(self.first(x)))).mean((2, 3))


NETWORKS = {
    "resnet18": lambda: narrow_resnet(zoo.resnet.BasicBlock, [2, 2, 2, 2]),
    "resnet50": lambda: narrow_resnet(zoo.resnet.Bottleneck, [1, 2, 1, 1]),
    "vgg": narrow_vgg,
    "alexnet": narrow_alexnet,
    "squeezenet": NarrowSqueezeNet,
    "mobilenet_v2": lambda: zoo.MobileNetV2(num_classes=CLASSES, width_mult=0.25, inverted_residual_setting=MOBILE_V2),
    "mobilenet_v3": mobilenet_v3,
    "densenet": lambda: zoo.DenseNet(4, (3, 12, 3), 8, num_classes=CLASSES),
    "googlenet": NarrowInception,
    "shufflenet": lambda: zoo.ShuffleNetV2([1, 2, 1], [8, 16, 24, 32, 48], num_classes=CLASSES),
    "mnasnet": lambda: zoo.MNASNet(0.2, num_classes=CLASSES),
    "efficientnet": efficientnet,
    "regnet": regnet,
    "circular": CircularNet,
    "odds": Odds,
    "channels last": Depthwise,
    "fixed batch": FixedBatch,
    "norms of a sample": SampleNorms,
    "layer norm": PlainLayerNorm,
}


def draw(model):
    """Weights and statistics that let something through every layer."""
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(module.weight)
            if module.bias is not None:
                nn.init.normal_(module.bias, std=0.1)
        elif isinstance(module, (nn.GroupNorm, nn.InstanceNorm2d)) and module.affine:
            nn.init.uniform_(module.weight, 0.7, 1.3)
            nn.init.normal_(module.bias, std=0.2)
        elif isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.7, 1.3)
            nn.init.normal_(module.bias, std=0.2)
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.7, 1.4)
    return model.eval()


def export(model, path, pictures, opset=13, keep=False, open_axes=(0,)):
    axes = {"x": {axis: "nchw"[axis] for axis in open_axes}}
    training = torch.onnx.TrainingMode.PRESERVE if keep else torch.onnx.TrainingMode.EVAL
    torch.onnx.export(model, pictures, path, opset_version=opset, input_names=["x"], dynamic_axes=axes, training=training, do_constant_folding=not keep)
