"""Tables of docs/cost.md of what `tips cost --json` counts. Called by the recipes beside it: cost.py TABLE."""
import json
import os
import subprocess
import sys


def cost(*options):
    out = subprocess.run([os.environ["TIPS"], "cost", "--json", *options], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)["rows"]


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def head(*cells, left=1):
    row(*cells)
    print("|" + "|".join(["---"] * left + ["---:"] * (len(cells) - left)) + "|")


def number(value, form="%.3f"):
    return "" if value is None else form % value


def theirs(r, key):
    return (r.get("paper") or {}).get(key)


def millions(r):
    paper = theirs(r, "parameters_millions")
    return "%.3f" % (r["parameters"] / 1e6) + ("" if paper is None else " / %.3f" % paper)


def so_counted(r):
    count = theirs(r, "our_parameters_so")
    return "" if count is None else "%.3f" % (count / 1e6)


def by_network(rows):
    found = {}
    for r in rows:
        name = ", ".join(part for part in (r["arch"], r.get("backbone")) if part)
        found.setdefault(name, []).append(r)
    return found


def all_architectures():
    head("architecture", "M parameters, `max`", "so counted", "`tips-exact`", "G multiply-adds, `max`", "`tips-exact`",
         "paper GFLOP, max", "TIPS")
    rows = cost("--paper", "--arch", "all", "--pool", "max,tips-exact", "--size", "224", "--classes", "1000", "--no-time", "--no-memory")
    for arch, (pooled, exact) in by_network(rows).items():
        row(f"`{arch}`", millions(pooled), so_counted(pooled), millions(exact), "%.3f" % (pooled["multiply_adds"] / 1e9),
            "%.3f" % (exact["multiply_adds"] / 1e9), number(theirs(pooled, "gflop")), number(theirs(exact, "gflop")))


RESNETS = ["resnet18", "resnet34", "resnet50", "resnet101"]
NOTES = {"tips": " (the text)", "tips-official": " (the code)", "tips-exact": " (ours)"}


def resnets():
    rows = cost("--paper", "--arch", ",".join(RESNETS), "--size", "224", "--classes", "1000", "--stem", "imagenet", "--no-time", "--no-memory",
                "--pool", "max,blur,ddac,aps,lps,tips,tips-official,tips-exact")
    pools = {}
    for r in rows:
        pools.setdefault(r["pool"], {})[r["arch"]] = r
    return pools


def beside(ours, paper, form, pool):
    return form % ours + " / " + ("-" if paper is None or pool == "tips-exact" else form % paper)


def parameters():
    head("operator", "ResNet-18", "ResNet-34", "ResNet-50", "ResNet-101")
    for pool, of in resnets().items():
        row(f"`{pool}`" + NOTES.get(pool, ""),
            *(beside(of[a]["parameters"] / 1e6, theirs(of[a], "parameters_millions"), "%.3f", pool) for a in RESNETS))


def added():
    head("operator", "ResNet-18", "ResNet-34", "ResNet-50", "ResNet-101")
    pools = resnets()
    for pool, of in pools.items():
        if pool == "max":
            continue
        cells = []
        for a in RESNETS:
            base, paper = theirs(pools["max"][a], "parameters_millions"), theirs(of[a], "parameters_millions")
            cells.append(beside(of[a]["added_percent"], None if paper is None else 100 * (paper / base - 1), "%.2f", pool))
        row(f"`{pool}`" + NOTES.get(pool, ""), *cells)


# The paper's megabytes and times of its convolutions on a GPU, of max, TIPS and GAP.
PAPER_ON_GPU = {
    "mobilenet_v1": {"max": ("58.122", "0.635"), "tips": ("101.214", "1.045"), "none": ("6390.284", "66.609")},
    "resnet18": {"max": ("21.860", "1.135"), "tips": ("292.844", "3.525"), "none": ("1957.691", "72.460")},
    "resnet34": {"max": ("31.904", "1.954"), "tips": ("334.754", "5.623"), "none": ("3451.912", "141.075")},
    "resnet101": {"max": ("131.035", "4.921"), "tips": ("816.791", "12.204"), "none": ("21144.011", "534.514")},
}


def arithmetic():
    names = {"mobilenet_v1": "MobileNet", "resnet18": "ResNet-18", "resnet34": "ResNet-34", "resnet101": "ResNet-101"}
    head("network", "operator", "GFLOP", "times `max`", "paper", "times max", "maps MB", "paper MB", "paper time", left=2)
    rows = cost("--paper", "--arch", ",".join(names), "--size", "224", "--classes", "1000", "--stem", "imagenet", "--no-time", "--no-memory",
                "--pool", "max,tips,tips-official,tips-exact,none")
    for arch, of in by_network(rows).items():
        for i, r in enumerate(of):
            # The paper's TIPS is one operator: its figures stand beside that of its text.
            on_gpu = PAPER_ON_GPU[arch].get(r["pool"])
            paper = theirs(r, "gflop") if on_gpu else None
            row(names[arch] if i == 0 else "", f"`{r['pool']}`" + (" (GAP)" if r["pool"] == "none" else ""), "%.2f" % (2e-9 * r["multiply_adds"]),
                "%.2f" % (r["multiply_adds"] / of[0]["multiply_adds"]), number(paper) or "-", "%.2f" % (paper / theirs(of[0], "gflop")) if paper else "-",
                "%.1f" % (r["activation_bytes"] / 2**20), *(on_gpu or ("-", "-")))


MIB = 2**20


def measured(r, *keys):
    forms = {"maps": ("activation_bytes", MIB), "infer": ("inference_arena_bytes", MIB), "train": ("training_arena_bytes", MIB),
             "ms": ("seconds_per_image", 1e-3)}
    return [number(r[forms[k][0]] and r[forms[k][0]] / forms[k][1], "%.1f") for k in keys]


def memory_operators():
    archs = ["resnet18", "mobilenet_v2"]
    rows = cost("--arch", ",".join(archs), "--size", "224", "--classes", "1000",
                "--pool", "stride,max,avg,blur,ddac,aps,lps,tips,tips-official,tips-exact")
    head("operator", *(f"{'`%s`: ' % a if k == 'infer MB' else ''}{k}" for a in archs for k in ("infer MB", "train MB", "ms")))
    for pool in dict.fromkeys(r["pool"] for r in rows):
        row(f"`{pool}`", *(cell for a in archs for r in rows if r["arch"] == a and r["pool"] == pool for cell in measured(r, "infer", "train", "ms")))


def memory_networks():
    rows = cost("--arch", "all", "--pool", "max,tips-exact", "--size", "224", "--classes", "1000")
    head("network", "`max`: maps MB", "infer MB", "train MB", "ms", "`tips-exact`: maps MB", "infer MB", "train MB", "ms")
    for arch, of in by_network(rows).items():
        row(f"`{arch}`", *(cell for r in of for cell in measured(r, "maps", "infer", "train", "ms")))


TABLES = {"all": all_architectures, "parameters": parameters, "added": added, "arithmetic": arithmetic,
          "memory-operators": memory_operators, "memory-networks": memory_networks}
TABLES[sys.argv[1]]()
