"""Masks as JPEG: black and white are told apart at 128, numbers of classes are refused with the remedy."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "support"))
import peers

peers.need("torch", "torchvision")
import torch
from torchvision.io import write_jpeg, write_png

peers.need_libraries("jpeg", "png")
TIPS = os.environ["TIPS"]
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print(what)


def run(*arguments):
    done = subprocess.run([TIPS, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def mask_of(values, i):
    """Rectangles, one in the other: a mask of the numbers `values`."""
    mask = torch.zeros(1, 48, 64, dtype=torch.uint8)
    for k, value in enumerate(values):
        mask[:, 6 * k + i % 3:, 8 * k + i % 5:] = value
    return mask


def make(folder, values, write, ending, names=None):
    for part in ("images", "masks"):
        os.makedirs(f"{folder}/{part}")
    for i in range(8):
        picture = torch.randint(0, 255, (3, 48, 64), dtype=torch.uint8, generator=torch.Generator().manual_seed(i))
        write_jpeg(picture, f"{folder}/images/{i}.jpg")
        write(mask_of(values, i), f"{folder}/masks/{i}.{ending}")
    if names:
        with open(f"{folder}/classes.txt", "w") as file:
            file.write("\n".join(names) + "\n")


with tempfile.TemporaryDirectory() as work:
    # Numbers, dark or as shades: no 255 classes, no silent background, whatever the format is said to be or files are called.
    cases = {"dark": ([0, 1, 2, 3], "jpg", None), "shades": ([0, 60, 120, 180], "jpg", None),
             "white": ([0, 128, 255], "jpg", None), "disguised": ([0, 1, 2], "png", None),
             "named": ([0, 1, 2], "png", ["background", "cat", "dog"]), "one": ([0, 1], "png", None)}
    for name, (values, ending, names) in cases.items():
        make(f"{work}/{name}", values, write_jpeg, ending, names)
        for prefix in ("", "masks:", "kvasir:"):
            if prefix == "kvasir:" and ending == "png":
                continue
            code, out, err = run("data", "info", f"{prefix}{work}/{name}")
            expect(code == 1 and "lossy" in err and "as PNG" in err and "/masks/" in err,
                   f"{prefix}{name}: exit code {code}: {out}{err}")
    # Black and white is one class, as PNG of the same masks says it but for the edges.
    make(f"{work}/bw", [0, 255], write_jpeg, "jpg")
    make(f"{work}/exact", [0, 255], write_png, "png")
    shares = {}
    for spec in (f"{work}/bw", f"masks:{work}/bw", f"{work}/exact"):
        code, out, err = run("data", "info", spec, "--json")
        expect(code == 0, f"{spec}: {err}")
        if code == 0:
            shares[spec] = [row["share"] for row in json.loads(out)["masks"] if row["value"] < 2]
    exact = shares.get(f"{work}/exact", [])
    for spec, rows in shares.items():
        expect(len(rows) == 2 and max(abs(a - b) for a, b in zip(rows, exact)) < 0.02, f"{spec}: {rows}, not {exact}")

sys.exit(1 if failures else 0)
