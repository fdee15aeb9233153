"""Networks that segment, in every opset that torch writes Resize in, and torchvision's own with random weights: the logits of torch and of ONNX Runtime here. Arguments choose networks.
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
from torch_networks import nn, torch, zoo

LIMIT = 1e-4  # of the largest logit; a ResNet-101 comes to 1e-5
PUBLISHED = {"fcn_resnet50": 11, "fcn_resnet101": 13, "deeplabv3_resnet50": 12, "deeplabv3_mobilenet_v3_large": 14, "lraspp_mobilenet_v3_large": 16}


class Main(nn.Module):
    """The first of the outputs, and the auxiliary one if there is one, in this order."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return tuple(self.network(x).values())


def published(name, folder):
    aux = {} if name.startswith("lraspp") else {"aux_loss": True}
    model = Main(getattr(zoo.segmentation, name)(weights=None, weights_backbone=None, **aux)).eval()
    path, pictures = os.path.join(folder, f"{name}.onnx"), torch.randn(1, 3, 128, 160)
    torch.onnx.export(model, pictures, path, opset_version=PUBLISHED[name], input_names=["x"])
    with torch.no_grad():
        want = model(pictures)[0].numpy()
    ours, theirs = ex.our_maps(path, pictures.numpy(), folder), ex.runtime_logits([(path, pictures.numpy())], folder)[0]
    errors = [ex.difference(ours, other) for other in (want, theirs)]
    print(f"{name}, opset {PUBLISHED[name]}: differs from torch by {errors[0]:.1e} of the largest logit, from ONNX Runtime by {errors[1]:.1e}", flush=True)
    return max(errors) <= LIMIT


def portrait(path, folder):
    """Somebody's DeepLab for portraits, where the shared folder has it."""
    batch = ex.pictures(1, 3, 513, 513)
    ours, theirs = ex.our_maps(path, batch, folder), ex.runtime_logits([(path, batch)], folder)[0]
    print(f"{os.path.basename(path)}: differs from ONNX Runtime by {ex.difference(ours, theirs):.1e} of the largest logit", flush=True)
    return ex.agree(ours, theirs)


def main():
    ex.need_runtime()
    bad, given = [], sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for name in PUBLISHED if not given else [name for name in given if name in PUBLISHED]:
            if not published(name, folder):
                bad.append(name)
        if not given:
            bad += checks.check([(name, 11 + i % 6) for i, name in enumerate(checks.segmenters.NETWORKS)] +
                                [(name, opset) for name in ("unet, bilinear", "fcn, nearest") for opset in range(11, 17)], folder)
        file = os.path.join(SOURCE, "..", "shared", "data", "models", "deeplab-portrait.onnx")
        if not given and os.path.exists(file) and not portrait(file, folder):
            bad.append("portrait")
    sys.exit(f"failed: {'; '.join(bad)}" if bad else 0)


main()
