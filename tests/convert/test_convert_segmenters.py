"""A U-Net from torch, converted: the mask moves with the picture, here and in ONNX Runtime. Arguments choose networks.
Skipped without torch, torchvision, onnx, node or npm."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", part))
import exported as ex  # tests/onnxruntime/exported.py
import segmenter_conversions as conversions  # tests/support/segmenter_conversions.py

NAMES, HOW = ["unet, bilinear"], {"train": False}


def main():
    ex.need_runtime()
    with tempfile.TemporaryDirectory() as folder:
        bad = conversions.check_all(sys.argv[1:] or NAMES, folder, **HOW)
    sys.exit(f"failed: {'; '.join(bad)}" if bad else 0)


main()
