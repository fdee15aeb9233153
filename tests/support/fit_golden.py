#!/usr/bin/env python3
"""Writes fit_golden.h: how torchvision's detectors resize pictures that test_placement.c makes too. Needs torchvision; not
run by the tests."""
import hashlib
import math
import sys

import torch
import torchvision
from torchvision.models.detection.transform import GeneralizedRCNNTransform

# height, width, shorter, longer
SIZES = [(480, 640, 800, 1333), (427, 640, 800, 1333), (640, 427, 800, 1333), (640, 360, 800, 1333), (333, 500, 800, 1333),
         (500, 375, 800, 1333), (612, 612, 800, 1333), (1080, 1920, 800, 1333), (100, 900, 800, 1333), (480, 640, 128, 160),
         (426, 640, 128, 160), (375, 500, 100, 100), (31, 57, 64, 90), (241, 640, 320, 533), (7, 3, 64, 64), (64, 48, 24, 40)]
# Such that no value is so near to a half that single precision decides how it is rounded.
PIXELS = [(37, 53, 3, 24, 40), (48, 64, 3, 24, 40), (9, 7, 1, 20, 30), (33, 47, 1, 19, 25), (41, 77, 3, 20, 40), (5, 5, 3, 11, 11)]


def picture(h, w, c):
    state, out = 12345, []
    for _ in range(h * w * c):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        out.append(state >> 16 & 255)
    return torch.tensor(out, dtype=torch.float32).reshape(h, w, c).permute(2, 0, 1)


def fitted(image, shorter, longer):
    """Values in 0..255, not normalised."""
    resize = GeneralizedRCNNTransform(shorter, longer, [0] * 3, [1] * 3)
    resize.training = False
    return resize.resize(image, None)[0]


def main(out):
    out.write(f"/* Written by fit_golden.py with torchvision {torchvision.__version__}. */\n")
    out.write("static const struct { int h, w, shorter, longer, height, width; } fit_sizes[] = {\n")
    for h, w, shorter, longer in SIZES:
        size = fitted(torch.zeros(3, h, w), shorter, longer).shape[-2:]
        out.write(f"    {{{h}, {w}, {shorter}, {longer}, {size[0]}, {size[1]}}},\n")
    out.write("};\n\n/* Bytes are values rounded, halves up. */\n")
    out.write("static const struct { int h, w, c, shorter, longer; const char *sha256; } fit_pixels[] = {\n")
    for h, w, c, shorter, longer in PIXELS:
        image = (fitted(picture(h, w, c), shorter, longer) + 0.5).floor().to(torch.uint8).permute(1, 2, 0)
        digest = hashlib.sha256(image.contiguous().numpy().tobytes()).hexdigest()
        out.write(f'    {{{h}, {w}, {c}, {shorter}, {longer},\n     "{digest}"}},\n')
    out.write("};\n")


main(sys.stdout)
