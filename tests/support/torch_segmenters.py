"""Narrow networks for segmentation, written as people write them, with drawn weights: U-Nets with transposed convolutions or interpolation, DeepLab's pyramid, FCN."""
import torch_networks as networks  # beside this file
from torch_networks import nn, torch, zoo

F = nn.functional
CLASSES = 4


def double(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True), nn.Conv2d(b, b, 3, padding=1, bias=False), nn.BatchNorm2d(b),
                         nn.ReLU(inplace=True))


class UNet(nn.Module):
    """Down by maxima, up by `up`: transposed convolutions, or an interpolation; the map is padded to the size of what it is joined with."""

    def __init__(self, up="transpose", width=8, levels=3, classes=CLASSES, **how):
        super().__init__()
        widths = [width << i for i in range(levels)]
        self.inc = double(3, widths[0])
        self.downs = nn.ModuleList(nn.Sequential(nn.MaxPool2d(2), double(a, b)) for a, b in zip(widths, widths[1:]))
        self.how, steps = (up, how), list(zip(widths[:0:-1], widths[-2::-1]))
        self.ups = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, 2) if up == "transpose" else nn.ConvTranspose2d(a, b, 4, 2, 1) if up == "overlap" else nn.Conv2d(a, b, 1) for a, b in steps)
        self.joins = nn.ModuleList(double(2 * b, b) for _, b in steps)
        self.outc = nn.Conv2d(width, classes, 1)

    def enlarge(self, i, x):
        up, how = self.how
        if up in ("transpose", "overlap"):
            return self.ups[i](x)
        return self.ups[i](F.interpolate(x, scale_factor=2, mode=up, **how))

    def forward(self, x):
        maps = [self.inc(x)]
        for down in self.downs:
            maps.append(down(maps[-1]))
        x = maps.pop()
        for i, join in enumerate(self.joins):
            x, skip = self.enlarge(i, x), maps.pop()
            rows, columns = skip.size(2) - x.size(2), skip.size(3) - x.size(3)
            x = join(torch.cat([skip, F.pad(x, [columns // 2, columns - columns // 2, rows // 2, rows - rows // 2])], 1))
        return self.outc(x)


class Pyramid(nn.Module):
    """Strided convolutions, an atrous pyramid with the mean of the map, a finer level joined in, bilinear up; a softmax, classes or the small map itself at the end."""

    def __init__(self, align=False, end="logits", classes=CLASSES):
        super().__init__()
        step = lambda a, b, stride=1, dilation=1: nn.Sequential(nn.Conv2d(a, b, 3, stride, dilation, dilation, bias=False), nn.BatchNorm2d(b), nn.ReLU6())
        self.stem, self.low, self.high = step(3, 8, 2), step(8, 12, 2), nn.Sequential(step(12, 16, 2), step(16, 16, 1, 2))
        self.pyramid = nn.ModuleList([nn.Conv2d(16, 8, 1), step(16, 8, 1, 2), step(16, 8, 1, 3)])
        self.pooled, self.project = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(16, 8, 1), nn.ReLU()), step(32, 16)
        self.reduce, self.last = nn.Conv2d(12, 6, 1), nn.Sequential(step(22, 12), nn.Conv2d(12, classes, 1))
        self.align, self.end = align, end

    def forward(self, x):
        size = lambda x, like: F.interpolate(x, size=like.shape[-2:], mode="bilinear", align_corners=self.align)
        low = self.low(self.stem(x))
        high = self.high(low)
        y = torch.cat([part(high) for part in self.pyramid] + [size(self.pooled(high), high)], 1)
        y = self.last(torch.cat([size(self.project(y), low), self.reduce(low)], 1))
        if self.end == "small":
            return y
        if self.end == "small classes":
            return y.argmax(1)
        y = size(y, x)
        return {"logits": lambda: y, "softmax": lambda: y.softmax(1), "classes": lambda: y.argmax(1), "kept classes": lambda: y.argmax(1, keepdim=True), "sigmoid": lambda: y[:, :1].sigmoid(),
                "bare": lambda: y[:, 0], "last": lambda: y.permute(0, 2, 3, 1)}[self.end]()


class Fcn(nn.Module):
    """A narrow ResNet without its last stages, a head, and eight or sixteen times the size at once; two outputs, as torchvision's."""

    def __init__(self, aux=True, **how):
        super().__init__()
        net = networks.narrow_resnet(zoo.resnet.BasicBlock, [1, 1, 1, 1])
        self.body, self.deep = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool, net.layer1, net.layer2), net.layer3
        self.head, self.aux, self.how = nn.Conv2d(32, CLASSES, 3, padding=1), nn.Conv2d(16, CLASSES, 1) if aux else None, how or {"mode": "bilinear", "align_corners": False}

    def forward(self, x):
        mid = self.body(x)
        up = lambda y: F.interpolate(y, size=x.shape[-2:], **self.how)
        out = up(self.head(self.deep(mid)))
        return (out, up(self.aux(mid))) if self.aux else out


NETWORKS = {
    "unet, transposed": UNet, "unet, overlapping": lambda: UNet("overlap"), "unet, nearest": lambda: UNet("nearest"),
    "unet, bilinear": lambda: UNet("bilinear", align_corners=False), "unet, corners": lambda: UNet("bilinear", align_corners=True),
    "pyramid": Pyramid, "pyramid, corners": lambda: Pyramid(align=True), "fcn": Fcn, "fcn, nearest": lambda: Fcn(False, mode="nearest"),
}
for ending in ("softmax", "classes", "kept classes", "sigmoid", "bare", "last", "small", "small classes"):
    NETWORKS[f"pyramid, {ending}"] = lambda ending=ending: Pyramid(end=ending)
