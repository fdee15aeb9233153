"""Writes the golden vectors: *.golden and SHA256SUMS beside this file. See README.md for the format.

Run:    python3 tests/golden/generate.py            writes the files
        python3 tests/golden/generate.py --check    recomputes and compares with what is there, to a tolerance

Inputs are exact float32 numbers; results are computed in double and rounded once. Every case is also computed in single precision and with slightly
perturbed inputs, and is drawn again where that changes the answer: no golden value hangs on a near-tie or on the kink of a ReLU.
"""
import hashlib
import os
import sys
import zlib

import numpy as np
import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "bench"))
import torch_net  # noqa: E402
import torch_ops as ops  # noqa: E402

class Draw:
    """Inputs of one case: the same float32 numbers for every precision, optionally perturbed."""

    def __init__(self, seed, dtype, jitter=0.0, again=0):
        self.rng, self.dtype, self.jitter = np.random.RandomState(seed), dtype, jitter
        self.noise = np.random.RandomState(again)

    def give(self, values):
        values = np.asarray(values, dtype=np.float32)
        if self.jitter:
            values = values * (1 + self.jitter * self.noise.standard_normal(values.shape))
        return torch.from_numpy(np.array(values, dtype=np.float64)).to(self.dtype)

    def normal(self, *shape, scale=1.0, shift=0.0):
        return self.give(shift + scale * self.rng.standard_normal(shape))

    def positive(self, *shape):
        return self.give(0.5 + self.rng.random_sample(shape))

    def gumbel(self, *shape):
        return self.give(self.rng.gumbel(size=shape))

    def integers(self, high, *shape):
        return torch.from_numpy(self.rng.randint(0, high, shape))


# ----------------------------------------------------------------------------------------------------------------- files


def encode(name, value):
    if isinstance(value, str):
        head, data = f"{name} txt 1 {len(value)}", value.encode("ascii")
    else:
        array = value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
        kind = "f32" if array.dtype.kind == "f" else "i32"
        head = " ".join(map(str, [name, kind, array.ndim, *array.shape]))
        data = np.ascontiguousarray(array, dtype="<f4" if kind == "f32" else "<i4").tobytes()
    return head.encode("ascii") + b"\n" + data + b"\n"


def decode(data):
    """[(name, str or array)] of a file."""
    records, at = [], 0
    while at < len(data):
        end = data.index(b"\n", at)
        name, kind, _, *shape = data[at:end].decode("ascii").split()
        shape, at = [int(d) for d in shape], end + 1
        size = int(np.prod(shape)) * (1 if kind == "txt" else 4)
        raw = data[at:at + size]
        assert data[at + size:at + size + 1] == b"\n"
        records.append((name, raw.decode("ascii") if kind == "txt" else np.frombuffer(raw, {"f32": "<f4", "i32": "<i4"}[kind]).reshape(shape)))
        at += size + 1
    return records


FILES = {}  # name -> bytes
TEXTS = set()


def dims(shape):
    return "x".join(map(str, shape))


def close(one, other, tolerance):
    for name, value in one.items():
        if not isinstance(value, torch.Tensor):
            continue
        if value.is_floating_point():
            value, second = value.detach().double(), other[name].detach().double()
            if float((value - second).abs().max()) > tolerance * max(1.0, float(value.abs().max())):
                return False
        elif not torch.equal(value, other[name]):
            return False
    return True


def case(file, text, build, stable=True, jitter=3e-5, slack=2e-3):
    """build(draw) -> {record: value}. Inputs perturbed by `jitter`, relative, must not change a result by more than `slack`."""
    assert (file, text) not in TEXTS, text
    TEXTS.add((file, text))
    for attempt in range(200):
        seed = zlib.crc32(f"{text} {attempt}".encode())
        records = build(Draw(seed, torch.double))
        if not stable or (close(records, build(Draw(seed, torch.float)), 1e-4)
                          and all(close(records, build(Draw(seed, torch.double, jitter, again)), slack) for again in range(4))):
            break
    else:
        raise RuntimeError(f"no stable draw for {text}")
    parts = [encode("case", text)] + [encode(name, value) for name, value in records.items()]
    FILES[file] = FILES.get(file, b"") + b"".join(parts)


def leaves(tensors):
    return {name: value.requires_grad_() for name, value in tensors.items()}


def differentiate(draw, inputs, forward, extra=None):
    """Records of y = forward(**inputs): the inputs, y, a drawn dy, and d<name> for every input."""
    leaves(inputs)
    y = forward(**inputs)
    dy = draw.normal(*y.shape)
    grads = torch.autograd.grad((y * dy).sum(), list(inputs.values()))
    return {**inputs, **(extra or {}), "y": y, "dy": dy, **{f"d{name}": g for name, g in zip(inputs, grads)}}


# ---------------------------------------------------------------------------------------------------------------- layers


def conv_case(x, oc, kernel, stride=1, dilation=1, groups=1, padding="zero", pads=None, bias=True):
    kh, kw = ops.pair(kernel)
    sh, sw = ops.pair(stride)
    if pads is None:
        eh, ew = dilation * (kh - 1), dilation * (kw - 1)
        pads = (eh // 2, eh - eh // 2, ew // 2, ew - ew // 2)
    text = (f"conv2d kernel={kh}x{kw} stride={sh}x{sw} dilation={dilation}x{dilation} groups={groups} padding={padding} "
            f"pad={','.join(map(str, pads))} bias={int(bias)} x={dims(x)}")

    def build(draw):
        inputs = {"x": draw.normal(*x), "weight": draw.normal(oc, x[1] // groups, kh, kw, scale=0.5)}
        if bias:
            inputs["bias"] = draw.normal(oc)
        return differentiate(draw, inputs, lambda x, weight, bias=None: ops.conv(x, weight, bias, padding, pads, (sh, sw), dilation, groups))

    case("conv2d", text, build)


def conv_cases():
    conv_case((2, 3, 5, 6), 5, 1)
    conv_case((1, 12, 5, 4), 8, 1, stride=2, bias=False)
    for padding in ops.PADDINGS:
        conv_case((2, 3, 4, 5), 5, 3, padding=padding)
        conv_case((1, 5, 5, 6), 3, 5, padding=padding, bias=False)
        conv_case((1, 4, 5, 7), 6, 3, stride=2, groups=2, padding=padding)
        conv_case((1, 3, 5, 6), 4, (2, 3), padding=padding)
    conv_case((1, 3, 8, 7), 5, 7)
    conv_case((1, 3, 8, 7), 2, 7, padding="circular", bias=False)
    conv_case((1, 3, 9, 11), 2, 7, stride=2)
    conv_case((1, 12, 4, 5), 12, 3)
    conv_case((1, 16, 4, 5), 8, 3, padding="circular")
    conv_case((1, 8, 5, 6), 17, 3, stride=2, bias=False)
    conv_case((1, 5, 8, 7), 3, 3, stride=3)
    conv_case((1, 5, 6, 5), 12, 3, stride=(2, 1), padding="circular")
    conv_case((1, 3, 6, 7), 5, 3, dilation=2)
    conv_case((1, 3, 6, 7), 5, 3, dilation=2, padding="reflect", bias=False)
    conv_case((2, 5, 4, 5), 5, 3, groups=5)
    conv_case((1, 12, 5, 4), 12, 3, groups=12, padding="circular", bias=False)
    conv_case((1, 5, 4, 6), 10, 3, groups=5, padding="replicate")
    conv_case((1, 6, 6, 5), 9, 3, groups=3, padding="circular")
    conv_case((1, 6, 5, 7), 6, 3, groups=3, stride=2)
    conv_case((1, 3, 7, 6), 4, 3, pads=(0, 0, 0, 0))
    conv_case((1, 3, 5, 6), 4, 3, pads=(0, 2, 3, 1))
    conv_case((1, 3, 5, 6), 4, 3, padding="circular", pads=(0, 2, 3, 1))
    conv_case((2, 3, 2, 3), 3, 7, padding="circular")
    conv_case((1, 3, 2, 3), 2, 7, padding="reflect", bias=False)
    conv_case((1, 3, 1, 2), 4, 5, padding="circular", dilation=2)
    conv_case((2, 3, 1, 1), 4, 3)


def transposed_case(shape, oc, kernel, stride, cut=(0, 0), more=(0, 0), dilation=1, groups=1, bias=True, phase=False):
    """cut: rows and columns off both ends, as torch's padding."""
    (kh, kw), (sh, sw) = ops.pair(kernel), ops.pair(stride)
    text = (f"conv_transpose kernel={kh}x{kw} stride={sh}x{sw} dilation={dilation}x{dilation} groups={groups} padding=zero pad={cut[0]},{cut[0]},{cut[1]},{cut[1]} "
            f"more={more[0]}x{more[1]} bias={int(bias)} phase={int(phase)} x={dims(shape)}")

    def build(draw):
        inputs = {"x": draw.normal(*shape), "weight": draw.normal(shape[1], oc // groups, kh, kw, scale=0.5)}
        if bias:
            inputs["bias"] = draw.normal(oc)
        phases = draw.integers(sh * sw, shape[0])

        def forward(x, weight, bias=None):
            y = F.conv_transpose2d(x, weight, bias, (sh, sw), cut, more, groups, dilation)
            return torch.stack([torch.roll(y[n], (int(phases[n]) // sw, int(phases[n]) % sw), (1, 2)) for n in range(len(y))]) if phase else y

        return differentiate(draw, inputs, forward, {"phase": phases} if phase else None)

    case("conv_transpose", text, build)


def transposed_cases():
    for phase in (False, True):
        transposed_case((3, 5, 3, 4), 4, 2, 2, phase=phase)
        transposed_case((2, 17, 2, 3), 9, 2, 2, bias=False, phase=phase)
        transposed_case((2, 3, 4, 3), 5, 4, 2, cut=(1, 1), phase=phase)
        transposed_case((2, 4, 3, 3), 3, 3, 2, cut=(1, 1), more=(1, 1), phase=phase)
        transposed_case((2, 6, 2, 3), 6, (4, 2), (2, 2), cut=(1, 0), groups=6, bias=False, phase=phase)
        transposed_case((1, 4, 3, 2), 6, 3, (3, 3), groups=2, phase=phase)
    transposed_case((1, 3, 3, 4), 2, 3, (2, 3), dilation=2)
    transposed_case((1, 2, 3, 3), 3, (3, 2), 1)


def norm_case(shape, mode, relu=False, residual=False):
    text = f"batch_norm mode={mode} relu={int(relu)} residual={int(residual)} eps=1e-5 momentum=0.1 x={dims(shape)}"

    def build(draw):
        c = shape[1]
        inputs = {"x": draw.normal(*shape, scale=1.5, shift=0.5), "gamma": draw.normal(c, scale=0.5, shift=1.0), "beta": draw.normal(c)}
        if residual:
            inputs["residual"] = draw.normal(*shape)
        mean, var = draw.normal(c), draw.positive(c)
        after = {"running_mean_after": mean.clone(), "running_var_after": var.clone()}

        def forward(x, gamma, beta, residual=0):
            y = F.batch_norm(x, *after.values(), gamma, beta, training=mode == "train", momentum=0.1, eps=1e-5) + residual
            return y.relu() if relu else y

        extra = {"running_mean": mean, "running_var": var}
        records = differentiate(draw, inputs, forward, extra)
        return {**records, **(after if mode == "train" else {})}

    case("batch_norm", text, build)


def norm_cases():
    for mode in ("train", "infer"):
        for relu, residual in ((False, False), (True, False), (True, True), (False, True)):
            norm_case((2, 5, 3, 4), mode, relu, residual)
    norm_case((2, 12, 3, 3), "train", True)
    norm_case((4, 8, 1, 1), "train")


def group_norm_case(shape, groups, eps, affine=True):
    def build(draw):
        inputs = {"x": draw.normal(*shape, scale=1.5, shift=2.0)}
        if affine:
            inputs.update(weight=draw.normal(shape[1], scale=0.5, shift=1.0), bias=draw.normal(shape[1]))
        return differentiate(draw, inputs, lambda x, weight=None, bias=None: F.group_norm(x, groups, weight, bias, eps))

    case("norms", f"group_norm groups={groups} eps={eps} affine={'true' if affine else 'false'} x={dims(shape)}", build)


def kernel_norm_conv(x, weight, bias, padding, pads, stride, groups, eps):
    """Windows of the padded input are unfolded and normalised, all channels together, and only then multiplied by the weights."""
    x = ops.pad_map(x, *pads, padding)
    n, c = x.shape[:2]
    out, per_group, kh, kw = weight.shape
    height, width = (x.shape[2] - kh) // stride[0] + 1, (x.shape[3] - kw) // stride[1] + 1
    windows = F.unfold(x, (kh, kw), stride=stride)  # (n, c kh kw, windows)
    mean, var = windows.mean(1, keepdim=True), windows.var(1, unbiased=False, keepdim=True)
    windows = ((windows - mean) / torch.sqrt(var + eps)).view(n, groups, per_group * kh * kw, -1)
    y = torch.einsum("ngkl,gok->ngol", windows, weight.view(groups, out // groups, -1)).reshape(n, out, height, width)
    return y if bias is None else y + bias.view(1, -1, 1, 1)


def kernel_conv_case(x, oc, kernel, padding, stride=1, groups=1, eps=1e-5, bias=True):
    (kh, kw), (sh, sw) = ops.pair(kernel), ops.pair(stride)
    pads = ((kh - 1) // 2, kh - 1 - (kh - 1) // 2, (kw - 1) // 2, kw - 1 - (kw - 1) // 2)
    text = (f"kernel_conv out={oc} kernel={kh}x{kw} stride={sh}x{sw} groups={groups} pad-mode={padding} top={pads[0]} bottom={pads[1]} left={pads[2]} "
            f"right={pads[3]} bias={'true' if bias else 'false'} eps={eps} dropout=0 x={dims(x)}")

    def build(draw):
        inputs = {"x": draw.normal(*x, shift=0.5), "weight": draw.normal(oc, x[1] // groups, kh, kw, scale=0.5)}
        if bias:
            inputs["bias"] = draw.normal(oc)
        return differentiate(draw, inputs, lambda x, weight, bias=None: kernel_norm_conv(x, weight, bias, padding, pads, (sh, sw), groups, eps))

    case("norms", text, build)


def sample_norm_cases():
    """Norms of a sample: groups within blocks of 8 and 16 channels, across their borders, and of whole blocks."""
    for shape, groups in (((2, 6, 3, 4), 1), ((2, 6, 3, 4), 3), ((2, 12, 3, 3), 3), ((1, 20, 3, 2), 5), ((2, 8, 4, 3), 8),
                          ((1, 32, 2, 3), 2), ((1, 36, 2, 2), 4), ((2, 17, 2, 3), 1), ((1, 1, 4, 5), 1)):
        group_norm_case(shape, groups, 1e-5)
    group_norm_case((2, 12, 3, 3), 4, 0.01, affine=False)
    group_norm_case((2, 10, 1, 1), 2, 1e-3)
    for padding in ops.PADDINGS:
        kernel_conv_case((2, 3, 4, 5), 5, 3, padding)
        kernel_conv_case((1, 12, 3, 4), 8, (2, 3), padding, bias=False)
    kernel_conv_case((2, 12, 3, 3), 9, 1, "circular")
    kernel_conv_case((1, 17, 5, 4), 8, 3, "zero", stride=2)
    kernel_conv_case((1, 6, 4, 4), 9, 3, "circular", groups=3)
    kernel_conv_case((1, 10, 4, 3), 10, 3, "circular", groups=10, eps=0.01)


def layer_cases():
    case("layers", "relu", lambda d: differentiate(d, {"x": d.normal(2, 5, 4, 3)}, lambda x: x.relu()))
    case("layers", "add", lambda d: differentiate(d, {"a": d.normal(2, 5, 4, 3), "b": d.normal(2, 5, 4, 3)}, lambda a, b: a + b))
    for ca, cb in ((5, 3), (8, 4)):
        case("layers", f"concat channels={ca},{cb}", lambda d, ca=ca, cb=cb: differentiate(
            d, {"a": d.normal(2, ca, 3, 4), "b": d.normal(2, cb, 3, 4)}, lambda a, b: torch.cat((a, b), 1)))
    for n, inputs, outputs, bias in ((3, 12, 5, 1), (2, 5, 10, 0), (2, 33, 17, 1)):
        def linear(d, n=n, inputs=inputs, outputs=outputs, bias=bias):
            leaf = {"x": d.normal(n, inputs), "weight": d.normal(outputs, inputs)}
            if bias:
                leaf["bias"] = d.normal(outputs)
            return differentiate(d, leaf, lambda x, weight, bias=None: F.linear(x, weight, bias))
        case("layers", f"linear in={inputs} out={outputs} bias={bias}", linear)
    for shape in ((2, 5, 4, 6), (2, 12, 5, 5)):
        case("layers", f"global_average_pool x={dims(shape)}", lambda d, shape=shape: differentiate(d, {"x": d.normal(*shape)}, lambda x: x.mean((2, 3))))
    for padding in ops.PADDINGS:
        case("layers", f"dense_max kernel=3x3 stride=1x1 padding={padding}", lambda d, padding=padding: differentiate(
            d, {"x": d.normal(2, 3, 5, 6)}, lambda x: ops.dense_max(x, 3, padding)))

    def cross_entropy(d, n, classes, scale):
        x, labels, dloss = d.normal(n, classes, scale=scale).requires_grad_(), d.integers(classes, n), d.normal(n)
        loss = F.cross_entropy(x, labels, reduction="none")
        dx, = torch.autograd.grad((loss * dloss).sum(), x, retain_graph=True)
        dx_mean, = torch.autograd.grad(loss.mean(), x)
        return {"x": x, "labels": labels, "loss": loss, "mean": loss.mean(), "dloss": dloss, "dx": dx, "dx_mean": dx_mean}

    def mixed_cross_entropy(d, n, classes, smoothing):
        x, labels, others, dloss = d.normal(n, classes).requires_grad_(), d.integers(classes, n), d.integers(classes, n), d.normal(n)
        share = torch.sigmoid(d.normal(n))
        target = share[:, None] * F.one_hot(labels, classes) + (1 - share[:, None]) * F.one_hot(others, classes)
        loss = F.cross_entropy(x, target, reduction="none", label_smoothing=smoothing)
        dx, = torch.autograd.grad((loss * dloss).sum(), x)
        return {"x": x, "labels": labels, "others": others, "share": share[:, None, None, None], "loss": loss, "dloss": dloss, "dx": dx}

    for n, classes, percent in ((5, 4, 0), (3, 10, 10)):
        case("losses", f"mixed_cross_entropy classes={classes} smoothed={percent}",
             lambda d, n=n, k=classes, s=percent / 100: mixed_cross_entropy(d, n, k, s))

    for n, classes, scale in ((4, 5, 1), (3, 10, 3), (2, 257, 1), (3, 7, 60)):
        case("losses", f"softmax_cross_entropy classes={classes}", lambda d, n=n, k=classes, s=scale: cross_entropy(d, n, k, s))

    def pixel_losses(d, n, classes, h, w, ignore, loss_of):
        x, labels, dloss = d.normal(n, classes, h, w).requires_grad_(), d.integers(classes, n, h, w), d.normal(n)
        loss = torch.stack([loss_of(x[i], labels[i], labels[i] != ignore) for i in range(n)])
        dx, = torch.autograd.grad((loss * dloss).sum(), x)
        return {"x": x, "labels": labels, "loss": loss, "dloss": dloss, "dx": dx}

    def pixel_cross_entropy(x, labels, known):
        return F.cross_entropy(x.permute(1, 2, 0)[known], labels[known])

    def dice(x, labels, known, smooth=1):
        share = torch.softmax(x, 0).permute(1, 2, 0)[known]
        truth = F.one_hot(labels[known], x.shape[0]).to(x.dtype)
        return 1 - ((2 * (share * truth).sum(0) + smooth) / (share.sum(0) + truth.sum(0) + smooth)).mean()

    for n, classes, h, w, ignore in ((3, 2, 4, 5, -1), (2, 21, 6, 5, 3)):
        for name, loss_of in (("pixel_cross_entropy", pixel_cross_entropy), ("dice", dice)):
            case("losses", f"{name} classes={classes} ignore={ignore}",
                 lambda d, n=n, k=classes, h=h, w=w, i=ignore, f=loss_of: pixel_losses(d, n, k, h, w, i, f))

    def mse(d):
        inputs = leaves({"a": d.normal(3, 5, 4, 2), "b": d.normal(3, 5, 4, 2)})
        loss = F.mse_loss(*inputs.values())
        da, db = torch.autograd.grad(loss, list(inputs.values()))
        return {**inputs, "loss": loss, "da": da, "db": db}

    case("losses", "mse", mse)

    def distill(d, n, classes, scale, temperature):
        x, t, dloss = d.normal(n, classes, scale=scale).requires_grad_(), d.normal(n, classes, scale=scale), d.normal(n)
        divergence = F.kl_div(F.log_softmax(x / temperature, 1), F.softmax(t / temperature, 1), reduction="none").sum(1)
        loss = divergence * temperature ** 2
        dx, = torch.autograd.grad((loss * dloss).sum(), x)
        return {"x": x, "t": t, "loss": loss, "dloss": dloss, "dx": dx}

    for n, classes, scale, temperature in ((4, 5, 1, 1), (3, 10, 3, 4), (2, 257, 1, 2), (3, 7, 60, 3)):
        case("losses", f"distill classes={classes} temperature={temperature}",
             lambda d, n=n, k=classes, s=scale, temperature=temperature: distill(d, n, k, s, temperature))

    def contrast(d, n, channels, numbers, temperature):
        x, labels, dloss = d.normal(n, channels).requires_grad_(), d.integers(numbers, n), d.normal(n)
        z = F.normalize(x, dim=1)
        others = 1 - torch.eye(n, dtype=x.dtype)
        alike = (labels[:, None] == labels[None, :]).to(x.dtype) * others
        log_share = F.log_softmax((z @ z.T / temperature).masked_fill(others == 0, -float("inf")), 1).masked_fill(others == 0, 0)
        loss = -(alike * log_share).sum(1) / alike.sum(1).clamp(min=1)
        dx, = torch.autograd.grad((loss * dloss).sum(), x)
        return {"x": x, "labels": labels, "z": z, "loss": loss, "dloss": dloss, "dx": dx}

    for n, channels, numbers, percent in ((8, 5, 4, 50), (12, 16, 3, 10), (6, 33, 1, 7), (5, 3, 9, 50)):
        case("losses", f"contrast channels={channels} numbers={numbers} percent={percent}",
             lambda d, n=n, c=channels, k=numbers, t=percent / 100: contrast(d, n, c, k, t))

    for padding in ops.PADDINGS:
        for n in range(2, 8):
            case("lpf", f"lpf n={n} padding={padding}", lambda d, n=n, padding=padding: differentiate(
                d, {"x": d.normal(1, 2, 7, 8)}, lambda x: ops.lpf(x, n, padding)))
        case("lpf", f"lpf n=7 padding={padding} x=1x9x2x3", lambda d, padding=padding: differentiate(
            d, {"x": d.normal(1, 9, 2, 3)}, lambda x: ops.lpf(x, 7, padding)))


def activation_cases():
    """Layers of networks that come from elsewhere. Inputs are wide enough to reach both ends of the functions."""

    def one(text, function, shape=(2, 5, 3, 2), **params):
        case("activations", f"{text} x={dims(shape)}", lambda d: differentiate(
            d, {"x": d.normal(*shape, scale=2.5), **{name: d.normal(size) for name, size in params.items()}}, function))

    one("clip min=0 max=6", lambda x: F.relu6(x))
    one("clip min=-1.5 max=inf", lambda x: x.clamp(min=-1.5))
    one("clip min=-inf max=0.5", lambda x: x.clamp(max=0.5), (1, 11, 1, 1))
    one("leaky_relu alpha=0.01", lambda x: F.leaky_relu(x, 0.01))
    one("leaky_relu alpha=0.3", lambda x: F.leaky_relu(x, 0.3), (1, 11, 1, 2))
    one("prelu shared=0", lambda x, weight: F.prelu(x, weight), weight=5)
    one("prelu shared=1", lambda x, weight: F.prelu(x, weight), (1, 11, 2, 2), weight=1)
    one("sigmoid", lambda x: x.sigmoid())
    one("hard_sigmoid alpha=0.16666666666666666 beta=0.5", lambda x: F.hardsigmoid(x))
    one("hard_sigmoid alpha=0.2 beta=0.5", lambda x: (0.2 * x + 0.5).clamp(0, 1))
    one("hard_swish", lambda x: F.hardswish(x))
    one("silu", lambda x: F.silu(x))
    one("tanh", lambda x: x.tanh())
    one("gelu", lambda x: F.gelu(x), (2, 11, 3, 2))
    one("affine", lambda x, weight, bias: x * weight.view(1, -1, 1, 1) + bias.view(1, -1, 1, 1), weight=5, bias=5)
    for shape in ((2, 3, 2, 3), (2, 11, 1, 1)):
        one("softmax", lambda x: x.softmax(1), shape)
        one("log_softmax", lambda x: x.log_softmax(1), shape)
    one("lrn size=5 alpha=0.5 beta=0.75 bias=2", lambda x: F.local_response_norm(x, 5, 0.5, 0.75, 2.0), (2, 11, 2, 2))
    one("lrn size=3 alpha=0.0001 beta=0.6 bias=1", lambda x: F.local_response_norm(x, 3, 0.0001, 0.6, 1.0))

    def even_window(x):  # one channel before, two after: ONNX; local_response_norm puts the longer side before
        total = F.avg_pool3d(F.pad((x * x).unsqueeze(1), (0, 0, 0, 0, 1, 2)), (4, 1, 1), stride=1).squeeze(1)
        return x / (1 + 0.7 * total) ** 0.75

    one("lrn size=4 alpha=0.7 beta=0.75 bias=1", even_window)
    both = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b}
    for op, a, b in (("add", (2, 5, 3, 2), (2, 5, 1, 1)), ("sub", (2, 1, 3, 2), (2, 5, 3, 2)), ("mul", (2, 11, 3, 2), (2, 11, 1, 1)),
                     ("mul", (2, 5, 1, 4), (2, 1, 3, 1)), ("div", (2, 5, 3, 2), (2, 5, 3, 2)), ("div", (2, 1, 1, 2), (2, 9, 3, 1))):
        case("activations", f"combine op={op} a={dims(a)} b={dims(b)}", lambda d, op=op, a=a, b=b: differentiate(
            d, {"a": d.normal(*a), "b": d.positive(*b)}, both[op]))


def windows(x, window, shift):
    """(n, c, h, w) as (n, windows, c, tokens) of the map rolled by -shift."""
    n, c, h, w = x.shape
    x = torch.roll(x, (-shift[0], -shift[1]), (2, 3)).reshape(n, c, h // window[0], window[0], w // window[1], window[1])
    return x.permute(0, 2, 4, 1, 3, 5).reshape(n, -1, c, window[0] * window[1])


def whole(y, size, window, shift):
    """The way back."""
    n, _, c, _ = y.shape
    y = y.reshape(n, size[0] // window[0], size[1] // window[1], c, window[0], window[1]).permute(0, 3, 1, 4, 2, 5)
    return torch.roll(y.reshape(n, c, *size), shift, (2, 3))


def attention(x, heads, window, shift=0, masked=0, table=None):
    size = x.shape[2:]
    window = (window, window) if window else tuple(size)
    shift = tuple(shift if window[i] < size[i] else 0 for i in (0, 1))
    q, k, v = (part.unflatten(2, (heads, -1)).transpose(3, 4) for part in windows(x, window, shift).chunk(3, 2))
    scores = q @ k.transpose(3, 4) / q.shape[-1] ** 0.5
    if table is not None:
        y, x = (axis.flatten() for axis in torch.meshgrid(torch.arange(window[0]), torch.arange(window[1]), indexing="ij"))
        place = (y[:, None] - y[None] + window[0] - 1) * (2 * window[1] - 1) + x[:, None] - x[None] + window[1] - 1
        scores = scores + table[place].permute(2, 0, 1)
    if masked:
        regions = torch.zeros(1, 1, *size, dtype=scores.dtype)
        for axis in (0, 1):
            along = torch.arange(size[axis])
            part = (along >= size[axis] - window[axis]).long() + (along >= size[axis] - shift[axis]).long() if shift[axis] else 0 * along
            regions += (part * 3 ** (1 - axis)).view((-1, 1) if axis == 0 else (1, -1))
        region = windows(regions, window, (0, 0))[:, :, 0]
        scores = scores - 100.0 * (region[:, :, :, None] != region[:, :, None, :]).to(scores.dtype)[:, :, None]
    return whole((scores.softmax(-1) @ v).transpose(3, 4).flatten(2, 3), size, window, shift)


def transformer_cases():
    """Layers whose tokens are the pixels of a map."""

    def one(text, function, shape, **params):
        case("transformers", f"{text} x={dims(shape)}", lambda d: differentiate(
            d, {"x": d.normal(*shape), **{name: d.normal(*size) for name, size in params.items()}}, function))

    for shape, eps in (((2, 5, 2, 3), 1e-5), ((1, 19, 1, 4), 1e-6), ((3, 11, 1, 1), 0.01)):
        one(f"layer_norm eps={eps}", lambda x, weight, bias, eps=eps: F.layer_norm(x.permute(0, 2, 3, 1), weight.shape, weight, bias, eps).permute(0, 3, 1, 2),
            shape, weight=(shape[1],), bias=(shape[1],))
    for heads, d, h, w, window, shift, masked, bias in (
            (2, 3, 1, 5, 0, 0, 0, 0), (3, 16, 2, 4, 0, 0, 0, 0), (1, 4, 4, 6, 2, 0, 0, 1), (2, 8, 6, 3, 3, 1, 0, 0),
            (2, 5, 6, 6, 3, 1, 1, 1), (2, 16, 8, 4, 4, 2, 1, 1)):
        extra = {"relative_position_bias_table": ((2 * window - 1) ** 2, heads)} if bias else {}
        one(f"attention heads={heads} window={window} shift={shift} masked={masked} bias={bias}",
            lambda x, relative_position_bias_table=None, heads=heads, window=window, shift=shift, masked=masked: attention(
                x, heads, window, shift, masked, relative_position_bias_table), (1, 3 * heads * d, h, w), **extra)
    for shape in ((2, 5, 2, 3), (1, 19, 3, 1)):
        one("position_embedding extra=1", lambda x, own: torch.cat((torch.zeros_like(x[..., :1, :1].flatten(2)), x.flatten(2)), 2).unsqueeze(2)
            + own.transpose(1, 2).unsqueeze(2), shape, own=(1, shape[2] * shape[3] + 1, shape[1]))
        one("position_embedding extra=0", lambda x, own: x + own.transpose(1, 2).reshape(1, *x.shape[1:]), shape, own=(1, shape[2] * shape[3], shape[1]))
        one("class_token", lambda x, own: torch.cat((x.flatten(2)[:, :, :1] + own.transpose(1, 2), x.flatten(2)[:, :, 1:]), 2).reshape(x.shape), shape,
            own=(1, 1, shape[1]))
    for shape, size in (((2, 5, 4, 6), (2, 2)), ((1, 16, 4, 3), (2, 3))):
        text = f"{size[0]}x{size[1]}"
        one(f"patches size={text}", lambda x, size=size: torch.cat([x[:, :, k % size[0]::size[0], k // size[0]::size[1]] for k in range(size[0] * size[1])], 1), shape)
        one(f"patches size={text} dense=1", lambda x, size=size: torch.cat([torch.roll(x, (-(k % size[0]), -(k // size[0])), (2, 3))
                                                                          for k in range(size[0] * size[1])], 1), shape)

    def roll(d):
        phase = d.integers(6, 3)
        return differentiate(d, {"x": d.normal(3, 5, 4, 6)}, lambda x: torch.stack([torch.roll(
            x[n], (-(int(phase[n]) // 3), -(int(phase[n]) % 3)), (1, 2)) for n in range(3)]), {"phase": phase})

    case("transformers", "roll stride=2x3", roll)


def tensor_cases():
    """Layers of networks whose tensors have other ranks than maps, and functions of single numbers that came with them."""

    def one(text, function, shape, **params):
        case("tensors", f"{text} x={dims(shape)}", lambda d: differentiate(
            d, {"x": d.normal(*shape), **{name: d.normal(*size) for name, size in params.items()}}, function))

    for shape, axes, order, out in (((2, 6, 3, 5), (6, 15), (2, 1), (15, 6, 1)), ((1, 12, 2, 4), (3, 4, 8), (1, 3, 2), (3, 8, 4)),
                                    ((2, 10, 4, 6), (10, 2, 2, 2, 3), (1, 3, 2, 4, 5), (10, 4, 6)), ((1, 2, 6, 10), (4, 30), (2, 1), (30, 4, 1))):
        words = " ".join(f"d{i + 1}={extent}" for i, extent in enumerate(axes))
        one(f"permute {words} order={''.join(map(str, order))} c={out[0]} h={out[1]} w={out[2]}", lambda x, axes=axes, order=order, out=out: x.reshape(
            -1, *axes).permute(0, *order).reshape(-1, *out), shape)
    for a, b, turned in (((2, 5, 3, 4), (2, 7, 3, 5), 0), ((1, 19, 2, 3), (1, 19, 2, 6), 1), ((2, 4, 1, 5), (2, 4, 3, 6), 1), ((1, 6, 3, 2), (1, 17, 1, 6), 0)):
        letters = "nkgi,nkgj->njgi" if turned else "nkgi,njgk->njgi"
        rows = max(a[2], b[2])
        case("tensors", f"matmul turned={turned} a={dims(a)} b={dims(b)}", lambda d, a=a, b=b, letters=letters, rows=rows: differentiate(
            d, {"a": d.normal(*a), "b": d.normal(*b)}, lambda a, b: torch.einsum(letters, a.expand(-1, -1, rows, -1), b.expand(-1, -1, rows, -1))))
    one("constant c=5 h=2 w=3 trainable=1", lambda x, value: value.transpose(1, 2).reshape(1, 5, 2, 3).expand(2, -1, -1, -1) + 0 * x.sum(), (2, 3, 2, 2), value=(1, 6, 5))
    for text, function in (("elu alpha=1", F.elu), ("elu alpha=0.3", lambda x: F.elu(x, 0.3)), ("softplus", F.softplus), ("erf", torch.erf),
                           ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"))):
        one(text, lambda x, function=function: function(x), (2, 11, 3, 2))


# ----------------------------------------------------------------------------------------------------------------- pools


def parameters(draw, pool):
    """Draws the parameters and running statistics of a module; returns the parameters as leaves, by name."""
    for name, p in pool.named_parameters():
        if name.startswith("norm."):
            value = draw.normal(*p.shape, scale=0.3, shift=1.0 if name.endswith("weight") else 0.0)
        elif p.dim() > 1:
            value = draw.normal(*p.shape, scale=(2.0 / p[0].numel()) ** 0.5)
        else:
            value = draw.normal(*p.shape)
        p.data = value
    for name, b in pool.named_buffers():
        if name.endswith("running_mean"):
            b.copy_(draw.normal(*b.shape, scale=0.3))
        elif name.endswith("running_var"):
            b.copy_(draw.positive(*b.shape))
    return dict(pool.named_parameters())


def running(pool, suffix=""):
    return {name + suffix: b.clone() for name, b in pool.named_buffers() if "running" in name}


def pool_case(file, spec, x=(3, 5, 4, 6), stride=2, padding="circular", lpf=0, mode="train", shared=None, make_x=None):
    """make_x(draw): inputs that are exact by design, for ties."""
    sh, sw = ops.pair(stride)
    text = f"{spec} stride={sh}x{sw} padding={padding} lpf={lpf} mode={mode} x={dims(x)}" + (" shared=1" if shared else "") + (" tie=1" if make_x else "")

    def build(draw):
        more = {"fast": False} if spec.startswith("tips") else {}
        pool = ops.make_pool(spec, x[1], (sh, sw), padding, lpf, bool(shared), **more).to(draw.dtype)
        pool.train(mode == "train")
        leaf = {"x": make_x(draw) if make_x else draw.normal(*x), **parameters(draw, pool)}
        if make_x and "psi.weight" in leaf:  # psi is dead on x >= 0: every logit is zero
            leaf["psi.weight"].data = -leaf["psi.weight"].data.abs()
        leaves(leaf)
        n, count, given, records = leaf["x"].shape[0], sh * sw, {}, {}
        records.update(running(pool))
        if shared == "phase":
            given["shared"] = records["phase"] = (torch.arange(n) * 2 + 1) % count
        elif shared == "weights":
            given["shared"] = leaf["p"] = draw.normal(n, count).softmax(1).detach().float().to(draw.dtype).requires_grad_()
        if spec.startswith("lps") and mode == "train" and not shared:
            given["noise"] = records["noise"] = draw.gumbel(n, count)
        if spec.startswith("tips") and mode == "train":
            shifts = torch.stack((draw.integers(3, n), draw.integers(3, n)), 1)
            given["shifts"], records["shifts"] = (shifts[:, 0], shifts[:, 1]), shifts
        if spec.startswith("lps") and not shared:
            records["logits"] = pool.scores(pool.extend(ops.lpf(leaf["x"], lpf, padding)))
        out = pool(leaf["x"], **given)
        dy = draw.normal(*out.y.shape)
        loss = (out.y * dy).sum()
        records["y"] = out.y
        if out.selection is not None and not shared:
            records["p" if out.selection.is_floating_point() else "phase"] = out.selection
        if out.tau is not None:
            records["tau"] = out.tau
        if out.fm is not None:
            records["fm"], records["undo"] = out.fm, out.undo
            loss = loss + 0.7 * out.fm + 0.3 * out.undo
        grads = torch.autograd.grad(loss, list(leaf.values()), allow_unused=True)
        records = {**leaf, **records, "dy": dy}
        records.update({f"d{name}": torch.zeros_like(p) if g is None else g for (name, p), g in zip(leaf.items(), grads)})
        if mode == "train":
            records.update(running(pool, "_after"))
        return records

    case(file, text, build, stable=make_x is None)


def simple_pool_cases():
    for spec in ("stride", "max", "avg", "blur:n=3"):
        pool_case("pool_basic", spec, (2, 5, 6, 8))
        pool_case("pool_basic", spec, (1, 3, 6, 9), stride=3)
        pool_case("pool_basic", spec, (1, 3, 6, 4), stride=(3, 2))
        pool_case("pool_basic", spec, (1, 3, 3, 4), stride=(1, 2))
        for padding in ops.PADDINGS:
            pool_case("pool_basic", spec, (1, 3, 5, 7), padding=padding)
        pool_case("pool_basic", spec, (1, 3, 7, 5), stride=3, padding="zero")
        pool_case("pool_basic", spec, (1, 3, 6, 6), lpf=3, padding="zero")
    for n in (2, 4, 5, 7):
        pool_case("pool_basic", f"blur:n={n}", (1, 3, 6, 8), padding="reflect" if n == 5 else "circular")
    for softmax in ("all", "group"):
        for mode in ("train", "infer"):
            pool_case("pool_ddac", f"ddac:groups=2,kernel=3,softmax={softmax}", (2, 4, 4, 6), mode=mode)
        pool_case("pool_ddac", f"ddac:groups=8,kernel=3,softmax={softmax}", (1, 5, 5, 7), padding="zero")
    pool_case("pool_ddac", "ddac:groups=3,kernel=3,softmax=all", (2, 4, 6, 4), stride=(3, 2), padding="reflect")
    pool_case("pool_ddac", "ddac:groups=1,kernel=3,softmax=all", (2, 2, 3, 6), stride=(1, 2), padding="replicate")
    pool_case("pool_ddac", "ddac:groups=1,kernel=5,softmax=all", (1, 2, 6, 6), lpf=3, padding="circular")


def select_pool_cases():
    for p in ("1", "2", "inf"):
        spec = f"aps:p={p}"
        pool_case("pool_aps", spec)
        pool_case("pool_aps", spec, (3, 3, 5, 7), padding="zero")
        pool_case("pool_aps", spec, (3, 3, 6, 6), stride=(3, 2))
    pool_case("pool_aps", "aps:p=2", (3, 3, 6, 9), stride=3)
    pool_case("pool_aps", "aps:p=2", (3, 3, 4, 6), stride=(1, 2))
    for padding in ("circular", "reflect", "replicate"):
        pool_case("pool_aps", "aps:p=2", (3, 3, 7, 5), padding=padding)
    pool_case("pool_aps", "aps:p=2", (3, 3, 6, 6), lpf=3)
    pool_case("pool_aps", "aps:p=1", (3, 3, 6, 6), lpf=4, padding="zero")

    def equal_phases(draw):
        return draw.give(np.ones((2, 3, 4, 4)))

    def equal_first_norms(draw):
        """Sum and largest magnitude are the same in all phases; the square norm is larger in phase 2, and in 1 and 3 alike."""
        x = np.zeros((2, 1, 4, 4))
        x[:, 0, 0::2, 0::2] = [[3, 1], [1, 1]]
        x[:, 0, 0::2, 1::2] = [[3, 1], [1, -1]]
        x[:, 0, 1::2, 0::2] = [[-3, 3], [0, 0]]
        x[:, 0, 1::2, 1::2] = [[3, 2], [1, 0]]
        x[1, 0, 1::2, 0::2] = [[-3, 1], [1, 1]]
        x[1, 0, 0::2, 1::2] = [[3, 0], [1, 2]]
        return draw.give(x)

    for p in ("1", "2", "inf"):
        pool_case("pool_aps", f"aps:p={p}", (2, 3, 4, 4), make_x=equal_phases)
        pool_case("pool_aps", f"aps:p={p}", (2, 1, 4, 4), make_x=equal_first_norms)
    pool_case("pool_tips", "tips:psi=depthwise,tau=phase,anchor=logits,select=soft,fm=band", (2, 1, 4, 4), padding="circular", make_x=lambda d: (
        equal_first_norms(d).abs()))
    pool_case("pool_tips", "tips:psi=full,tau=phase,anchor=logits,select=soft,fm=band", (2, 3, 4, 4), padding="circular", make_x=equal_phases)

    for mode in ("train", "infer"):
        for spec in ("lps:width=8,temperature=0.23", "lps:width=2,temperature=1"):
            pool_case("pool_lps", spec, (3, 2, 4, 6), mode=mode)
        pool_case("pool_lps", "lps:width=3,temperature=0.5", (3, 3, 5, 7), padding="zero", mode=mode)
        pool_case("pool_lps", "lps:width=3,temperature=0.5", (3, 2, 6, 6), stride=(3, 2), padding="reflect", mode=mode)
        pool_case("pool_lps", "lps:width=3,temperature=0.5", (3, 2, 6, 6), stride=3, padding="replicate", mode=mode)
        pool_case("pool_lps", "lps:width=3,temperature=0.5", (3, 3, 4, 6), stride=(1, 2), mode=mode)
        pool_case("pool_lps", "lps:width=3,temperature=0.5", (3, 2, 6, 6), lpf=3, mode=mode)
    pool_case("pool_lps", "lps:width=3,temperature=inf", (3, 3, 6, 6))

    for spec, shared, mode in (("aps:p=2", "phase", "train"), ("lps:temperature=0.23", "weights", "train"), ("lps:temperature=0.23", "phase", "infer")):
        pool_case("pool_shared", spec, (4, 3, 4, 6), mode=mode, shared=shared)
        pool_case("pool_shared", spec, (3, 3, 7, 6), stride=(3, 2), padding="zero", mode=mode, shared=shared)
    for psi, tau, anchor in (("depthwise", "phase", "logits"), ("full", "phase", "norm"), ("full", "gap", "norm"), ("depthwise", "quadrant", "norm")):
        spec = f"tips:psi={psi},tau={tau},anchor={anchor},select=soft,fm=band"
        pool_case("pool_shared", spec, (4, 3, 4, 6), shared="phase")
        pool_case("pool_shared", spec, (3, 3, 6, 4), stride=(3, 2), shared="phase")


def tips_pool_cases():
    allowed = [("gap", "none"), ("gap", "norm"), ("quadrant", "none"), ("quadrant", "norm"), ("phase", "none"), ("phase", "norm"), ("phase", "logits")]

    def spec(psi="depthwise", tau="phase", anchor="logits", select="soft", fm="band"):
        return f"tips:psi={psi},tau={tau},anchor={anchor},select={select},fm={fm}"

    for tau, anchor in allowed:
        for psi in ("full", "depthwise"):
            pool_case("pool_tips", spec(psi, tau, anchor), (3, 5, 4, 6) if psi == "full" else (3, 3, 6, 6))
            pool_case("pool_tips", spec(psi, tau, anchor, "hard"), (3, 3, 4, 6))
        pool_case("pool_tips", spec("depthwise", tau, anchor), (3, 3, 6, 4), padding="zero")
        pool_case("pool_tips", spec("depthwise", tau, anchor), (3, 3, 4, 4), mode="infer")
    for fm in ("paper", "code", "skew", "uniform", "off"):
        pool_case("pool_tips", spec(fm=fm), (3, 3, 4, 4))
        pool_case("pool_tips", spec("full", "gap", "none", fm=fm), (2, 3, 6, 4), stride=(3, 2), padding="zero")
    for stride, shape in ((3, (2, 3, 6, 6)), ((3, 2), (3, 3, 6, 4)), ((1, 2), (3, 3, 3, 6))):
        for tau, anchor in (("gap", "none"), ("gap", "norm"), ("quadrant", "none"), ("phase", "norm"), ("phase", "logits")):
            pool_case("pool_tips", spec("depthwise" if tau != "gap" else "full", tau, anchor), shape, stride=stride)
    for padding in ops.PADDINGS:
        pool_case("pool_tips", spec("depthwise", "phase", "logits"), (2, 3, 5, 7), padding=padding)
        pool_case("pool_tips", spec("full", "gap", "none", fm="paper"), (2, 3, 5, 7), padding=padding)
        pool_case("pool_tips", spec("depthwise", "quadrant", "none", fm="code"), (2, 3, 5, 7), padding=padding)
    pool_case("pool_tips", spec(), (2, 3, 7, 8), stride=3, padding="reflect")
    pool_case("pool_tips", spec(), (3, 3, 6, 6), lpf=3)
    pool_case("pool_tips", spec("full", "gap", "none", fm="paper"), (3, 3, 6, 6), lpf=4, padding="zero")
    pool_case("pool_tips", spec(), (2, 12, 4, 6))


def unpool_cases():
    for stride, padding, n in ((2, "circular", 3), (2, "zero", 3), (2, "reflect", 4), (2, "circular", 0), ((3, 2), "circular", 3), ((3, 2), "zero", 5),
                               ((3, 2), "replicate", 3)):
        sh, sw = ops.pair(stride)

        def build(draw, stride=stride, padding=padding, n=n, count=sh * sw):
            phase = (torch.arange(4) * 2 + 1) % count if count > 4 else torch.arange(4)
            return differentiate(draw, {"z": draw.normal(4, 3, 3, 2)}, lambda z: ops.unpool(z, phase, stride, n, padding), {"phase": phase})

        case("unpool", f"unpool stride={sh}x{sw} padding={padding} lpf={n}", build)

    def upsample(z, phase, stride, linear):
        sh, sw = stride
        if linear:
            y = F.interpolate(F.pad(z, (1, 1, 1, 1), mode="circular"), scale_factor=stride, mode="bilinear", align_corners=False)
            y = y[:, :, sh:-sh, sw:-sw]
        else:
            y = F.interpolate(z, scale_factor=stride, mode="nearest")
        return torch.stack([torch.roll(y[n], (int(phase[n]) // sw, int(phase[n]) % sw), (1, 2)) for n in range(len(y))])

    for stride, linear in (((2, 2), 0), ((2, 2), 1), ((3, 2), 0), ((3, 2), 1)):
        def enlarge(draw, stride=stride, linear=linear):
            phase = draw.integers(stride[0] * stride[1], 4)
            return differentiate(draw, {"z": draw.normal(4, 3, 3, 2)}, lambda z: upsample(z, phase, stride, linear), {"phase": phase})

        case("unpool", f"upsample stride={stride[0]}x{stride[1]} linear={linear}", enlarge)


def pads_text(pads):
    return ",".join(map(str, pads))


def padded(x, padding, pads, value):
    """Explicit border: top, bottom, left, right."""
    top, bottom, left, right = pads
    mode = {"zero": "constant", "circular": "circular", "reflect": "reflect", "replicate": "replicate"}[padding]
    return F.pad(x, (left, right, top, bottom), mode, value) if mode == "constant" else F.pad(x, (left, right, top, bottom), mode)


def window_case(kind, shape, kernel, stride, padding="zero", pads=(0, 0, 0, 0), dilation=1, ceil=0, count=0, tie=0):
    """Own padding of PyTorch where it is even and zero, else written out before."""
    kh, kw = ops.pair(kernel)
    sh, sw = ops.pair(stride)
    own = padding == "zero" and pads[0] == pads[1] and pads[2] == pads[3]
    text = (f"{kind} kernel={kh}x{kw} stride={sh}x{sw} dilation={dilation}x{dilation} padding={padding} pad={pads_text(pads)} "
            f"ceil={ceil} count={count} tie={tie} x={dims(shape)}")

    def forward(x):
        inner = (pads[0], pads[2]) if own else 0
        if not own:
            x = padded(x, padding, pads, -float("inf") if kind == "max_pool" else 0.0)
        if kind == "max_pool":
            return F.max_pool2d(x, (kh, kw), (sh, sw), inner, dilation, ceil_mode=bool(ceil))
        return F.avg_pool2d(x, (kh, kw), (sh, sw), inner, ceil_mode=bool(ceil), count_include_pad=bool(count))

    def build(draw):
        x = draw.integers(3, *shape).to(draw.dtype) if tie else draw.normal(*shape)
        return differentiate(draw, {"x": x}, forward)

    case("windows", text, build)


def window_cases():
    one = (1, 1, 1, 1)
    window_case("max_pool", (1, 11, 9, 8), 3, 2, pads=one)
    window_case("max_pool", (1, 3, 9, 8), 3, 2, pads=one, ceil=1)
    window_case("max_pool", (2, 5, 7, 6), 3, 2, ceil=1)
    window_case("max_pool", (2, 3, 7, 9), 2, 2, ceil=1)
    window_case("max_pool", (1, 5, 5, 6), 3, 1, pads=one)
    window_case("max_pool", (1, 3, 5, 6), 3, 1, pads=one, tie=1)
    window_case("max_pool", (1, 3, 7, 8), 2, 2, tie=1)
    window_case("max_pool", (1, 3, 8, 9), (3, 2), (2, 3), dilation=2, pads=(1, 1, 1, 1), ceil=1)
    window_case("max_pool", (1, 5, 6, 7), 3, 1, "circular", one)
    window_case("max_pool", (1, 3, 6, 7), (2, 3), (3, 2), "reflect", (2, 1, 0, 3))
    window_case("max_pool", (1, 3, 6, 7), 3, 3, "zero", (0, 2, 1, 0))
    window_case("max_pool", (2, 3, 1, 1), 3, 2, pads=one, ceil=1)
    for count in (0, 1):
        window_case("avg_pool", (1, 11, 7, 8), 2, 2, ceil=1, count=count)
        window_case("avg_pool", (1, 5, 6, 7), 3, 2, pads=one, ceil=1, count=count)
        window_case("avg_pool", (1, 3, 5, 6), 3, 1, pads=one, count=count)
        window_case("avg_pool", (1, 3, 7, 5), (2, 3), (3, 2), pads=(1, 1, 0, 0), ceil=1, count=count)
    window_case("avg_pool", (1, 5, 6, 7), 3, 1, "circular", one, count=1)
    window_case("avg_pool", (2, 3, 1, 1), 3, 2, pads=one, ceil=1, count=1)


def arrangement_case(text, shape, forward):
    case("arrangements", f"{text} x={dims(shape)}", lambda d: differentiate(d, {"x": d.normal(*shape)}, forward))


def arrangement_cases():
    end = 2 ** 31 - 1
    for axis, start, stop, step, shape in ((0, 2, 9, 1, (1, 11, 3, 2)), (0, -7, -1, 2, (2, 11, 2, 3)), (1, 1, end, 2, (1, 3, 7, 2)), (2, -4, end, 1, (1, 5, 2, 6))):
        index = [slice(None)] * 4
        index[axis + 1] = slice(start, stop, step)
        arrangement_case(f"slice axis={axis} start={start} stop={stop} step={step}", shape, lambda x, index=tuple(index): x[index])
    for shape, to in (((2, 5, 2, 3), (30, 1, 1)), ((1, 6, 2, 3), (4, 3, 3)), ((2, 12, 1, 1), (3, 2, 2))):
        arrangement_case(f"reshape c={to[0]} h={to[1]} w={to[2]}", shape, lambda x, to=to: x.reshape(x.shape[0], *to))
    for shape, groups in (((1, 10, 2, 3), 2), ((2, 12, 2, 1), 3)):
        arrangement_case(f"shuffle groups={groups}", shape, lambda x, groups=groups: x.unflatten(1, (groups, -1)).transpose(1, 2).flatten(1, 2))
    arrangement_case("pad_channels before=3 after=6", (2, 5, 2, 3), lambda x: F.pad(x, (0, 0, 0, 0, 3, 6)))
    for shape, size in (((1, 5, 3, 4), (7, 9)), ((1, 3, 7, 6), (3, 4)), ((2, 3, 1, 1), (3, 2))):
        arrangement_case(f"resize how=0 grid=3 round=2 size={dims(size)}", shape, lambda x, size=size: F.interpolate(x, size, mode="nearest"))
        arrangement_case(f"resize how=0 grid=0 round=1 size={dims(size)}", shape, lambda x, size=size: F.interpolate(x, size, mode="nearest-exact"))
        arrangement_case(f"resize how=1 grid=0 round=0 size={dims(size)}", shape, lambda x, size=size: F.interpolate(x, size, mode="bilinear", align_corners=False))
        arrangement_case(f"resize how=1 grid=2 round=0 size={dims(size)}", shape, lambda x, size=size: F.interpolate(x, size, mode="bilinear", align_corners=True))



# ------------------------------------------------------------------------------------------------------------ optimisers


def step_case(file, optimiser, rates, make, spec, padding, width=8, steps=10, batch=4):
    """A small network in training. `make` makes PyTorch's optimiser of parameters; `optimiser` and `rates` are its words."""
    alpha = 0.35
    text = f"{optimiser} arch=tiny width={width} pool={spec} padding={padding} classes=5 steps={steps} {rates} alpha={alpha}"

    def build(draw):
        more = {"fast": False} if spec.startswith("tips") else {}
        net = torch_net.ResNet("tiny", spec, padding=padding, width=width, classes=5, **more).to(draw.dtype)
        for name, p in net.named_parameters():
            if "bn" in name or "downsample.1" in name:
                p.data = draw.normal(*p.shape, scale=0.1, shift=1.0 if name.endswith("weight") else 0.0)
            elif p.dim() == 1:
                p.data = draw.normal(*p.shape, scale=0.1)
            else:
                gain = 1.0 if "mix" in name or name.startswith("fc") else 2.0
                p.data = draw.normal(*p.shape, scale=(gain / p[0].numel()) ** 0.5)
        x, labels = draw.normal(batch, 3, 16, 16), draw.integers(5, batch)
        pools = net.tips_pools()
        for pool in pools:
            pool.draw_shifts = lambda x: (torch.ones(batch, dtype=torch.long),) * 2
        records = {"x": x, "labels": labels}
        if pools:
            records["shifts"] = torch.ones(steps, len(pools), batch, 2, dtype=torch.long)  # (dy, dx) per step, layer and sample

        def state(prefix):
            return {prefix + name: v.clone() for name, v in net.state_dict().items() if "num_batches" not in name}

        records.update(state("init."))
        optimizer = make(net.parameters())
        history = []
        for step in range(steps + 1):
            logits, record = net(x)
            terms = torch_net.total_loss(logits, labels, record, alpha)
            history.append(torch.stack([t for t in terms if t is not None]).detach())
            if step < steps:
                optimizer.zero_grad()
                terms[0].backward()
                optimizer.step()
            if step == steps - 1:
                records.update(state("final."))
                net.eval()
                records["final_logits_infer"] = net(x)[0]
                net.train()
        history = torch.stack(history)
        for i, name in enumerate(("loss", "task", "fm", "undo")[:history.shape[1]]):
            if name != "task" or pools:
                records[name] = history[:, i]
        return records

    case(file, text, build, jitter=1e-6, slack=2e-5)


def sgd_cases():
    def make(params):
        return torch.optim.SGD(params, lr=0.05, momentum=0.9, weight_decay=1e-4)

    sgd = "sgd", "lr=0.05 momentum=0.9 weight_decay=1e-4", make
    step_case("sgd_max", *sgd, "max", "circular")
    step_case("sgd_aps", *sgd, "aps", "circular", width=4)
    step_case("sgd_tips_exact", *sgd, "tips-exact", "circular")
    step_case("sgd_tips_exact_zero", *sgd, "tips-exact", "zero", width=4)
    step_case("sgd_tips_exact_alone", *sgd, "tips-exact:before=none", "circular")
    step_case("sgd_aps_max_lpf", *sgd, "aps:before=max3+lpf3", "zero", width=4)


def adamw_case(beta1, beta2, eps, lr, decay, steps, shape):
    """Gradients of all sizes, some of them zero, for one parameter, and everything after each step. The rate halves on the way."""
    text = f"adamw:beta1={beta1},beta2={beta2},eps={eps} steps={steps} lr={lr} weight_decay={decay}"

    def build(draw):
        w = torch.nn.Parameter(draw.normal(*shape))
        size, kept = 10.0 ** draw.rng.uniform(-6, 2, shape), draw.rng.random_sample((steps, *shape)) > 0.2
        gradients = draw.give(draw.rng.standard_normal((steps, *shape)) * size * kept)
        rates = draw.give([lr * (1 if step < steps // 2 else 0.5) for step in range(steps)])
        optimizer = torch.optim.AdamW([w], lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=decay)
        records = {"init": w.detach().clone(), "gradients": gradients, "rates": rates}
        history = {"w": [], "exp_avg": [], "exp_avg_sq": []}
        for step in range(steps):
            w.grad = gradients[step].clone()
            optimizer.param_groups[0]["lr"] = float(rates[step])
            optimizer.step()
            state = {**optimizer.state[w], "w": w.detach()}
            for name, values in history.items():
                values.append(state[name].clone())
        return {**records, **{name: torch.stack(values) for name, values in history.items()}}

    case("adamw", text, build, jitter=1e-6, slack=1e-3)


def adamw_cases():
    adamw_case(0.9, 0.999, 1e-8, 0.001, 0.01, 12, (5, 7))
    adamw_case(0.9, 0.999, 1e-8, 0.001, 0, 12, (5, 7))
    adamw_case(0.8, 0.95, 1e-3, 0.05, 0.5, 8, (3, 4))
    adamw_case(0, 0, 1e-8, 0.01, 0.1, 4, (3, 4))

    # A step of Adam is as large for a small gradient as for a large one: eps damps what is rounding and nothing else.
    def make(params):
        return torch.optim.AdamW(params, lr=0.01, betas=(0.9, 0.99), eps=0.01, weight_decay=0.1)

    step_case("adamw_aps", "adamw:beta2=0.99,eps=0.01", "lr=0.01 weight_decay=0.1", make, "aps", "circular", width=4)


# --------------------------------------------------------------------------------------------------------------- regions


def region_case(channels, levels, bins, samples, unit, rois):
    """torchvision's RoIAlign on the levels that it chooses. Regions are whole parts of a pixel; the last of a sample is not there."""
    from torchvision.ops import MultiScaleRoIAlign

    size = (32, 48)

    def build(d):
        n, maps = 2, {}
        for level in range(levels):
            maps["ab"[level]] = d.normal(n, channels, size[0] >> level + 2, size[1] >> level + 2)
        low = torch.stack((d.integers(40 << 16, n, rois), d.integers(26 << 16, n, rois)), -1) - (2 << 16)  # some reach over the border
        corners = torch.cat((low, low + torch.stack((d.integers(30 << 16, n, rois), d.integers(30 << 16, n, rois)), -1) + (1 << 14)), -1)
        there = torch.ones(n, rois, 1, dtype=torch.int64)
        there[:, -1] = 0

        def forward(**maps):
            align = MultiScaleRoIAlign([str(i) for i in range(levels)], bins, samples, canonical_scale=4 * unit, canonical_level=4)
            boxes = [c.to(d.dtype) / (1 << 16) for c in corners]
            y = align({str(i): map for i, map in enumerate(maps.values())}, boxes, [size] * n).reshape(n, rois, -1) * there
            return y.transpose(1, 2)[:, :, None]

        return differentiate(d, maps, forward, {"rois": torch.cat((corners, there), -1), "origins": torch.zeros(n, levels, 2, dtype=torch.int64)})

    case("regions", f"roi_align channels={channels} levels={levels} bins={bins} samples={samples} unit={unit}", build)


def region_cases():
    region_case(3, 1, 7, 2, 8, 5)
    region_case(5, 2, 7, 2, 8, 6)
    region_case(2, 2, 3, 3, 12, 8)


# ------------------------------------------------------------------------------------------------------------------ main


def compare():
    """Files on disk against what was just computed."""
    bad = 0
    for name, data in FILES.items():
        with open(os.path.join(HERE, f"{name}.golden"), "rb") as stream:
            stored = decode(stream.read())
        fresh, text = decode(data), ""
        bad += len(fresh) != len(stored)
        for (key, value), (old_key, old) in zip(fresh, stored):
            text = value if key == "case" else text
            if isinstance(value, str) or isinstance(old, str) or key != old_key:
                same = (key, value) == (old_key, old)
            else:
                same = value.shape == old.shape and np.allclose(value, old, rtol=1e-5, atol=1e-6)
            if not same:
                bad += 1
                print(f"{name}.golden: {text}: {key} differs")
    print("all golden files agree" if not bad else f"{bad} differences")
    return 1 if bad else 0


def main():
    torch.set_num_threads(1)
    for cases in (conv_cases, transposed_cases, norm_cases, sample_norm_cases, layer_cases, activation_cases, transformer_cases, tensor_cases, simple_pool_cases, select_pool_cases, tips_pool_cases, unpool_cases, window_cases, arrangement_cases, region_cases, sgd_cases, adamw_cases):
        cases()
    if "--check" in sys.argv[1:]:
        return compare()
    for name, data in FILES.items():
        with open(os.path.join(HERE, f"{name}.golden"), "wb") as stream:
            stream.write(data)
    with open(os.path.join(HERE, "SHA256SUMS"), "w", encoding="ascii") as stream:
        for name in sorted(FILES):
            stream.write(f"{hashlib.sha256(FILES[name]).hexdigest()}  {name}.golden\n")
    for name, data in FILES.items():
        print(f"{name}.golden: {sum(1 for key, _ in decode(data) if key == 'case')} cases, {len(data)} bytes")
    print(f"total {sum(map(len, FILES.values()))} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
