"""Foolbox's FGSM and PGD in torch, and tips attack beside them. Needs torch, numpy."""
import json
import os
import subprocess

import numpy
import torch
from torch import nn

TIPS = os.environ["TIPS"]
MEAN = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
STD = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)


def gradient(model, x, labels):
    x = x.clone().requires_grad_(True)
    nn.functional.cross_entropy(model((x - MEAN) / STD), labels, reduction="sum").backward()
    return x.grad


def length(x):
    return x.flatten(1).norm(dim=1).clamp(min=1e-12).view(-1, 1, 1, 1)


def attack(model, x0, labels, norm, eps, steps, step):
    x = x0.clone()
    for _ in range(steps):
        g = gradient(model, x, labels)
        x = x + step * (g.sign() if norm == "linf" else g / length(g))
        by = x - x0
        by = by.clamp(-eps, eps) if norm == "linf" else by * (eps / length(by)).clamp(max=1)
        x = (x0 + by).clamp(0, 1)
    return x


def accuracy(model, x, labels):
    with torch.no_grad():
        return 100 * (model((x - MEAN) / STD).argmax(1) == labels).double().mean().item()


def cases(near, far):
    """What --attack is given, and norm, eps, steps, size of a step, for strengths near / 255 by linf and far by l2."""
    return [(f"fgsm:norm=linf,eps={near}/255", "linf", near / 255, 1, near / 255), (f"fgsm:norm=l2,eps={far}", "l2", far, 1, far),
            (f"pgd:norm=linf,eps={near}/255,steps=10,rel=0.25,start=false", "linf", near / 255, 10, 0.25 * near / 255),
            (f"pgd:norm=l2,eps={far},steps=10,step={far}/4,start=false", "l2", far, 10, far / 4)]


def write_cifar(folder, pictures, labels):
    """Pictures (n, 3, 32, 32) of bytes as the test data of a CIFAR-10 set."""
    rows = numpy.concatenate([labels.reshape(-1, 1).astype(numpy.uint8), pictures.reshape(len(labels), -1)], 1)
    os.makedirs(folder, exist_ok=True)
    for name in ["test_batch"] + [f"data_batch_{i}" for i in range(1, 6)]:
        rows.tofile(os.path.join(folder, name + ".bin"))
    with open(os.path.join(folder, "batches.meta.txt"), "w") as file:
        file.write("".join(f"class{i}\n" for i in range(10)))


def compare(title, path, data, model, pictures, labels, near, far):
    """Whether tips attack reaches what torch does within one picture; all of `pictures` are the test data of `data`."""
    rows = cases(near, far)
    x, labels = torch.from_numpy(pictures).float() / 255, torch.from_numpy(labels).long()
    flags = [word for case in rows for word in ("--attack", case[0])]
    done = subprocess.run([TIPS, "attack", path, "--data", data, "--no-attack-shifts", "--quiet", "--json", *flags], capture_output=True, text=True)
    if done.returncode:
        print(f"{title}: {done.stderr}")
        return False
    got = json.loads(done.stdout)
    ok, clean = True, accuracy(model, x, labels)
    within = 100.001 / len(labels)
    ok = abs(got["clean"]["accuracy"]["value"] - clean) <= within
    print(f"{title}, clean: {got['clean']['accuracy']['value']:.2f} here, {clean:.2f} there")
    for (text, norm, eps, steps, step), row in zip(rows, got["attacks"]):
        want = accuracy(model, attack(model, x, labels, norm, eps, steps, step), labels)
        value = row["accuracy"]["value"]
        print(f"{title}, {text}: {value:.2f} here, {want:.2f} there")
        ok = ok and abs(value - want) <= within and 2 < value < clean - 2  # else it says nothing
    return ok
