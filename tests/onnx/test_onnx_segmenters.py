"""Networks that segment, as torch exports them: the logits of torch and ONNX Runtime here for every pixel, whatever they end in, and the output that is asked for. Arguments choose networks.
Skipped without torch, torchvision, onnx, node or npm."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["SOURCE_DIR"]
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", part))
import exported as ex  # tests/onnxruntime/exported.py
import segmenter_checks as checks  # tests/support/segmenter_checks.py
from torch_networks import draw, torch

CASES = [("unet, transposed", 13), ("unet, corners", 11), ("pyramid, classes", 13), ("pyramid, sigmoid", 12), ("pyramid, small classes", 16)]


def check_output(folder):
    """The second of two outputs, by its name; another name is refused with those that there are."""
    model, path = draw(checks.segmenters.NETWORKS["fcn"]()).eval(), os.path.join(folder, "two.onnx")
    pictures = torch.randn(1, 3, *checks.SIZE)
    torch.onnx.export(model, pictures, path, opset_version=13, input_names=["x"], output_names=["out", "aux"])
    with torch.no_grad():
        want = [y.numpy() for y in model(pictures)]
    errors = [ex.difference(ex.our_maps(path, pictures.numpy(), folder, name), y) for name, y in zip(("out", "aux"), want)]
    refused = ex.subprocess.run([ex.TIPS, "verify", "--model", path, "--output", "third", "--shifts", "1"], stderr=ex.subprocess.PIPE, text=True)
    print(f"two outputs: differ by {max(errors):.1e}; {refused.stderr.strip()}")
    return max(errors) <= checks.LIMIT and ex.difference(*want) > checks.LIMIT and refused.returncode == 2 and "'out', 'aux'" in refused.stderr


def main():
    ex.need_runtime()
    with tempfile.TemporaryDirectory() as folder:
        bad = checks.check([(name, 13) for name in sys.argv[1:]] or CASES, folder)
        if not check_output(folder):
            bad.append("two outputs")
    sys.exit(f"failed: {'; '.join(bad)}" if bad else 0)


main()
