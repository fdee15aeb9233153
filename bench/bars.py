"""What the figures shall reach, and whether they do."""
import math

TRAINING = {"avx512": (2.2, 3.2), "avx2": (2.6, 3.0)}  # of PyTorch: max, tips-exact


def training_bars(level):
    return TRAINING["avx512" if "512" in level else "avx2"]


def find(rows, part, *words):
    return [r for r in rows if r["part"] == part and all(word in r["title"] for word in words)]


def worst(rows, key, choose):
    return choose(key(r) for r in rows) if rows else None


def bar(text, value, bound, at_most=False):
    holds = None if value is None else value <= bound if at_most else value >= bound
    return {"bar": f"{text} {'<=' if at_most else '>='} {bound:g}", "value": value, "holds": holds}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def bars(level, rows):
    def speed(found):
        return worst(found, lambda r: r["speed_ratio"], min)
    maximum, exact = training_bars(level)
    measured = [r for r in rows if "ours" in r]
    own_exact = find(rows, "own", "tips-exact")
    resnets = [r for r in measured if r["mode"] == "train" and r["part"] in ("steps", "training")]
    return [
        bar("training `max` over PyTorch", speed(find(rows, "steps", "train `max`")), maximum),
        bar("training `tips-exact` over PyTorch", speed(find(rows, "steps", "train `tips-exact`")), exact),
        bar("training mobilenet_v2 on small pictures over PyTorch", speed(find(rows, "families", "mobilenet_v2", "32x32")), 1.0),
        bar("training vit_tiny over PyTorch", speed(find(rows, "families", "vit_tiny")), 1.0),
        bar("training a small U-Net over PyTorch", speed(find(rows, "segmentation", "width 16")), 1.5),
        bar("slowest imported network over ONNX Runtime", speed(find(rows, "imported")), 1.0),
        bar("imported networks over ONNX Runtime, geometric mean", geometric_mean([r["speed_ratio"] for r in find(rows, "imported")]), 1.2),
        bar("`stride` over ONNX Runtime", speed(find(rows, "own", "`stride`")), 1.2),
        bar("`tips-exact`, exact, over ONNX Runtime", speed(own_exact), 4.0),
        bar("`tips-exact`, exact, of the machine's peak", worst(own_exact, lambda r: r["ours"]["peak_share"], min), 0.75),
        bar("own allocations in the second step", worst(measured, lambda r: r["ours"]["allocations_second_step"], max), 0, at_most=True),
        bar("memory of training ResNets over PyTorch's", worst(resnets, lambda r: r["memory_ratio"], max), 0.4, at_most=True),
    ]


def shown(found):
    value = "not measured" if found["value"] is None else f"{found['value']:.2f}"
    return [found["bar"], value, {None: "-", True: "holds", False: "does not hold"}[found["holds"]]]
