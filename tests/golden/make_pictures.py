#!/usr/bin/env python3
"""Writes tests/golden/pictures: pictures of many kinds, each beside what Pillow reads from it (.ppm or .pgm).

Run with Pillow at hand; the files are kept, so that tests need none. Some kinds that Pillow does not write are made by hand.
"""
import os
import struct
import sys

from PIL import Image

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures")
os.makedirs(here, exist_ok=True)
W, H = 21, 13


def colour():
    im = Image.new("RGB", (W, H))
    im.putdata([(11 * x + 3, 19 * y + 2, (7 * x * y + 40) % 256) for y in range(H) for x in range(W)])
    return im


def grey():
    im = Image.new("L", (W, H))
    im.putdata([(9 * x + 11 * y) % 256 for y in range(H) for x in range(W)])
    return im


def few(n):
    im = Image.new("P", (W, H))
    im.putpalette([v for i in range(n) for v in ((37 * i) % 256, (91 * i + 5) % 256, 255 - 13 * i % 256)])
    im.putdata([(x // 2 + y * 3) % n for y in range(H) for x in range(W)])
    return im


def expected(name, mode=None):
    with Image.open(os.path.join(here, name)) as im:
        im.seek(0)
        im = im.convert(mode or ("L" if im.mode in ("1", "L", "LA") else "RGB"))
        im.save(os.path.join(here, name + (".pgm" if im.mode == "L" else ".ppm")))


def save(name, im, mode=None, **options):
    im.save(os.path.join(here, name), **options)
    expected(name, mode)


def raw(name, data, mode=None):
    with open(os.path.join(here, name), "wb") as f:
        f.write(data)
    expected(name, mode)


def bmp(width, height, bits, compression, pixels, palette=b"", masks=b"", header=40):
    start = 14 + header + len(masks) + len(palette)
    info = struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, compression, len(pixels), 2835, 2835,
                       len(palette) // 4, 0)
    if header > 40:  # the masks are part of it
        info += masks + bytes(header - 40 - len(masks))
        start -= len(masks)
        masks = b""
    return b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + info + masks + palette + pixels


def rows(bits, value, w=W, h=H):
    out = b""
    for y in range(h):
        row = 0
        for x in range(w):
            row = row << bits | value(x, y)
        length = w * bits
        row <<= -length % 32
        out += row.to_bytes((length + 31) // 32 * 4, "big")
    return out


def words(size, value):
    return b"".join(b"".join(value(x, y).to_bytes(size, "little") for x in range(W)) + bytes(-W * size % 4)
                    for y in range(H))


def bmps():
    colours = bytes(v for i in range(16) for v in (16 * i, 255 - 9 * i, (50 * i) % 256, 0))
    save("rgb24.bmp", colour())
    save("rgba32.bmp", colour().convert("RGBA"), "RGB")
    save("grey8.bmp", grey())
    save("palette8.bmp", few(200))
    save("bits1.bmp", grey().convert("1"))
    raw("bits4.bmp", bmp(W, H, 4, 0, rows(4, lambda x, y: (x + 5 * y) % 16), colours))
    raw("bits4-few.bmp", bmp(W, H, 4, 0, rows(4, lambda x, y: (x + 5 * y) % 5), colours[:20]))
    raw("colours1.bmp", bmp(W, H, 1, 0, rows(1, lambda x, y: (x * y) % 2), colours[:8]))
    raw("top-down.bmp", bmp(W, -H, 24, 0, words(3, lambda x, y: (x << 16 | y << 12 | 77))))
    raw("bits16.bmp", bmp(W, H, 16, 0, words(2, lambda x, y: (x * 1500 + y * 37) & 0x7fff)))
    raw("masks565.bmp", bmp(W, H, 16, 3, words(2, lambda x, y: (x * 3000 + y * 77) & 0xffff),
                            masks=struct.pack("<III", 0xf800, 0x7e0, 0x1f)))
    raw("masks32.bmp", bmp(W, H, 32, 3, words(4, lambda x, y: (x * 12 << 16 | y * 19 << 8 | (x * y) % 256)),
                           masks=struct.pack("<III", 0xff0000, 0xff00, 0xff)))
    raw("version5.bmp", bmp(W, H, 32, 3, words(4, lambda x, y: (x * 12 << 16 | y * 19 << 8 | (x * y) % 256) | 0x80000000),
                            masks=struct.pack("<IIII", 0xff0000, 0xff00, 0xff, 0xff000000), header=124), "RGB")
    runs = b"".join(bytes([W - 6, y % 16, 0, 5]) + bytes((y + i) % 16 for i in range(5)) + b"\0" + bytes([1, 3, 0, 0])
                    for y in range(H)) + b"\0\1"
    raw("runs8.bmp", bmp(W, H, 8, 1, runs, colours))
    halves = b"".join(bytes([W - 4, y % 16 << 4 | 7, 0, 4, 0x12, 0x35, 0, 0]) for y in range(H)) + b"\0\1"
    raw("runs4.bmp", bmp(W, H, 4, 2, halves, colours))
    core = struct.pack("<IHHHH", 12, W, H, 1, 24)
    pixels = words(3, lambda x, y: x * 500 + y)
    raw("core.bmp", b"BM" + struct.pack("<IHHI", 26 + len(pixels), 0, 0, 26) + core + pixels)


def gifs():
    save("palette.gif", few(200), "RGB")
    save("two.gif", few(2), "RGB")
    save("interlaced.gif", few(64), "RGB", interlace=1)
    save("plain.gif", few(64), "RGB", interlace=0)
    save("grey.gif", grey(), "L")
    save("frames.gif", few(30), "RGB", save_all=True, append_images=[few(20)], duration=40, loop=0)
    save("transparent.gif", few(40), "RGB", transparency=3)
    big = Image.new("P", (150, 120))
    big.putpalette([v for i in range(256) for v in (i, 255 - i, (i * 7) % 256)])
    big.putdata([(x * x + y * y * y) % 251 for y in range(120) for x in range(150)])
    save("long.gif", big, "RGB")  # its dictionary fills and is cleared


def webps():
    save("lossless.webp", colour(), lossless=True)
    save("lossy.webp", colour(), quality=80)
    save("alpha.webp", colour().convert("RGBA"), "RGB", lossless=True)
    save("frames.webp", colour(), "RGB", save_all=True, append_images=[few(20).convert("RGB")], lossless=True)


def tiffs():
    save("rgb.tif", colour())
    save("packbits.tif", colour(), compression="packbits")
    save("lzw.tif", colour(), compression="tiff_lzw")
    save("deflate.tif", colour(), compression="tiff_adobe_deflate")
    save("grey.tif", grey())
    save("bits1.tif", grey().convert("1"))
    save("fax.tif", grey().convert("1"), compression="group4")
    save("palette.tif", few(100), "RGB")
    alpha = colour().convert("RGBA")
    alpha.putalpha(grey())
    save("alpha.tif", alpha, "RGB")
    save("pages.tif", colour(), save_all=True, append_images=[grey()])
    save("turned.tif", colour(), tiffinfo={274: 3})
    colour().save(os.path.join(here, "turned.tif.ppm"))  # rows as they are stored


def called_grey():
    """Three samples a pixel that the file calls grey, as in CVC-ClinicDB; Pillow does not read it."""
    path = os.path.join(here, "called-grey.tif")
    colour().save(path)
    data = bytearray(open(path, "rb").read())
    at = struct.unpack("<I", data[4:8])[0]
    for i in range(struct.unpack("<H", data[at:at + 2])[0]):
        entry = at + 2 + 12 * i
        if struct.unpack("<H", data[entry:entry + 2])[0] == 262:
            data[entry + 8:entry + 10] = struct.pack("<H", 1)
    with open(path, "wb") as f:
        f.write(data)
    colour().save(path + ".ppm")


def big_endian():
    """Sixteen bits a sample, from the other end; of each the upper eight count."""
    data = b"".join(struct.pack(">H", 257 * v) for v in colour().tobytes())
    tags = [(256, 3, 1, W << 16), (257, 3, 1, H << 16), (258, 3, 3, 134), (259, 3, 1, 1 << 16), (262, 3, 1, 2 << 16),
            (273, 4, 1, 140), (277, 3, 1, 3 << 16), (278, 3, 1, H << 16), (279, 4, 1, len(data))]
    file = b"MM\0*" + struct.pack(">I", 8) + struct.pack(">H", len(tags))
    file += b"".join(struct.pack(">HHII", *tag) for tag in tags) + bytes(4)
    file += bytes(134 - len(file)) + struct.pack(">HHH", 16, 16, 16) + data
    with open(os.path.join(here, "big-endian.tif"), "wb") as f:
        f.write(file)
    colour().save(os.path.join(here, "big-endian.tif.ppm"))


bmps()
gifs()
webps()
tiffs()
called_grey()
big_endian()
print(len(os.listdir(here)), "files", file=sys.stderr)
