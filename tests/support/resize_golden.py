#!/usr/bin/env python3
"""Writes resize_golden.h: what Pillow makes of pictures that test_data_loader.c makes too. Needs Pillow; not run by the tests."""
import hashlib
import sys

from PIL import Image, __version__

# height, width, channels -> height, width
RESIZE = [(37, 53, 3, 16, 16), (28, 28, 1, 32, 32), (100, 60, 3, 64, 38), (375, 500, 3, 224, 299), (64, 64, 3, 64, 20),
          (9, 7, 1, 3, 7), (5, 5, 3, 11, 4), (480, 31, 1, 17, 100)]
# height, width -> shorter side, crop
CROP = [(375, 500, 256, 224), (501, 333, 232, 224), (64, 67, 32, 27)]


def picture(h, w, c):
    state, out = 12345, bytearray()
    for _ in range(h * w * c):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        out.append(state >> 16 & 255)
    return Image.frombytes("RGB" if c == 3 else "L", (w, h), bytes(out))


def digest(image):
    return hashlib.sha256(image.tobytes()).hexdigest()


def resize_and_crop(h, w, side, crop):
    """torchvision's Resize(side) and CenterCrop(crop)."""
    size = (side, int(side * h / w)) if w <= h else (int(side * w / h), side)
    image = picture(h, w, 3).resize(size, Image.BILINEAR)
    top, left = int(round((image.height - crop) / 2.0)), int(round((image.width - crop) / 2.0))
    return image.crop((left, top, left + crop, top + crop))


def main(out):
    out.write(f"/* Written by resize_golden.py with Pillow {__version__}. */\n")
    out.write("static const struct { int h, w, c, height, width; const char *sha256; } resize_golden[] = {\n")
    for h, w, c, h2, w2 in RESIZE:
        out.write(f'    {{{h}, {w}, {c}, {h2}, {w2},\n     "{digest(picture(h, w, c).resize((w2, h2), Image.BILINEAR))}"}},\n')
    out.write("};\n\nstatic const struct { int h, w, side, crop; const char *sha256; } crop_golden[] = {\n")
    for row in CROP:
        out.write("    {%d, %d, %d, %d,\n" % row + f'     "{digest(resize_and_crop(*row))}"}},\n')
    small = picture(9, 7, 1).resize((4, 3), Image.BILINEAR).tobytes()
    out.write("};\n\n/* 9x7 grey to 3x4. */\nstatic const unsigned char small_golden[12] = {" + ", ".join(map(str, small)) + "};\n")
    grey = picture(4, 3, 3).convert("L").tobytes()
    out.write("\n/* 4x3 colour to brightness. */\nstatic const unsigned char grey_golden[12] = {" + ", ".join(map(str, grey)) + "};\n")


main(sys.stdout)
