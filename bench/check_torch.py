"""Checks of the PyTorch operators themselves, in double: which are exact under circular shifts, and which must not be; the fast paths against the
plain ones; padding against PyTorch's own. Run: python3 bench/check_torch.py"""
import itertools
import sys

import torch
import torch.nn.functional as F

import torch_ops as ops
from torch_net import ResNet

STRIDES = [(2, 2), (3, 3), (3, 2), (1, 2)]
EXACT = ["aps", "aps:p=1", "aps:p=inf", "lps", "tips-exact", "tips-exact:psi=full", "tips-exact:select=hard", "tips:anchor=norm", "tips:anchor=norm,tau=phase",
         "tips-exact:anchor=norm"]
BROKEN = ["stride", "max", "avg", "blur", "ddac", "tips", "tips-official", "tips:tau=phase", "tips-official:anchor=norm"]


def shift_error(pool, x):
    """Largest relative error, over all shifts u, of the best T_m f(x) against f(T_u x)."""
    worst = 0.0
    base = pool(x).y
    h, w = base.shape[2:]
    for u in itertools.product(range(x.shape[2]), range(x.shape[3])):
        moved = pool(torch.roll(x, u, (2, 3))).y
        for n in range(x.shape[0]):
            best = min(float((moved[n] - torch.roll(base[n], m, (1, 2))).norm()) for m in itertools.product(range(h), range(w)))
            worst = max(worst, best / float(base[n].norm()))
    return worst


def check_shifts():
    for spec in EXACT + BROKEN:
        for stride in STRIDES if spec in ("aps", "lps", "tips-exact", "tips:anchor=norm") else STRIDES[:1]:
            for n in (0, 3):
                pool = ops.make_pool(spec, 4, stride, "circular", lpf=n).double().eval()
                x = torch.randn(2, 4, 2 * stride[0], 3 * stride[1], dtype=torch.double)
                error = shift_error(pool, x)
                good = error < 1e-12 if spec in EXACT else error > 1e-3
                print(f"{'ok  ' if good else 'FAIL'} {spec:28} stride {stride[0]}x{stride[1]} lpf {n}: {error:.2g}")
                yield good


def check_networks():
    for spec, exact in (("tips-exact", True), ("aps", True), ("lps", True), ("tips", False), ("max", False)):
        net = ResNet("tiny", spec, padding="circular", classes=5).double().eval()
        x = torch.randn(2, 3, 8, 8, dtype=torch.double)
        base = net(x)[0]
        error = max(float((net(torch.roll(x, (i, j), (2, 3)))[0] - base).abs().max() / base.abs().max()) for i in range(8) for j in range(8))
        good = (error < 1e-12) == exact
        print(f"{'ok  ' if good else 'FAIL'} tiny with {spec}: {error:.2g}")
        yield good


def gradients(pool, x, dy, shifts):
    x = x.clone().requires_grad_()
    pool.zero_grad()
    out = pool(x, shifts=shifts)
    ((out.y * dy).sum() + 0.7 * out.fm + 0.3 * out.undo).backward()
    return [out.y, x.grad] + [p.grad.clone() for p in pool.parameters()]


def check_fast():
    for tau, anchor, select, stride in itertools.product(("gap", "quadrant", "phase"), ("none", "norm", "logits"), ("soft", "hard"), STRIDES):
        if anchor == "logits" and tau != "phase":
            continue
        for layout in (torch.contiguous_format, torch.channels_last):
            spec = f"tips:tau={tau},anchor={anchor},select={select}"
            fast = ops.make_pool(spec, 4, stride, "circular").double()
            plain = ops.make_pool(spec, 4, stride, "circular", fast=False).double()
            plain.load_state_dict(fast.state_dict())
            x = torch.randn(3, 4, 3 * stride[0], 2 * stride[1], dtype=torch.double)
            dy = torch.randn(3, 4, 3, 2, dtype=torch.double)
            shifts = torch.tensor([0, 1, 1]), torch.tensor([1, 0, 1])
            pairs = zip(gradients(fast, x.contiguous(memory_format=layout), dy, shifts), gradients(plain, x, dy, shifts))
            good = all(torch.allclose(p, q, rtol=1e-11, atol=1e-12) for p, q in pairs)
            if not good:
                print("FAIL fast path", spec, stride, layout)
            yield good


def check_padding():
    x = torch.randn(2, 3, 5, 6, dtype=torch.double)
    for mode in ("circular", "reflect", "replicate"):
        ours = x.index_select(2, ops.pad_index(5, 4, 3, mode)).index_select(3, ops.pad_index(6, 2, 5, mode))
        yield torch.equal(ours, F.pad(x, (2, 5, 4, 3), mode=mode))
    yield ops.pad_index(3, 7, 4, "circular").tolist() == [(i - 7) % 3 for i in range(14)]
    yield ops.pad_index(3, 5, 5, "reflect").tolist() == [1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1]
    yield ops.pad_index(1, 2, 1, "reflect").tolist() == [0, 0, 0, 0]


def main():
    torch.manual_seed(1)
    results = [*check_padding(), *check_fast(), *check_shifts(), *check_networks()]
    print(f"{sum(results)} of {len(results)} checks passed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
