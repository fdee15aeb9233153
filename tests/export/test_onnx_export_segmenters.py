"""A small U-Net with an exact operator, exported: ONNX Runtime's masks are ours and move with the picture; those of max pooling do not. Skipped without python3-onnx, node or npm."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", part))
import exported as ex  # tests/onnxruntime/exported.py
import exported_segmenters as segmenters  # tests/support/exported_segmenters.py

CASES = [("unet_plain", "tips-exact", "2"), ("unet", "max", "3")]


def main():
    ex.need_runtime()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for arch, pool, down in CASES:
            model = os.path.join(folder, "model.safetensors")
            ex.make_model(model, ["--arch", arch, "--pool", pool, "--width", "4", "--down", down, "--classes", "3", "--size", "32x48"])
            bad += segmenters.compare(f"{arch}, {pool}", model, pool, (32, 48), folder)
    sys.exit(f"failed: {'; '.join(bad)}" if bad else 0)


main()
