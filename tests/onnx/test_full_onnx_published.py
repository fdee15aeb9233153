"""Published networks of torchvision, at their size, as torch exports them: the logits of torch and of ONNX Runtime here. Arguments choose networks.
Skipped without torch, torchvision, onnx, node or npm."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["SOURCE_DIR"]
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", part))
import torch_networks as networks  # tests/support/torch_networks.py
import exported as ex  # tests/onnxruntime/exported.py
from torch_networks import nn, torch, zoo

LIMIT = 2e-5  # of the largest logit; a dozen layers of tokens come to 5e-6
OPSETS = {"vit_b_16": 17, "swin_t": 16, "convnext_tiny": 14, "efficientnet_v2_s": 13, "regnet_y_400mf": 12, "shufflenet_v2_x1_0": 11, "mnasnet1_0": 15, "inception_v3": 13}


def drawn(name):
    model = getattr(zoo, name)(weights=None, **({"init_weights": True} if name == "inception_v3" else {}))
    for parameter in model.parameters():  # heads that begin with zeros would say nothing
        if parameter.dim() > 1 and not parameter.any():
            nn.init.normal_(parameter, std=0.02)
    return model.eval()


def check(name, folder):
    size = 299 if name == "inception_v3" else 224
    model, path, pictures = drawn(name), os.path.join(folder, f"{name}.onnx"), torch.randn(2, 3, size, size)
    networks.export(model, path, pictures, OPSETS[name])
    with torch.no_grad():
        want = model(pictures).numpy()
    ours, theirs = ex.our_logits(path, pictures.numpy(), folder), ex.runtime_logits([(path, pictures.numpy())], folder)[0]
    errors = [ex.difference(ours, other) for other in (want, theirs)]
    print(f"{name}, opset {OPSETS[name]}: differs from torch by {errors[0]:.1e} of the largest logit, from ONNX Runtime by {errors[1]:.1e}", flush=True)
    return max(errors) <= LIMIT


def main():
    ex.need_runtime()
    bad = []
    for name in sys.argv[1:] or OPSETS:
        with tempfile.TemporaryDirectory() as folder:
            if not check(name, folder):
                bad.append(name)
    sys.exit(f"failed: {', '.join(bad)}" if bad else 0)


main()
