"""Small files that say they are large: refused by what they say, before memory is taken, in a moment."""
import gzip
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib

TIPS = os.environ["TIPS"]
MOST_KB = 150_000 * (4 if "san" in os.environ.get("BUILD_DIR", "") else 1)
SIDE = 9999
failures = 0


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(side, data=b""):
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) + data + chunk(b"IEND", b"")


def tiff(compression, count):
    tags = ((256, SIDE), (257, SIDE), (258, 8), (259, compression), (262, 1), (273, 8), (277, 1), (278, SIDE), (279, count))
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags) + bytes(4)


def segment(marker, data):
    return bytes([0xff, marker]) + struct.pack(">H", len(data) + 2) + data


def jpeg(kind):
    return (b"\xff\xd8" + segment(0xdb, b"\0" + b"\1" * 64) + segment(kind, struct.pack(">BHHB", 8, SIDE, SIDE, 3) + b"\1\x11\0\2\x11\0\3\x11\0")
            + segment(0xc4, b"\0\1" + bytes(16)) + segment(0xda, b"\3\1\0\2\0\3\0\0\0\0") + bytes(100) + b"\xff\xd9")


def bmp(compression):
    header = struct.pack("<IiiHHIIiiII", 40, SIDE, SIDE, 1, 8, compression, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 100, 0, 0, 54 + 1024) + header + bytes(1024) + b"\0\1"


def gif():
    return b"GIF89a" + struct.pack("<HHBBB", SIDE, SIDE, 0x80, 0, 0) + bytes(6) + b"," + struct.pack("<HHHHB", 0, 0, SIDE, SIDE, 0) + b"\2\2\x4c\1\0;"


PICTURES = {"a.png": png(16384), "b.png": png(SIDE, chunk(b"IDAT", zlib.compress(bytes(10000)))), "c.tif": tiff(1, SIDE * SIDE), "d.tif": tiff(32773, 100),
            "e.tif": tiff(8, 100), "f.jpg": jpeg(0xc0), "g.jpg": jpeg(0xc2), "h.bmp": bmp(0), "i.bmp": bmp(1), "j.gif": gif(), "k.ppm": b"P6 9999 9999 255\n",
            "l.png": png(2 ** 31 - 1), "m.gif": b"GIF89a" + b"\xff" * 7, "n.bmp": b"BM" + b"\x7f" * 70}


def refused(path, *arguments):
    global failures
    start = time.time()
    process = subprocess.Popen([TIPS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = process.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    seconds, code = time.time() - start, os.waitstatus_to_exitcode(status)
    print(f"{os.path.basename(path)}: {usage.ru_maxrss} KB, {seconds:.2f} s: {said.strip()[-120:]}")
    if code != 1 or path not in said or usage.ru_maxrss > MOST_KB or seconds > 10:
        failures += 1
        print(f"FAILED: exit code {code}: {said}")


def idx(magic, *sizes):
    return struct.pack(">" + "I" * (1 + len(sizes)), magic, *sizes)


def main():
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "m.safetensors")
        subprocess.run([TIPS, "init", "--arch", "tiny", "--size", "16", "--classes", "3", "--out", model], check=True, stdout=subprocess.DEVNULL)
        for name, data in PICTURES.items():
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(data)
            refused(path, "predict", "--model", model, path)

        # IDX: labels for other pictures, and a header that no file of this size can keep.
        for number, (pictures, labels, kept) in enumerate(((255_102, 10, 200_000_000), (40_000_000, 40_000_000, 1000))):
            place = os.path.join(folder, f"idx-{number}")
            os.mkdir(place)
            with gzip.open(os.path.join(place, "train-images-idx3-ubyte.gz"), "wb", 1) as file:
                file.write(idx(0x803, pictures, 28, 28))
                for _ in range(kept // 1_000_000):
                    file.write(bytes(1_000_000))
            with gzip.open(os.path.join(place, "train-labels-idx1-ubyte.gz"), "wb", 1) as file:
                file.write(idx(0x801, labels) + bytes(min(labels, 1000)))
            refused(place, "data", "info", place)
    sys.exit(failures > 0)


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
main()
