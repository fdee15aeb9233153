"""Every operator in every opset, and every circular shift, in ONNX Runtime. Skipped without python3-onnx, node or npm."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests"))
import test_onnx_export_runtime as quick
from test_onnx_export_runtime import ex

PADDINGS, OPSETS, LPFS = quick.PADDINGS, list(range(11, 22)), [0, 2, 3, 4, 5, 6, 7]


def tips_options():
    for psi in ("full", "depthwise"):
        for tau in ("gap", "quadrant", "phase"):
            for anchor in ("none", "norm", "logits"):
                for select in ("soft", "hard"):
                    if anchor != "logits" or tau == "phase":
                        yield f"tips:psi={psi},tau={tau},anchor={anchor},select={select}"


def ties_after_filter(pool):
    """A binomial filter makes the means of all phases equal, and its symmetry some maxima at a reflected border: what chooses by
    these has no winner but by rounding, which differs from engine to engine. Of the many choices that channels make each for itself, some are as close: moving
    the pictures by a rounding error moves the logits by 1e-4."""
    return pool.startswith(("lps", "aps:choice=channel")) or "select=hard" in pool or pool in ("aps:p=1", "aps:p=inf")


def models():
    """Options of init and the opsets to try: all with one padding, the default with the others."""
    for i, pool in enumerate(quick.POOLS + list(tips_options())):
        for j, padding in enumerate(PADDINGS):
            lpf = 0 if ties_after_filter(pool) else LPFS[(i + j) % len(LPFS)]
            if not (pool.startswith("blur") and lpf):
                yield quick.SMALL + ["--pool", pool, "--padding", padding, "--lpf", f"{lpf}"], OPSETS if i % 4 == j else OPSETS[:1]


def compare_opsets(folder):
    batch, count, wrong = ex.pictures(2, 3, 16, 16), 0, []
    for options, opsets in models():
        model = os.path.join(folder, "model.safetensors")
        ex.make_model(model, options)
        want, jobs = ex.our_logits(model, batch, folder), []
        for opset in opsets:
            file = os.path.join(folder, f"opset{opset}.onnx")
            ex.tips("export", "--model", model, "-o", file, "--opset", f"{opset}", *(["--keep-bn"] if opset % 2 else []))
            ex.check(file)
            jobs.append((file, batch))
        answers = ex.runtime_logits(jobs, folder)
        count += len(answers)
        wrong += [(options, opset) for opset, got in zip(opsets, answers) if not ex.agree(got, want)]
    print(f"{count} networks; wrong: {wrong or 'none'}")
    return not wrong


def main():
    every = [(y, x) for y in range(16) for x in range(16)]
    ex.need_runtime()
    with tempfile.TemporaryDirectory() as folder:
        results = [quick.compare_shifts(folder, every, lpf) for lpf in (0, 3)] + [compare_opsets(folder)]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
