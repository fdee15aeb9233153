"""Networks that segment, as torch exports them in several opsets: the logits of torch and ONNX Runtime here for every pixel, whatever they end in. Arguments choose networks.
Skipped without torch, torchvision, onnx, node or npm."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["SOURCE_DIR"]
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", part))
import exported as ex  # tests/onnxruntime/exported.py
import torch_segmenters as segmenters  # tests/support/torch_segmenters.py
from exported import np
from torch_networks import draw, export, torch

LIMIT = 1e-5  # of the largest logit
OPSETS = {"pyramid": 11, "pyramid, corners": 12, "fcn": 14, "fcn, nearest": 11, "unet, nearest": 12, "unet, bilinear": 16, "unet, corners": 11}
SIZE = (64, 96)


def enlarged(x, like, nearest=False):
    how = {"mode": "nearest"} if nearest else {"mode": "bilinear", "align_corners": False}
    return torch.nn.functional.interpolate(torch.from_numpy(x), size=like, **how).numpy()


def expected(name, answer):
    """What is to be read, from what the network answers: logits, or classes where it answers with those."""
    ending = name.split(", ")[-1]
    if ending == "small":
        return enlarged(answer, SIZE), None
    if ending == "small classes":
        return None, enlarged(answer[:, None], SIZE, True)[:, 0]
    if ending in ("classes", "kept classes"):
        return None, answer.reshape(len(answer), *SIZE)
    if ending == "softmax":
        return None, answer.argmax(1)
    if ending == "sigmoid":
        return None, answer[:, 0] > 0.5
    if ending == "bare":
        return np.stack([0 * answer, answer], 1), None
    return (answer.transpose(0, 3, 1, 2) if ending == "last" else answer), None


def check(name, folder):
    opset = OPSETS.get(name, 13)
    model, path = draw(segmenters.NETWORKS[name]()).eval(), os.path.join(folder, "model.onnx")
    pictures = torch.randn(2, 3, *SIZE)
    export(model, path, pictures, opset)
    with torch.no_grad():
        answers = model(pictures)
    answers = answers[0] if isinstance(answers, tuple) else answers
    ours, there = ex.our_maps(path, pictures.numpy(), folder), ex.runtime_logits([(path, pictures.numpy())], folder)[0]
    worst = 0
    for answer in (answers.numpy().astype(np.float32), there):
        logits, classes = expected(name, answer)
        error = ex.difference(ours, logits) if classes is None else (ours.argmax(1) != classes).mean()
        worst = max(worst, error)
    print(f"{name}, opset {opset}: {'differs by' if classes is None else 'other classes at'} {worst:.1e} of the {'largest logit' if classes is None else 'pixels'}", flush=True)
    return worst <= (LIMIT if classes is None else 1e-4)


def check_output(folder):
    """The second of two outputs, by its name; another name is refused with those that there are."""
    model, path = draw(segmenters.NETWORKS["fcn"]()).eval(), os.path.join(folder, "two.onnx")
    pictures = torch.randn(1, 3, *SIZE)
    torch.onnx.export(model, pictures, path, opset_version=13, input_names=["x"], output_names=["out", "aux"])
    with torch.no_grad():
        want = [y.numpy() for y in model(pictures)]
    errors = [ex.difference(ex.our_maps(path, pictures.numpy(), folder, name), y) for name, y in zip(("out", "aux"), want)]
    refused = ex.subprocess.run([ex.TIPS, "verify", "--model", path, "--output", "third", "--shifts", "1"], stderr=ex.subprocess.PIPE, text=True)
    print(f"two outputs: differ by {max(errors):.1e}; {refused.stderr.strip()}")
    return max(errors) <= LIMIT and ex.difference(*want) > LIMIT and refused.returncode == 1 and "'out', 'aux'" in refused.stderr


def main():
    ex.need_runtime()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or segmenters.NETWORKS:
            if not check(name, folder):
                bad.append(name)
        if not check_output(folder):
            bad.append("two outputs")
    sys.exit(f"failed: {', '.join(bad)}" if bad else 0)


main()
