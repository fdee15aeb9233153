"""Networks that segment against torch and ONNX Runtime: what is to be read from what they answer."""
import os

import exported as ex  # tests/onnxruntime/exported.py
import torch_segmenters as segmenters  # beside this file
from exported import np
from torch_networks import draw, export, torch

LIMIT = 1e-5  # of the largest logit, or of the pixels
SIZE = (64, 96)


def enlarged(x, like, nearest=False):
    how = {"mode": "nearest"} if nearest else {"mode": "bilinear", "align_corners": False}
    return torch.nn.functional.interpolate(torch.from_numpy(x), size=like, **how).numpy()


def expected(ending, answer):
    """Logits, or classes where the network answers with something else."""
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


def disagreement(ending, ours, answer):
    logits, classes = expected(ending, answer.astype(np.float32))
    return ex.difference(ours, logits) if classes is None else (ours.argmax(1) != classes).mean()


def check(cases, folder):
    """(name, opset) pairs; the names of those that differ."""
    jobs, ours, torchs, bad = [], [], [], []
    for i, (name, opset) in enumerate(cases):
        model, path, pictures = draw(segmenters.NETWORKS[name]()).eval(), os.path.join(folder, f"{i}.onnx"), torch.randn(2, 3, *SIZE)
        export(model, path, pictures, opset)
        with torch.no_grad():
            answer = model(pictures)
        torchs.append((answer[0] if isinstance(answer, tuple) else answer).numpy())
        jobs.append((path, pictures.numpy()))
        ours.append(ex.our_maps(path, pictures.numpy(), folder))
    for (name, opset), mine, there, theirs in zip(cases, ours, torchs, ex.runtime_logits(jobs, folder)):
        errors = [disagreement(name.split(", ")[-1], mine, other) for other in (there, theirs)]
        print(f"{name}, opset {opset}: differs by {errors[0]:.1e} from torch, by {errors[1]:.1e} from ONNX Runtime", flush=True)
        if max(errors) > LIMIT:
            bad.append(f"{name}, opset {opset}")
    return bad
