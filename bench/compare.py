"""Side by side: the `tips` command against PyTorch and ONNX Runtime, the same network, batch and thread count.

The programs take turns: in every round ours runs K steps, then each peer runs K. PyTorch runs in both memory formats (at inference also with folded norms) and
counts with its fastest variant. Medians over the rounds. The results of a processor level replace those of the same level and title in results.json and
results.md; the tables are printed, with the bars that hold.
"""
import argparse
import json
import os
import platform
import re
import sys
import tempfile

from parts import PARTS
from programs import HERE, ours, tips
from render import render


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--binary", default=os.environ.get("TIPS", "build/tips"), help="our command")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--steps", type=int, default=3, help="steps per round")
    p.add_argument("--quick", action="store_true", help="one round of one step, to see that all runs")
    p.add_argument("--arch", default="resnet18", help="of the steps on small pictures, as are stem, down, batch and size")
    p.add_argument("--stem", default="cifar")
    p.add_argument("--down", type=int, default=3)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--size", type=int, default=32)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--only", default="", help="only what has this in its part (steps, training, families, segmentation, imported, own, alone) or title")
    p.add_argument("--runtime", default=os.path.join(HERE, "..", "build", "onnxruntime"), help="folder of onnxruntime-node, installed there if need be")
    p.add_argument("--blas", default=os.path.join(HERE, "..", "build", "openblas"), help="folder of OpenBLAS for PyTorch, put there if its own is the reference BLAS")
    p.add_argument("--out", default=HERE, help="folder of results.json and results.md")
    args = p.parse_args()
    if args.quick:
        args.rounds = args.steps = 1
    return args


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            return next(line.split(":", 1)[1].strip() for line in stream if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def level(args):
    """The instructions our command uses, as its measurements name them, or else the line on how it was built."""
    said = ours(args, ["--arch", "tiny", "--mode", "infer"], 1).get("level")
    if said:
        return said
    found = re.search(r"\b(avx512\w*|avx2|avx|sse\w*|neon|generic)\b", tips(args, "--version"))
    return found.group(1) if found else "avx2"


def measure(args):
    def chosen(part, title):
        found = args.only in f"{part} {title}".replace("`", "")
        if found:
            print(f"{part}: {title} ...", file=sys.stderr)
        return found
    with tempfile.TemporaryDirectory() as folder:
        return [row for part in PARTS for row in part(args, chosen, folder)]


def merged(old, new):
    """The new rows in place of the old ones of the same part and title, in the order of the parts."""
    keys = {(r["part"], r["title"]) for r in new}
    order = [part.__name__ for part in PARTS]
    return sorted([r for r in old if (r["part"], r["title"]) not in keys] + new, key=lambda r: order.index(r["part"]))


def read_results(path):
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream).get("levels", {})
    except FileNotFoundError:
        return {}


def write_results(folder, levels):
    with open(os.path.join(folder, "results.json"), "w", encoding="utf-8") as stream:
        json.dump({"levels": levels}, stream, indent=2)
        stream.write("\n")
    with open(os.path.join(folder, "results.md"), "w", encoding="utf-8") as stream:
        stream.write("\n\n".join(render(name, levels[name]) for name in sorted(levels)) + "\n")


def main():
    args = arguments()
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"note: the machine is busy (load {load:.1f}); figures will be low and noisy", file=sys.stderr)
    name, levels = level(args), read_results(os.path.join(args.out, "results.json"))
    results = {"processor": processor(), "cores": os.cpu_count(), "threads": args.threads, "load_at_start": load, "rounds": args.rounds, "steps_per_round": args.steps,
               "network": {k: getattr(args, k) for k in ("arch", "stem", "down", "batch", "size")}}
    new = measure(args)
    if not new:
        raise SystemExit(f"nothing has '{args.only}' in its part or title")
    levels[name] = {**results, "rows": merged(levels.get(name, {}).get("rows", []), new)}
    print(render(name, levels[name]))
    write_results(args.out, levels)
    return 0


if __name__ == "__main__":
    sys.exit(main())
