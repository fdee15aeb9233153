"""Side by side: the `tips` command against PyTorch, the same network, operator, batch and thread count.

The two programs take turns: in every round ours runs K steps, then each PyTorch server (one per memory format; at inference also with folded norms) runs K.
Medians over the rounds; PyTorch counts with its fastest variant. Writes results.json and results.md beside this file and prints the table.
"""
import argparse
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIGS = [("train", "max"), ("train", "tips-exact"), ("train", "tips:psi=depthwise"), ("infer", "max")]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--binary", default=os.environ.get("TIPS", "build/tips"), help="our command")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--steps", type=int, default=3, help="steps per round")
    p.add_argument("--arch", default="resnet18")
    p.add_argument("--stem", default="cifar")
    p.add_argument("--down", type=int, default=3)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--size", type=int, default=32)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--only", default="", help="only configurations whose `mode pool` contains this")
    p.add_argument("--out", default=HERE, help="folder of results.json and results.md")
    return p.parse_args()


def network(args, pool, mode, padding):
    return ["--arch", args.arch, "--stem", args.stem, "--down", str(args.down), "--pool", pool, "--batch", str(args.batch), "--size", str(args.size),
            "--mode", mode, "--padding", padding, "--threads", str(args.threads)]


def last_json(text):
    """The whole text, or else its last line that is a JSON object."""
    for candidate in [text, *reversed(text.splitlines())]:
        try:
            value = json.loads(candidate)
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    raise SystemExit(f"no JSON object in:\n{text}")


def ours(args, pool, mode, padding="zero"):
    command = [*shlex.split(args.binary), "bench", "step", *network(args, pool, mode, padding), "--steps", str(args.steps), "--json"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    except OSError as error:
        raise SystemExit(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}: exit code {done.returncode}")
    return last_json(done.stdout)


class Server:
    """One torch_step.py that waits for its turn."""

    def __init__(self, args, pool, mode, layout, fold):
        self.name = layout + (", folded" if fold else "")
        command = [sys.executable, os.path.join(HERE, "torch_step.py"), *network(args, pool, mode, "zero"), "--format", layout, "--interleave"]
        self.process = subprocess.Popen(command + ["--fold"] * fold, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.info = self.read()
        self.rates, self.peak = [], 0.0

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the PyTorch server ({self.name}) ended early")
        return json.loads(line)

    def step(self, count):
        self.process.stdin.write(f"step {count}\n")
        self.process.stdin.flush()
        report = self.read()
        self.rates.append(report["images_per_second"])
        self.peak = report["peak_resident_mb"]

    def quit(self):
        if self.process.poll() is None:
            self.process.stdin.write("quit\n")
            self.process.stdin.close()
            self.process.wait()


def spread(values):
    """(highest - lowest) / median, in percent."""
    return 100 * (max(values) - min(values)) / statistics.median(values)


def summary(rounds):
    rates = [r["images_per_second"] for r in rounds]
    return {
        "images_per_second": statistics.median(rates), "rounds": rates, "spread_percent": spread(rates),
        "peak_resident_mb": max(r["peak_resident_mb"] for r in rounds),
        "extra_multiply_adds": rounds[0].get("extra_multiply_adds") or 0,
        "gflops": statistics.median(r.get("gflops") or 0 for r in rounds), "peak_share": statistics.median(r.get("peak_share") or 0 for r in rounds),
    }


def against_torch(args, mode, pool):
    servers, rounds = [], []
    try:
        for fold in (False, True) if mode == "infer" else (False,):
            servers += [Server(args, pool, mode, layout, fold) for layout in ("nchw", "nhwc")]
        for _ in range(args.rounds):
            rounds.append(ours(args, pool, mode))
            for server in servers:
                server.step(args.steps)
    finally:
        for server in servers:
            server.quit()
    best = max(servers, key=lambda s: statistics.median(s.rates))
    row = {"mode": mode, "pool": pool, "padding": "zero", "ours": summary(rounds)}
    row["torch"] = {"version": best.info["torch"], "variant": best.name, "images_per_second": statistics.median(best.rates), "rounds": best.rates,
                    "spread_percent": spread(best.rates), "peak_resident_mb": best.peak,
                    "variants": {s.name: {"images_per_second": statistics.median(s.rates), "peak_resident_mb": s.peak} for s in servers}}
    ratios = [a / b for a, b in zip(row["ours"]["rounds"], best.rates)]
    row["speed_ratio"] = row["ours"]["images_per_second"] / row["torch"]["images_per_second"]
    row["speed_ratio_low"], row["speed_ratio_high"] = min(ratios), max(ratios)
    row["memory_ratio"] = row["ours"]["peak_resident_mb"] / best.peak
    return row


def against_ourselves(args, title, first, second):
    """Two configurations (pool, padding) of ours in turns, training."""
    rounds = [[], []]
    for _ in range(args.rounds):
        for i, (pool, padding) in enumerate((first, second)):
            rounds[i].append(ours(args, pool, "train", padding))
    a, b = summary(rounds[0]), summary(rounds[1])
    ratios = [p / q for p, q in zip(a["rounds"], b["rounds"])]
    return {"title": title, "first": {"pool": first[0], "padding": first[1], **a}, "second": {"pool": second[0], "padding": second[1], **b},
            "speed_ratio": a["images_per_second"] / b["images_per_second"], "speed_ratio_low": min(ratios), "speed_ratio_high": max(ratios),
            "memory_ratio": a["peak_resident_mb"] / b["peak_resident_mb"],
            "cost": b["images_per_second"] / a["images_per_second"], "extra_multiply_adds": a["extra_multiply_adds"]}


def excess(row):
    """What the first costs beyond the multiply-adds that zero padding would skip at the border."""
    extra = 1 / (1 - row["extra_multiply_adds"])
    return f"{row['cost']:.2f} ({100 * (row['cost'] / extra - 1):+.0f}% over x{extra:.2f})" if row["extra_multiply_adds"] else f"{row['cost']:.2f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def render(results):
    head = ["step", "tips img/s", "spread", "GFLOP/s", "of peak", "PyTorch img/s", "spread", "variant", "ratio (range)", "tips MB", "PyTorch MB", "ratio"]
    rows = []
    for r in results["against_torch"]:
        a, t = r["ours"], r["torch"]
        rows.append([f"{r['mode']} `{r['pool']}`", f"{a['images_per_second']:.1f}", f"{a['spread_percent']:.0f}%", f"{a['gflops']:.0f}", f"{100 * a['peak_share']:.0f}%",
                     f"{t['images_per_second']:.1f}", f"{t['spread_percent']:.0f}%", t["variant"],
                     f"{r['speed_ratio']:.2f} ({r['speed_ratio_low']:.2f}-{r['speed_ratio_high']:.2f})", f"{a['peak_resident_mb']:.0f}", f"{t['peak_resident_mb']:.0f}",
                     f"{r['memory_ratio']:.2f}"])
    text = table(head, rows)
    if results["against_ourselves"]:
        own = [[r["title"], f"{r['first']['images_per_second']:.1f}", f"{r['second']['images_per_second']:.1f}",
                f"{r['speed_ratio']:.2f} ({r['speed_ratio_low']:.2f}-{r['speed_ratio_high']:.2f})", f"{r['first']['peak_resident_mb']:.0f}",
                excess(r), f"{r['second']['peak_resident_mb']:.0f}", f"{r['memory_ratio']:.2f}"] for r in results["against_ourselves"]]
        text += "\n\n" + table(["tips alone, training", "first img/s", "second img/s", "ratio (range)", "first MB", "cost of the first (over its extra multiply-adds)", "second MB", "ratio"], own)
    return text


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            return next(line.split(":", 1)[1].strip() for line in stream if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main():
    args = arguments()
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"note: the machine is busy (load {load:.1f}); figures will be low and noisy", file=sys.stderr)
    results = {"processor": processor(), "cores": os.cpu_count(), "load_at_start": load, "rounds": args.rounds, "steps_per_round": args.steps,
               "network": {k: getattr(args, k) for k in ("arch", "stem", "down", "batch", "size", "threads")}, "against_torch": [], "against_ourselves": []}
    for mode, pool in CONFIGS:
        if args.only in f"{mode} {pool}":
            print(f"{mode} {pool} ...", file=sys.stderr)
            results["against_torch"].append(against_torch(args, mode, pool))
    if not args.only:
        for title, first, second in (("`tips-exact` / `max`, zero padding", ("tips-exact", "zero"), ("max", "zero")),
                                     ("circular / zero padding, `max`", ("max", "circular"), ("max", "zero")),
                                     ("circular / zero padding, `tips-exact`", ("tips-exact", "circular"), ("tips-exact", "zero"))):
            print(f"{title} ...", file=sys.stderr)
            results["against_ourselves"].append(against_ourselves(args, title, first, second))
    text = render(results)
    print(text)
    with open(os.path.join(args.out, "results.json"), "w", encoding="utf-8") as stream:
        json.dump(results, stream, indent=2)
        stream.write("\n")
    with open(os.path.join(args.out, "results.md"), "w", encoding="utf-8") as stream:
        version = results["against_torch"][0]["torch"]["version"] if results["against_torch"] else ""
        stream.write(f"{args.arch}, {args.stem} stem, down {args.down}, batch {args.batch}, {args.size}x{args.size}, zero padding, {args.threads} threads; "
                     f"{results['processor']}; PyTorch {version}. Medians of {args.rounds} interleaved rounds of {args.steps} steps; "
                     f"PyTorch with its fastest variant.\n\n{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
