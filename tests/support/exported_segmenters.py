"""Our own networks that segment, in ONNX Runtime after export: mask for mask under shifts."""
import os

import exported as ex  # tests/onnxruntime/exported.py
from exported import np

EXACT = ["aps", "lps", "tips-exact"]


def shifts_of(size):
    return [(0, 1), (1, 0), (3, 5), (size[0] // 2 + 1, size[1] // 2), (size[0] - 1, 2), (8, size[1] - 3)]


def shifted(picture, shifts):
    return np.concatenate([picture] + [np.roll(picture, shift, (2, 3)) for shift in shifts])


def undone(maps, shifts):
    return np.stack([maps[0]] + [np.roll(y, (-shift[0], -shift[1]), (1, 2)) for y, shift in zip(maps[1:], shifts)])


def compare(title, model, pool, size, folder, options=()):
    """What is wrong, in words; nothing if all is well."""
    file, shifts = os.path.join(folder, "segmenter.onnx"), shifts_of(size)
    batch = shifted(ex.pictures(1, 3, *size), shifts)
    ex.tips("export", "--model", model, "-o", file, *options)
    ex.check(file)
    ours, theirs = ex.our_maps(model, batch, folder), ex.runtime_logits([(file, batch)], folder)[0]
    single = ex.runtime_logits([(file, batch[:1])], folder)[0]
    back = undone(theirs, shifts)
    close = np.abs(back - back[:1]).max() <= ex.LIMIT * np.abs(back).max()
    moved = close and (back.argmax(1) == back[:1].argmax(1)).all()
    print(f"{title}: ONNX Runtime differs by {ex.difference(theirs, ours):.1e} of the largest logit; its logits and masks {'move' if moved else 'do not move'} with the picture", flush=True)
    if not ex.agree(theirs, ours) or ex.difference(single, theirs[:1]) > ex.LIMIT:
        return [f"{title}: other logits"]
    if moved != (pool in EXACT) or (pool in EXACT and not (undone(ours, shifts) == ours[:1]).all()):
        return [f"{title}: logits and masks {'move' if moved else 'do not move'}"]
    return []
