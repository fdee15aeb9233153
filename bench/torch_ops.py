"""Pooling operators in plain PyTorch, written from the formulas of the method.

This is the independent reference (golden vectors) and the timing peer of the C library.

Every operator maps (N, C, H, W) to (N, C, ceil(H/sh), ceil(W/sw)) and returns an `Out`. Operators that choose a phase accept another's choice as
`shared` and hand on their own as `Out.selection`.

Notation: phase k = (a, b) has index a*sw + b and P_k(x)[i, j] = x[sh*i + a, sw*j + b]; K = sh*sw.
"""
import math
from collections import namedtuple

import torch
import torch.nn.functional as F
from torch import nn

PADDINGS = ("zero", "circular", "reflect", "replicate")

# y: the pooled map; selection: (N,) phase index, or (N, K) weights (lps in training), or None;
# tau: (N, C, K) before hard selection, in anchored order; fm, undo: this layer's losses. What does not apply is None.
Out = namedtuple("Out", "y selection tau fm undo", defaults=(None, None, None, None))


def pair(v):
    return (v, v) if isinstance(v, int) else tuple(v)


# --------------------------------------------------------------------------------------------------------------- padding


def pad_index(size, before, after, mode):
    """Source index of every position of a padded axis; any width, so circular and reflect may wrap more than once."""
    i = torch.arange(-before, size + after)
    if mode == "circular":
        return i % size
    if mode == "replicate":
        return i.clamp(0, size - 1)
    if mode == "reflect":
        period = max(2 * (size - 1), 1)
        i = i % period
        return torch.where(i < size, i, period - i)
    raise ValueError(f"padding mode {mode}")


def pad_map(x, top, bottom, left, right, mode):
    if not (top or bottom or left or right):
        return x
    if mode == "zero":
        return F.pad(x, (left, right, top, bottom))
    height, width = x.shape[2:]
    limit = 1 if mode == "reflect" else 0
    if mode == "replicate" or (max(top, bottom) <= height - limit and max(left, right) <= width - limit):
        return F.pad(x, (left, right, top, bottom), mode=mode)
    x = x.index_select(2, pad_index(height, top, bottom, mode))
    return x.index_select(3, pad_index(width, left, right, mode))


def extend(x, stride, mode):
    """Bottom and right, up to a multiple of the stride."""
    return pad_map(x, 0, -x.shape[2] % stride[0], 0, -x.shape[3] % stride[1], mode)


def conv(x, weight, bias=None, mode="zero", pads=None, stride=1, dilation=1, groups=1):
    """2-D convolution (cross-correlation); pads = (top, bottom, left, right), by default floor before and ceil after."""
    dilation = pair(dilation)
    if pads is None:
        eh, ew = dilation[0] * (weight.shape[2] - 1), dilation[1] * (weight.shape[3] - 1)
        pads = (eh // 2, eh - eh // 2, ew // 2, ew - ew // 2)
    top, bottom, left, right = pads
    if mode == "zero" and top == bottom and left == right:
        return F.conv2d(x, weight, bias, stride, (top, left), dilation, groups)
    return F.conv2d(pad_map(x, top, bottom, left, right, mode), weight, bias, stride, 0, dilation, groups)


def dense_max(x, kernel=3, mode="zero"):
    """kernel x kernel maximum at stride 1, padded as the network pads; `zero` stands for minus infinity, as in F.max_pool2d."""
    before, after = (kernel - 1) // 2, kernel // 2
    if mode == "zero":
        return F.max_pool2d(F.pad(x, (before, after, before, after), value=-math.inf), kernel, 1)
    return F.max_pool2d(pad_map(x, before, after, before, after, mode), kernel, 1)


# ------------------------------------------------------------------------------------------------- low-pass and unpooling


def binomial(n, dtype, device=None):
    row = torch.tensor([math.comb(n - 1, i) for i in range(n)], dtype=dtype, device=device)
    kernel = torch.outer(row, row)
    return kernel / kernel.sum()


def lpf(x, n, mode, gain=1.0):
    """LPF-n: the binomial filter b_n (x) b_n, depthwise, stride 1; n <= 1 is the identity."""
    if n <= 1:
        return x
    channels = x.shape[1]
    weight = (gain * binomial(n, x.dtype, x.device)).expand(channels, 1, n, n)
    return conv(x, weight, mode=mode, groups=channels)


def unpool(z, phase, stride, n=3, mode="zero"):
    """u[sh*i + a, sw*j + b] = z[i, j] with each sample's phase (a, b), zero elsewhere; then LPF-n with gain sh*sw."""
    sh, sw = pair(stride)
    samples, channels, h, w = z.shape
    one_hot = F.one_hot(phase.long(), sh * sw).to(z.dtype).view(samples, 1, 1, sh, 1, sw)
    u = (z.view(samples, channels, h, 1, w, 1) * one_hot).reshape(samples, channels, h * sh, w * sw)
    return lpf(u, n, mode, gain=float(sh * sw))


# ---------------------------------------------------------------------------------------------------------------- phases


def phases(x, stride):
    """(N, C, H, W) -> (N, C, K, h, w): every P_k(x)."""
    n, c, height, width = x.shape
    sh, sw = stride
    h, w = height // sh, width // sw
    return x.reshape(n, c, h, sh, w, sw).permute(0, 1, 3, 5, 2, 4).reshape(n, c, sh * sw, h, w)


def phase_sums(x, stride):
    """(N, C, K): the sum of every P_k(x)."""
    n, c, height, width = x.shape
    sh, sw = stride
    return x.reshape(n, c, height // sh, sh, width // sw, sw).sum((2, 4)).reshape(n, c, sh * sw)


def square_norms(x, stride):
    """(N, K): ||P_k(x)||^2 over all channels."""
    return phase_sums(x.square().sum(1, keepdim=True), stride)[:, 0]


def choose(score, x, stride):
    """argmax over k of score (N, K). Ties: the larger ||P_k(x)||^2 (summed in double), then the lowest index."""
    tied = score == score.max(1, keepdim=True).values
    if bool((tied.sum(1) > 1).any()):
        norms = square_norms(x.double(), stride)
        norms = torch.where(tied, norms, torch.full_like(norms, -1.0))
        tied = norms == norms.max(1, keepdim=True).values
    return tied.to(torch.uint8).argmax(1)


def pick_phase(x, phase, stride):
    """P_k(x) with one k per sample."""
    return phases(x, stride)[torch.arange(x.shape[0]), :, phase]


def gather_map(x, rows, cols):
    """out[n, c, i, j] = x[n, c, rows[n, i], cols[n, j]], in the memory format of x."""
    n, c, height, width = x.shape
    if x.is_contiguous(memory_format=torch.channels_last) and not x.is_contiguous():
        sample = torch.arange(n, device=x.device).view(n, 1, 1)
        return x[sample, :, rows[:, :, None], cols[:, None, :]].permute(0, 3, 1, 2)
    flat = (rows[:, :, None] * width + cols[:, None, :]).view(n, 1, -1).expand(n, c, -1)
    return x.reshape(n, c, -1).gather(2, flat).view(n, c, height, width)


def roll_back(x, a, b):
    """T_{-(a, b)} x with one (a, b) per sample: out[i, j] = x[(i + a) mod H, (j + b) mod W]."""
    height, width = x.shape[2:]
    rows = (torch.arange(height, device=x.device) + a[:, None]) % height
    cols = (torch.arange(width, device=x.device) + b[:, None]) % width
    return gather_map(x, rows, cols)


def shift_zero_fill(x, dy, dx):
    """out[n, c, i, j] = x[n, c, i - dy[n], j - dx[n]], zero where that lies outside."""
    height, width = x.shape[2:]
    rows = torch.arange(height, device=x.device) - dy[:, None]
    cols = torch.arange(width, device=x.device) - dx[:, None]
    inside = ((rows >= 0) & (rows < height))[:, None, :, None] & ((cols >= 0) & (cols < width))[:, None, None, :]
    return gather_map(x, rows.clamp(0, height - 1), cols.clamp(0, width - 1)) * inside


def mix_phases(y, tau, stride):
    """sum_k tau[n, c, k] P_k(y)."""
    return (phases(y, stride) * tau[..., None, None]).sum(2)


class FastRollBack(torch.autograd.Function):
    """`roll_back` whose gradient is the opposite roll instead of a scatter."""

    @staticmethod
    def forward(ctx, x, a, b):
        ctx.save_for_backward(a, b)
        return roll_back(x, a, b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return roll_back(grad, -a, -b), None, None


class FastMix(torch.autograd.Function):
    """`mix_phases` on strided slices: the phases are never materialised."""

    @staticmethod
    def forward(ctx, y, tau, stride):
        ctx.save_for_backward(y, tau)
        ctx.stride = stride
        sh, sw = stride
        out = y[:, :, ::sh, ::sw] * tau[:, :, 0, None, None]
        for k in range(1, sh * sw):
            out.addcmul_(y[:, :, k // sw::sh, k % sw::sw], tau[:, :, k, None, None])
        return out

    @staticmethod
    def backward(ctx, grad):
        y, tau = ctx.saved_tensors
        sh, sw = ctx.stride
        dy, dtau = torch.empty_like(y), torch.empty_like(tau)
        for k in range(sh * sw):
            torch.mul(grad, tau[:, :, k, None, None], out=dy[:, :, k // sw::sh, k % sw::sw])
            dtau[:, :, k] = (grad * y[:, :, k // sw::sh, k % sw::sw]).sum((2, 3))
        return dy, dtau, None


# ------------------------------------------------------------------------------------------------------------- operators


class Pool(nn.Module):
    """Base: the stride, the network's padding mode, the steps `before` ("max3+lpf3") and the optional LPF-n in front."""

    def __init__(self, channels, stride=2, padding="zero", lpf=0, shortcut=False, before="none"):
        super().__init__()
        assert padding in PADDINGS
        self.channels, self.stride, self.padding, self.lpf = channels, pair(stride), padding, lpf
        self.shortcut, self.before = shortcut, before.split("+")

    def step(self, x, step):
        name, size = step.rstrip("0123456789"), int(step.lstrip("abcdefghijklmnopqrstuvwxyz") or self.stride[0])
        return {"none": lambda: x, "max": lambda: dense_max(x, size, self.padding), "lpf": lambda: lpf(x, size, self.padding)}[name]()

    def forward(self, x, shared=None, **given):
        for step in self.before:
            x = self.step(x, step)
        return self.pool(lpf(x, self.lpf, self.padding), shared, **given)

    def first_phase(self, x):
        return x[:, :, ::self.stride[0], ::self.stride[1]]

    def extend(self, x):
        return extend(x, self.stride, self.padding)


class NonePool(Pool):
    def forward(self, x, shared=None):
        return Out(x)


class StridePool(Pool):
    def pool(self, x, shared):
        return Out(self.first_phase(x))


class MaxPool(Pool):
    def pool(self, x, shared):
        return Out(F.max_pool2d(self.extend(x), self.stride))


class AvgPool(Pool):
    def pool(self, x, shared):
        return Out(F.avg_pool2d(self.extend(x), self.stride))


class BlurPool(Pool):
    """LPF-n, then P_0. It is the low-pass filter itself: `lpf` sets its size."""

    def __init__(self, channels, n=3, **base):
        super().__init__(channels, **base)
        self.n = self.lpf or n

    def forward(self, x, shared=None):
        return Out(self.first_phase(lpf(x, self.n, self.padding)))


class DdacPool(Pool):
    """A predicted k x k filter per pixel and channel group, then P_0."""

    def __init__(self, channels, groups=8, kernel=3, softmax="all", **base):
        super().__init__(channels, **base)
        assert softmax in ("all", "group") and kernel % 2 == 1
        self.groups = max(g for g in range(1, groups + 1) if channels % g == 0)
        self.kernel, self.softmax = kernel, softmax
        taps = self.groups * kernel * kernel
        self.predict = nn.Conv2d(channels, taps, kernel, bias=False)
        self.norm = nn.BatchNorm2d(taps)

    def pool(self, x, shared):
        (sh, sw), k, g = self.stride, self.kernel, self.groups
        x = self.extend(x)
        n, c, height, width = x.shape
        logits = self.norm(conv(x, self.predict.weight, mode=self.padding))
        logits = self.first_phase(logits).reshape(n, g, k * k, -1)  # the filter is needed at the kept pixels only
        if self.softmax == "all":
            weights = logits.flatten(1, 2).softmax(1).view_as(logits)
        else:
            weights = logits.softmax(2)
        h, w = -(-height // sh), -(-width // sw)
        weights = weights.view(n, g, k * k, h, w)
        r = k // 2
        padded = pad_map(x, r, r, r, r, self.padding)
        y = 0
        for t in range(k * k):
            i, j = t // k, t % k
            tap = padded[:, :, i:i + height:sh, j:j + width:sw]
            y = y + weights[:, :, t].repeat_interleave(c // g, 1) * tap
        return Out(y)


class ApsPool(Pool):
    """P_k with k the phase of the largest p-norm, one per sample."""

    def __init__(self, channels, p=2, **base):
        super().__init__(channels, **base)
        self.p = float(p)
        assert self.p in (1.0, 2.0, math.inf)

    def pool(self, x, shared):
        x = self.extend(x)
        if shared is None:
            with torch.no_grad():
                parts = phases(x, self.stride)
                if self.p == math.inf:
                    score = parts.abs().amax((1, 3, 4))
                else:
                    score = parts.abs().pow(self.p).sum((1, 3, 4))
                shared = choose(score, x, self.stride)
        return Out(pick_phase(x, shared, self.stride), shared)


class LpsPool(Pool):
    """A small net scores every phase. Training mixes with a Gumbel-softmax sample, inference picks the best phase."""

    def __init__(self, channels, width=0, temperature=0.23, **base):
        super().__init__(channels, **base)
        self.temperature = float(temperature)
        width = width or max(8, channels // 8)
        if not self.shortcut:  # the logit net sits in the main branch only
            self.logits = nn.ModuleList([nn.Conv2d(channels, width, 3), nn.Conv2d(width, width, 3)])

    def scores(self, x):
        parts = phases(x, self.stride)
        n, c, count, h, w = parts.shape
        z = parts.transpose(1, 2).reshape(n * count, c, h, w)
        first, second = self.logits
        z = conv(z, first.weight, first.bias, self.padding).relu()
        z = conv(z, second.weight, second.bias, self.padding)
        return z.mean((1, 2, 3)).view(n, count)

    def pool(self, x, shared, noise=None):
        x = self.extend(x)
        if shared is None:
            scores = self.scores(x)
            if self.training:
                if noise is None:
                    noise = -torch.log(-torch.log(torch.rand_like(scores).clamp_min(1e-20)))
                shared = ((scores + noise) / self.temperature).softmax(1)
            else:
                shared = choose(scores.detach(), x, self.stride)
        if shared.is_floating_point():
            return Out((phases(x, self.stride) * shared[:, None, :, None, None]).sum(2), shared)
        return Out(pick_phase(x, shared, self.stride), shared)


def fm_loss(tau, form):
    """L_FM of one layer, the mean over samples and channels."""
    count = tau.shape[2]
    n = torch.linalg.vector_norm(tau, dim=2)
    if form == "paper":
        value = (1 - count) * n
    elif form == "code":
        value = 1 - n
    elif form == "skew":
        value = n - 1
    elif form == "uniform":
        value = 1 - count * n
    elif form == "band":
        value = (n - 0.5 * (1 / math.sqrt(count) + 1)).square()
    elif form == "off":
        return tau.new_zeros(())
    else:
        raise ValueError(f"fm={form}")
    return value.mean()


class TipsPool(Pool):
    """X^ = sum_k tau_k(y) P_k(y), y = T_{-a*} x. See the options in the constructor; `fast` only changes how it is computed."""

    def __init__(self, channels, psi="full", tau="gap", anchor="none", select="soft", fm="paper", fast=True, **base):
        super().__init__(channels, **base)
        assert psi in ("full", "depthwise") and tau in ("gap", "quadrant", "phase") and select in ("soft", "hard")
        if anchor not in ("none", "norm", "logits") or (anchor == "logits" and tau != "phase"):
            raise ValueError("anchor=logits needs tau=phase")
        self.tau, self.anchor, self.select, self.fm, self.fast = tau, anchor, select, fm, fast
        self.groups = channels if psi == "depthwise" else 1
        count = self.stride[0] * self.stride[1]
        self.psi, self.mix = nn.Module(), nn.Module()
        self.psi.weight = nn.Parameter(torch.empty(channels, channels // self.groups, 3, 3))
        shape = {"gap": (channels * count, channels), "quadrant": (channels,), "phase": (channels, channels)}[tau]
        self.mix.weight = nn.Parameter(torch.empty(shape))
        if tau == "gap":
            self.mix.bias = nn.Parameter(torch.zeros(channels * count))
        nn.init.normal_(self.psi.weight, std=math.sqrt(2 / self.psi.weight[0].numel()))
        nn.init.normal_(self.mix.weight, std=1 / math.sqrt(self.mix.weight[0].numel()))

    def features(self, x):
        return conv(x, self.psi.weight, mode=self.padding, groups=self.groups).relu()

    def draw_shifts(self, x):
        """(dy, dx), one pair per sample, dy in {0..ceil(h/10)}, dx in {0..ceil(w/10)}."""
        n, _, height, width = x.shape
        return torch.randint(0, -(-height // 10) + 1, (n,)), torch.randint(0, -(-width // 10) + 1, (n,))

    def pool(self, x, shared, shifts=None):
        x = self.extend(x)
        sh, sw = self.stride
        n, c, height, width = x.shape
        count = sh * sw
        psi = self.features(x)

        logits = None
        if self.tau == "gap":  # a global mean: the roll by the anchor does not change it
            logits = F.linear(psi.mean((2, 3)), self.mix.weight, self.mix.bias).view(n, c, count)
        elif self.tau == "phase":
            means = phase_sums(psi, self.stride) / (psi.shape[2] * psi.shape[3] // count)
            logits = torch.matmul(self.mix.weight, means)

        anchor = None
        if self.anchor != "none":
            anchor = shared
            if anchor is None:
                with torch.no_grad():
                    score = logits.sum(1) if self.anchor == "logits" else square_norms(x, self.stride)
                    anchor = choose(score, x, self.stride)
        y = x
        if anchor is not None:
            a, b = torch.div(anchor, sw, rounding_mode="floor"), anchor % sw
            y = FastRollBack.apply(x, a, b) if self.fast else roll_back(x, a, b)

        if self.tau == "phase" and anchor is not None:  # tau_k(y) is tau(x), permuted
            k = torch.arange(count, device=x.device)
            rows = (a[:, None] + torch.div(k, sw, rounding_mode="floor")) % sh
            order = rows * sw + (b[:, None] + k % sw) % sw
            logits = logits.gather(2, order[:, None, :].expand(n, c, count))
        elif self.tau == "quadrant":
            moved = psi  # psi(y) is taken as T_{-a*} psi(x): the same under circular padding
            if anchor is not None:
                moved = FastRollBack.apply(psi, a, b) if self.fast else roll_back(psi, a, b)
            quadrants = F.adaptive_avg_pool2d(moved, (sh, sw))
            logits = self.mix.weight[:, None] * quadrants.flatten(2)

        tau = logits.softmax(2)
        weights = tau
        if self.select == "hard":  # straight-through
            one_hot = F.one_hot(tau.argmax(2), count).to(tau.dtype)
            weights = one_hot + tau - tau.detach() if self.training else one_hot
        out = FastMix.apply(y, weights, self.stride) if self.fast else mix_phases(y, weights, self.stride)

        fm = undo = None
        if self.training:
            fm = fm_loss(tau, self.fm)
            dy, dx = self.draw_shifts(x) if shifts is None else shifts
            with torch.no_grad():
                target = shift_zero_fill(x, dy, dx)
            undo = F.mse_loss(psi, target)
        return Out(out, anchor, tau, fm, undo)


# ------------------------------------------------------------------------------------------------------------------ specs

TIPS = {
    "tips": dict(psi="full", tau="gap", anchor="none", fm="paper"),
    "tips-official": dict(psi="depthwise", tau="quadrant", anchor="none", fm="code"),
    "tips-exact": dict(psi="depthwise", tau="phase", anchor="logits", fm="band", before="max"),
}
OPERATORS = {
    "none": NonePool, "stride": StridePool, "max": MaxPool, "avg": AvgPool, "blur": BlurPool, "ddac": DdacPool, "aps": ApsPool, "lps": LpsPool,
    "tips": TipsPool, "tips-official": TipsPool, "tips-exact": TipsPool,
}
NUMBERS = {"n": int, "groups": int, "kernel": int, "width": int, "p": float, "temperature": float}


def make_pool(spec, channels, stride=2, padding="zero", lpf=0, shortcut=False, **more):
    """The operator written `name` or `name:key=value,...`."""
    name, _, text = spec.partition(":")
    options = dict(TIPS.get(name, {}))
    for item in filter(None, text.split(",")):
        key, _, value = item.partition("=")
        options[key] = NUMBERS.get(key, str)(value)
    return OPERATORS[name](channels, stride=stride, padding=padding, lpf=lpf, shortcut=shortcut, **options, **more)
