"""Transformers and their like, as torch exports them in several opsets, give the logits of torch and of ONNX Runtime here. Arguments choose networks.
Skipped without torch, torchvision and onnx; ONNX Runtime is asked where it is there."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["SOURCE_DIR"]
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", part))
import torch_networks as networks  # tests/support/torch_networks.py
import torch_transformers as transformers  # tests/support/torch_transformers.py
import exported as ex  # tests/onnxruntime/exported.py
from torch_networks import torch

LIMIT = 1e-5  # of the largest logit
FORMS = [(17, (0,)), (13, ()), (11, (0,))]  # opsets and open axes: norms are arithmetic before 17


def check(name, folder):
    """Returns files with what they should say, for ONNX Runtime."""
    model, bad, asked = transformers.draw(transformers.NETWORKS[name]()), [], []
    pictures = torch.randn(2, 3, transformers.SIZE, transformers.SIZE)
    for opset, open_axes in FORMS if name in ("vit", "swin", "joint attention") else FORMS[:1] + FORMS[2:]:
        if name in ("einsum", "means of tokens") and opset < 12:  # there is no Einsum before
            opset = 12
        path, some = os.path.join(folder, f"{name} {opset}.onnx"), pictures if open_axes else pictures[:1]
        networks.export(model, path, some, opset, False, open_axes)
        with torch.no_grad():
            want = model(some).numpy()
        got = ex.our_logits(path, some.numpy(), folder)
        error = ex.difference(got, want)
        print(f"{name}, opset {opset}, {'any' if open_axes else 'one'} batch: differs by {error:.1e} of the largest logit", flush=True)
        if not error <= LIMIT:
            bad.append(f"{name}, opset {opset}")
        asked.append((path, some.numpy(), got))
    return bad, asked


def again(asked, folder):
    """What we read we write; read again, it says the same."""
    path, pictures, want = asked
    written = path + ".again.onnx"
    ex.tips("export", "--model", path, "-o", written)
    error = ex.difference(ex.our_logits(written, pictures, folder), want)
    return (written, pictures, want), error <= LIMIT


def main():
    ex.need_onnx()
    bad, asked = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or transformers.NETWORKS:
            try:
                wrong, files = check(name, folder)
                written, same = again(files[0], folder)
            except subprocess.CalledProcessError as error:  # what tips said is above
                bad.append(f"{name}: {error}")
                continue
            bad += wrong if same else [*wrong, f"{name}, exported"]
            asked += [files[0], written]
        if os.path.isdir(os.path.join(ex.RUNTIME, "node_modules")):
            answers = ex.runtime_logits([row[:2] for row in asked], folder)
            bad += [f"{os.path.basename(row[0])} in ONNX Runtime" for row, said in zip(asked, answers) if not ex.difference(said, row[2]) <= 2 * LIMIT]
            print(f"{len(asked)} files agree with ONNX Runtime" if not bad else "")
    sys.exit(f"failed: {', '.join(bad)}" if bad else 0)


main()
