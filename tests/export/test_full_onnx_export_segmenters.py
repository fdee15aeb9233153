"""Our networks that segment, random and trained briefly on shapes, exported: ONNX Runtime's masks are ours, and move with the picture where the operator is exact. Arguments choose networks.
Skipped without python3-onnx, node or npm."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", part))
import exported as ex  # tests/onnxruntime/exported.py
import exported_segmenters as segmenters  # tests/support/exported_segmenters.py

ARCHS, POOLS, SIZES = ["unet", "unet_plain", "deeplabv3plus", "deeplabv3", "fcn"], ["aps", "lps", "tips-exact", "max"], [(64, 64), (96, 64)]
UPS = ["follow-nearest", "follow-bilinear", "transpose"]


def trained(arch, pool, size, folder):
    text, runs = f"{size[0]}x{size[1]}", os.path.join(folder, f"{arch}-{pool}-{size[0]}")
    ex.tips("train", "--arch", arch, "--width", "4", "--pool", pool, "--data", f"shapes:size={text},classes=3,train=32,test=8", "--size", text, "--epochs", "1", "--batch", "8", "--out", runs)
    return os.path.join(runs, "last.safetensors")


def main():
    ex.need_runtime()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for i, arch in enumerate(sys.argv[1:] or ARCHS):
            for k, pool in enumerate(POOLS):
                for size in SIZES:
                    model = os.path.join(folder, "model.safetensors")
                    small = ["--arch", arch, "--pool", pool, "--width", "4", "--classes", "3", "--size", f"{size[0]}x{size[1]}"]
                    ex.make_model(model, small)
                    title = f"{arch}, {pool}, {size[0]}x{size[1]}"
                    bad += segmenters.compare(title, model, pool, size, folder, ["--opset", f"{11 + 2 * i}"])
                    if (i + k) % 2 == (size[0] == 96):
                        bad += segmenters.compare(f"{title}, trained", trained(arch, pool, size, folder), pool, size, folder)
            for up in UPS:
                ex.make_model(model, ["--arch", arch, "--pool", "aps", "--width", "4", "--classes", "3", "--size", "64", "--up", up])
                bad += segmenters.compare(f"{arch}, aps, --up {up}", model, "aps", (64, 64), folder)
    sys.exit(f"failed: {'; '.join(bad)}" if bad else 0)


main()
