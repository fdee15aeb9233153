"""Networks beyond ResNets in PyTorch: torchvision's own, with our places for downsampling; parameter names as in torchvision."""
import torchvision
from torch import nn

from torch_net import Recorder

STEM = "features.0"
MOBILENET_PLACES = (STEM, "features.2.conv.1", "features.4.conv.1", "features.7.conv.1", "features.14.conv.1")  # convolution, norm, activation
VITS = {  # patch, layers, heads, width, hidden
    "vit_tiny": (4, 6, 4, 128, 512),
    "vit_b_16": (16, 12, 12, 768, 3072),
}
ARCHS = ("mobilenet_v2", *VITS)


def used_places(down):
    """Which of the five places downsample: from the deep end, but for two, which are the third and the fourth."""
    return {2: (2, 3), 3: (2, 3, 4), 4: (1, 2, 3, 4), 5: (0, 1, 2, 3, 4)}[down]


def mobilenet_v2(pool, down, classes):
    """`stride` is the strided convolution itself, `max` a pooling behind the dense one."""
    net = torchvision.models.mobilenet_v2(weights=None, num_classes=classes)
    for place, name in enumerate(MOBILENET_PLACES):
        block = net.get_submodule(name)
        downsamples = place in used_places(down)
        step = 2 if downsamples and pool == "stride" else 1
        block[0].stride = (step, step)
        if downsamples and pool == "max":
            block.add_module("pool", nn.MaxPool2d(2))
    return net


def vit(arch, size, classes):
    patch, layers, heads, width, hidden = VITS[arch]
    return torchvision.models.VisionTransformer(size, patch, layers, heads, width, hidden, num_classes=classes)


class Plain(nn.Module):
    """A network without losses of operators, called as those with them are."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x), Recorder()


def make(arch, pool, padding, down, size, classes):
    if padding != "zero":
        raise SystemExit(f"{arch} of torchvision has zero padding, not {padding}")
    if arch in VITS and pool == "stride":
        return Plain(vit(arch, size, classes))
    if arch == "mobilenet_v2" and pool in ("stride", "max"):
        return Plain(mobilenet_v2(pool, down, classes))
    raise SystemExit(f"{arch} with {pool} is not among the networks to compare with")
