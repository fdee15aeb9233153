"""Small transformers, and networks written in their way, with drawn weights: torchvision's, and those forms of attention, norms and tokens that
other libraries write. Needs torch, torchvision and onnx."""
import math

from torch_networks import CLASSES, nn, torch, zoo  # beside this file

SIZE = 32
F = nn.functional


def vit(size=SIZE):
    return zoo.VisionTransformer(size, 8, 2, 4, 32, 64, num_classes=CLASSES)


def swin():
    return zoo.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=CLASSES)


def convnext():
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt
    return ConvNeXt([CNBlockConfig(16, 32, 2), CNBlockConfig(32, None, 1)], num_classes=CLASSES)


def efficientnet_v2():
    from torchvision.models.efficientnet import EfficientNet, FusedMBConvConfig, MBConvConfig
    rows = [FusedMBConvConfig(1, 3, 1, 16, 16, 1), FusedMBConvConfig(4, 3, 2, 16, 24, 1), MBConvConfig(4, 3, 2, 24, 32, 2)]
    return EfficientNet(rows, 0.2, num_classes=CLASSES, last_channel=64)


class Inception(nn.Module):
    """The kinds of branches of Inception v3: factorised windows, a mean beside them, a grid that shrinks in three ways."""

    def __init__(self):
        super().__init__()
        conv = lambda a, b, kernel, **more: nn.Sequential(nn.Conv2d(a, b, kernel, bias=False, **more), nn.BatchNorm2d(b, eps=0.001), nn.ReLU())
        self.stem = conv(3, 8, 3, stride=2)
        self.row = nn.Sequential(conv(8, 6, (1, 7), padding=(0, 3)), conv(6, 8, (7, 1), padding=(3, 0)))
        self.pool = conv(8, 8, 1)
        self.shrink, self.long = conv(16, 8, 3, stride=2), nn.Sequential(conv(16, 8, 1), conv(8, 8, 3, stride=2))
        self.fc = nn.Linear(32, CLASSES)

    def forward(self, x):
        x = self.stem(x)
        x = torch.cat([self.row(x), self.pool(F.avg_pool2d(x, 3, 1, 1))], 1)
        x = torch.cat([self.shrink(x), self.long(x), F.max_pool2d(x, 3, 2)], 1)
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Block(nn.Module):
    """A transformer's block around some kind of attention."""

    def __init__(self, width, attention, act=F.gelu):
        super().__init__()
        self.norm1, self.norm2, self.attention, self.act = nn.LayerNorm(width, eps=1e-6), nn.LayerNorm(width), attention, act
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(self.act(self.up(self.norm2(x))))


class JointAttention(nn.Module):
    """Queries, keys and values from one layer, apart by an axis of three, as timm writes it."""

    def __init__(self, width=24, heads=3):
        super().__init__()
        self.heads, self.scale, self.qkv, self.proj = heads, (width // heads) ** -0.5, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        n, tokens, width = x.shape
        q, k, v = self.qkv(x).reshape(n, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        shares = ((q @ k.transpose(-2, -1)) * self.scale).softmax(-1)
        return self.proj((shares @ v).transpose(1, 2).reshape(n, tokens, width))


class SeparateAttention(nn.Module):
    """Three layers, scores divided by a root, as Hugging Face writes it."""

    def __init__(self, width=24, heads=4):
        super().__init__()
        self.heads, self.query, self.key, self.value, self.out = heads, *(nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x):
        q, k, v = (self.split(part(x)) for part in (self.query, self.key, self.value))
        shares = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1]), -1)
        y = torch.matmul(shares, v).permute(0, 2, 1, 3).contiguous()
        return self.out(y.view(*y.shape[:2], -1))


class EinsumAttention(nn.Module):
    """Products by letters, a bias for every pair of tokens, and some pairs that do not see each other."""

    def __init__(self, width=24, heads=3, tokens=17, masked=True):
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width)
        self.bias = nn.Parameter(torch.randn(heads, tokens, tokens))
        self.register_buffer("hidden", torch.rand(tokens, tokens) < 0.3 * masked)

    def forward(self, x):
        q, k, v = (part.view(*x.shape[:2], self.heads, -1) for part in self.qkv(x).chunk(3, -1))
        scores = torch.einsum("bihd,bjhd->bhij", q, k) + self.bias
        shares = scores.masked_fill(self.hidden, -100.0).softmax(-1)
        return self.proj(torch.einsum("bhij,bjhd->bihd", shares, v).flatten(2))


class Tokens(nn.Module):
    """Patches, one or two tokens in front, positions, blocks; the first token or the mean is read."""

    def __init__(self, blocks, width=24, extra=1, mean=False):
        super().__init__()
        self.patch, self.mean = nn.Conv2d(3, width, 8, 8), mean
        self.tokens = nn.ParameterList(nn.Parameter(torch.randn(1, 1, width)) for _ in range(extra))
        self.positions = nn.Parameter(torch.randn(1, 16 + extra, width))
        self.blocks, self.norm, self.head = nn.Sequential(*blocks), nn.LayerNorm(width), nn.Linear(width, CLASSES)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([token.expand(x.shape[0], -1, -1) for token in self.tokens] + [x], 1) + self.positions
        x = self.norm(self.blocks(x))
        return self.head(x.mean(1) if self.mean else x[:, 0])


class Mixer(nn.Module):
    """Layers over tokens and over channels in turn."""

    def __init__(self, width=24, tokens=16):
        super().__init__()
        self.patch, self.across, self.within, self.head = nn.Conv2d(3, width, 8, 8), nn.Linear(tokens, tokens), nn.Linear(width, width), nn.Linear(width, CLASSES)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = x + self.across(self.norm(x).transpose(1, 2)).transpose(1, 2)
        x = x + F.gelu(self.within(x), approximate="tanh")
        return self.head(x.mean(1))


class ChannelNorm(nn.Module):
    """A norm over the channels of a map, written out, and functions that are rare."""

    def __init__(self):
        super().__init__()
        self.stem, self.next, self.fc = nn.Conv2d(3, 12, 4, 4), nn.Conv2d(12, 20, 2, 2), nn.Linear(20, CLASSES)
        self.weight, self.bias = nn.Parameter(torch.rand(12) + 0.5), nn.Parameter(torch.randn(12))

    def forward(self, x):
        x = self.stem(x)
        mean = x.mean(1, keepdim=True)
        x = (x - mean) / torch.sqrt((x - mean).pow(2).mean(1, keepdim=True) + 1e-6)
        x = F.softplus(self.next(F.elu(self.weight[:, None, None] * x + self.bias[:, None, None], 0.7)))
        return self.fc(F.adaptive_max_pool2d(torch.erf(x), 1).flatten(1))


class TokenPool(nn.Module):
    """Windows of a map and back, and the map rolled, without attention: axes of all kinds."""

    def __init__(self):
        super().__init__()
        self.stem, self.mix, self.fc = nn.Conv2d(3, 10, 4, 4), nn.Linear(4, 4), nn.Linear(10, CLASSES)

    def forward(self, x):
        x = torch.roll(self.stem(x), (1, -2), (2, 3))
        n, c, h, w = x.shape
        windows = x.view(n, c, h // 2, 2, w // 2, 2).permute(0, 2, 4, 3, 5, 1).reshape(-1, 4, c)
        windows = self.mix(windows.transpose(1, 2)).transpose(1, 2)
        x = windows.view(n, h // 2, w // 2, 2, 2, c).permute(0, 5, 1, 3, 2, 4).reshape(n, c, h, w)
        return self.fc(x.square().mean((2, 3)))


NETWORKS = {
    "vit": vit,
    "swin": swin,
    "convnext": convnext,
    "efficientnet_v2": efficientnet_v2,
    "inception": Inception,
    "joint attention": lambda: Tokens([Block(24, JointAttention()), Block(24, JointAttention())]),
    "separate attention": lambda: Tokens([Block(24, SeparateAttention(), lambda x: F.gelu(x, approximate="tanh"))], extra=2),
    "einsum": lambda: Tokens([Block(24, EinsumAttention())]),
    "means of tokens": lambda: Tokens([Block(24, EinsumAttention(masked=False))], mean=True),
    "mixer": Mixer,
    "channel norm": ChannelNorm,
    "windows": TokenPool,
}


def draw(model):
    """As torch_networks.draw, but no gain between layers that add up, and biases and tables that matter."""
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1:
            nn.init.uniform_(parameter, 0.7, 1.3) if name.endswith("weight") else nn.init.normal_(parameter, std=0.2)
        else:
            nn.init.normal_(parameter, std=min(1, parameter[0].numel() ** -0.5))
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.7, 1.4)
    return model.eval()
