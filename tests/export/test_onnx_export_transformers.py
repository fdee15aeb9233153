"""Exported transformers give our logits in ONNX Runtime, and exact ones the same logits for shifted inputs there. Skipped without
python3-onnx, node or npm."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "export"))
import test_onnx_export_runtime as runtime  # beside this file
from test_onnx_export_runtime import ex, np

VIT = ["--arch", "vit_tiny", "--width", "32", "--size", "16", "--classes", "5"]
SWIN = ["--arch", "swin_tiny", "--width", "16", "--size", "16", "--classes", "5"]
POOLS = ["stride", "max", "aps", "lps", "tips-exact"]


def cases():
    for title, options in (("vit_tiny", VIT), ("swin_tiny", SWIN)):
        for pool in POOLS:
            yield f"{title}, {pool}", options + ["--pool", pool], 16
    yield "vit_b_16, aps", ["--arch", "vit_b_16", "--width", "64", "--size", "32", "--classes", "5", "--pool", "aps"], 32
    yield "swin_t, windows that hang over", ["--arch", "swin_t", "--width", "32", "--size", "48", "--classes", "5", "--pool", "stride"], 48
    yield "swin_t, tips-exact", ["--arch", "swin_t", "--width", "32", "--size", "32", "--classes", "5", "--pool", "tips-exact"], 32


def compare(folder):
    titles, wanted, jobs = [], [], []
    for i, (title, init, size) in enumerate(cases()):
        model, file = runtime.export(f"case{i}", init, [], folder)
        batch = ex.pictures(2, 3, size, size)
        titles.append(title)
        wanted.append(ex.our_logits(model, batch, folder))
        jobs.append((file, batch))
    answers = ex.runtime_logits(jobs, folder)
    wrong = [title for title, got, want in zip(titles, answers, wanted) if not ex.agree(got, want)]
    print(f"{len(titles)} networks; wrong: {wrong or 'none'}")
    return not wrong


def stable(folder, options, pool, shifts):
    file = runtime.export(options[1] + pool, options + ["--pool", pool], [], folder)[1]
    logits = ex.runtime_logits([(file, runtime.shifted(ex.pictures(1, 3, 16, 16), shifts))], folder)[0]
    return ex.agree(logits, np.repeat(logits[:1], len(logits), 0))


def main():
    shifts = [(0, 0), (1, 0), (0, 1), (3, 5), (4, 8), (7, 2), (10, 13), (15, 15)]
    ex.need_runtime()
    with tempfile.TemporaryDirectory() as folder:
        good = compare(folder)
        for options in (VIT, SWIN):
            for pool in POOLS:
                is_exact, is_stable = pool not in ("stride", "max"), stable(folder, options, pool, shifts)
                if is_exact != is_stable:
                    print(f"{options[1]} with {pool} is {'' if is_stable else 'not '}stable")
                    good = False
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
