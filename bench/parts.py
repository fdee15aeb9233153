"""What is measured: rows, each with our figures and those of the peer it took turns with."""
import os
import statistics
import subprocess
import sys

from programs import HERE, ours, runtime_server, tips, torch_servers

BATCHES, LARGE = (1, 16), 224
STEPS = [("train", "max"), ("train", "tips-exact"), ("train", "tips:psi=depthwise"), ("infer", "max")]
ALONE = [("`tips-exact` / `max`, zero padding", ("tips-exact", "zero"), ("max", "zero")), ("circular / zero padding, `max`", ("max", "circular"), ("max", "zero")),
         ("circular / zero padding, `tips-exact`", ("tips-exact", "circular"), ("tips-exact", "zero"))]
IMPORTED = ["resnet18", "resnet50", "mobilenet_v2", "densenet121", "efficientnet_b0"]
OWN = [("stride", "zero", "auto"), ("tips-exact", "circular", "exact")]
TRAINING = ["resnet18", "resnet50"]
FAMILIES = [("mobilenet_v2", pool, *form) for form in ((32, 64, ["--stem", "cifar", "--down", 3]), (LARGE, 16, ["--stem", "imagenet", "--down", 5])) for pool in ("max", "stride")]
SEGMENTERS = [("unet", 16, 128, 8), ("unet", 64, 256, 4)]
FAMILIES += [("vit_tiny", "stride", 32, 64, []), ("vit_b_16", "stride", LARGE, 4, [])]


def spread(values):
    """(highest - lowest) / median, in percent."""
    return 100 * (max(values) - min(values)) / statistics.median(values)


def summary(rounds):
    rates = [r["images_per_second"] for r in rounds]
    return {
        "images_per_second": statistics.median(rates), "rounds": rates, "spread_percent": spread(rates),
        "peak_resident_mb": max(r["peak_resident_mb"] for r in rounds),
        "allocations_second_step": max(r["allocations_second_step"] for r in rounds),
        "extra_multiply_adds": rounds[0].get("extra_multiply_adds") or 0,
        "gflops": statistics.median(r.get("gflops") or 0 for r in rounds), "peak_share": statistics.median(r.get("peak_share") or 0 for r in rounds),
        "build_ms": statistics.median(r["build_ms"] for r in rounds), "parameters": rounds[0]["parameters"],
    }


def peer_summary(name, version, servers):
    best = max(servers, key=lambda s: statistics.median(s.rates))
    return {"name": name, "version": version, "variant": best.name, "images_per_second": statistics.median(best.rates), "rounds": best.rates,
            "spread_percent": spread(best.rates), "peak_resident_mb": best.peak,
            "variants": {s.name: {"images_per_second": statistics.median(s.rates), "peak_resident_mb": s.peak} for s in servers}}


def ratios(first, second):
    each = [a / b for a, b in zip(first["rounds"], second["rounds"])]
    return {"speed_ratio": first["images_per_second"] / second["images_per_second"], "speed_ratio_low": min(each), "speed_ratio_high": max(each),
            "memory_ratio": first["peak_resident_mb"] / second["peak_resident_mb"]}


def take_turns(args, options, servers, steps):
    """Rounds of ours, then of each server."""
    rounds = []
    for _ in range(args.rounds):
        rounds.append(ours(args, options, steps))
        for server in servers:
            server.step(steps)
    return summary(rounds)


def quit_all(servers):
    for server in servers:
        server.quit()


def against_torch(args, part, title, options, mode):
    servers = torch_servers(args, options, mode)
    try:
        mine = take_turns(args, options, servers, args.steps)
    finally:
        quit_all(servers)
    if mine["parameters"] != servers[0].info["parameters"]:
        raise SystemExit(f"{title}: {mine['parameters']} parameters, PyTorch's network has {servers[0].info['parameters']}")
    peer = peer_summary("PyTorch", f"{servers[0].info['torch']}, {servers[0].info['blas']}", servers)
    return {"part": part, "title": title, "mode": mode, "ours": mine, "peer": peer, **ratios(mine, peer)}


def difference(args, server, model, folder):
    """The largest difference of logits to the runtime's, relative to the largest logit."""
    import numpy as np
    given, logits, answers = (os.path.join(folder, name + ".npy") for name in ("given", "logits", "answers"))
    np.save(given, np.random.default_rng(1).standard_normal((2, 3, LARGE, LARGE), dtype=np.float32))
    tips(args, "predict", "--model", model, given, "--logits", logits)
    server.ask("answer", given, answers)
    mine, theirs = np.load(logits).reshape(2, -1), np.load(answers).reshape(2, -1)
    return float(np.abs(mine - theirs).max() / np.abs(theirs).max())


def against_runtime(args, part, title, model, exported, batch, algorithm, folder):
    options = ["--model", model, "--mode", "infer", "--batch", batch, "--algorithm", algorithm]
    server = runtime_server(args, exported, batch, LARGE)
    try:
        mine = take_turns(args, options, [server], args.steps if batch > 1 else 5 * args.steps)
        differs = difference(args, server, model, folder) if batch == 1 else None
    finally:
        server.quit()
    peer = peer_summary("ONNX Runtime", server.info["version"], [server])
    return {"part": part, "title": title, "mode": "infer", "batch": batch, "difference": differs, "ours": mine, "peer": peer, **ratios(mine, peer)}


def small_network(args, pool, mode, padding):
    return ["--arch", args.arch, "--stem", args.stem, "--down", args.down, "--pool", pool, "--batch", args.batch, "--size", args.size, "--mode", mode,
            "--padding", padding]


def steps(args, chosen, _folder):
    for mode, pool in STEPS:
        title = f"{mode} `{pool}`"
        if chosen("steps", title):
            yield against_torch(args, "steps", title, small_network(args, pool, mode, "zero"), mode)


def training(args, chosen, _folder):
    for arch in TRAINING:
        title = f"train {arch} `max`, {LARGE}x{LARGE}, batch 16"
        options = ["--arch", arch, "--stem", "imagenet", "--down", 5, "--pool", "max", "--batch", 16, "--size", LARGE, "--mode", "train", "--padding", "zero"]
        if chosen("training", title):
            yield against_torch(args, "training", title, options, "train")


def families(args, chosen, _folder):
    """With `max` both do the same. With `stride` the peer is torchvision's own network, whose strided convolutions do less: ours are dense in training."""
    for arch, pool, size, batch, more in FAMILIES:
        title = f"train {arch} `{pool}`, {size}x{size}, batch {batch}"
        options = ["--arch", arch, *more, "--pool", pool, "--batch", batch, "--size", size, "--mode", "train", "--padding", "zero"]
        if chosen("families", title):
            yield against_torch(args, "families", title, options, "train")


def segmentation(args, chosen, _folder):
    for arch, width, size, batch in SEGMENTERS:
        title = f"train {arch} resnet18 of width {width} `max`, {size}x{size}, batch {batch}"
        options = ["--arch", arch, "--backbone", "resnet18", "--stem", "imagenet", "--down", 5, "--width", width, "--classes", 2, "--pool", "max", "--batch", batch,
                   "--size", size, "--mode", "train", "--padding", "zero"]
        if chosen("segmentation", title):
            yield against_torch(args, "segmentation", title, options, "train")


def imported(args, chosen, folder):
    for name in IMPORTED:
        path = os.path.join(folder, name + ".onnx")
        for batch in BATCHES:
            title = f"{name}, batch {batch}"
            if not chosen("imported", title):
                continue
            if not os.path.exists(path):
                subprocess.run([sys.executable, os.path.join(HERE, "torch_export.py"), folder, name], check=True)
            yield against_runtime(args, "imported", title, path, path, batch, "auto", folder)


def make_own(args, pool, padding, folder):
    model, exported = (os.path.join(folder, f"own_{pool}{ending}") for ending in (".safetensors", ".onnx"))
    tips(args, "init", "--arch", "resnet18", "--stem", "imagenet", "--pool", pool, "--padding", padding, "--size", LARGE, "--classes", 1000, "--out", model)
    tips(args, "export", "--model", model, "-o", exported)
    return model, exported


def own(args, chosen, folder):
    for pool, padding, algorithm in OWN:
        for batch in BATCHES:
            title = f"resnet18 `{pool}`, {padding} padding, {algorithm}, batch {batch}"
            if chosen("own", title):
                model, exported = make_own(args, pool, padding, folder)
                yield {**against_runtime(args, "own", title, model, exported, batch, algorithm, folder), "pool": pool}


def alone(args, chosen, _folder):
    """Two configurations (pool, padding) of ours in turns, training."""
    for title, *pair in ALONE:
        if not chosen("alone", title):
            continue
        rounds = [[], []]
        for _ in range(args.rounds):
            for i, (pool, padding) in enumerate(pair):
                rounds[i].append(ours(args, small_network(args, pool, "train", padding), args.steps))
        first, second = summary(rounds[0]), summary(rounds[1])
        yield {"part": "alone", "title": title, "first": first, "second": second, **ratios(first, second),
               "cost": second["images_per_second"] / first["images_per_second"], "extra_multiply_adds": first["extra_multiply_adds"]}


PARTS = [steps, training, families, segmentation, imported, own, alone]
