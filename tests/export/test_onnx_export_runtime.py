"""Exported networks pass onnx's checker and give our logits in ONNX Runtime, shifted inputs included. Skipped without
python3-onnx, node or npm."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "onnxruntime"))
import exported as ex  # tests/onnxruntime/exported.py
from exported import np

SMALL = ["--arch", "tiny", "--size", "16", "--classes", "5", "--width", "8"]
NARROW = ["--size", "32", "--classes", "5", "--width", "4"]
POOLS = [
    "stride", "max", "avg", "blur", "blur:n=4", "ddac", "ddac:softmax=group,groups=2,kernel=5", "aps", "aps:p=1", "aps:p=inf",
    "aps:choice=channel", "aps:choice=channel,p=1", "aps:choice=channel,p=inf", "lps", "lps:width=4", "none",
    "tips", "tips-official", "tips-exact", "tips-exact:psi=full,select=hard",
    "stride:before=max", "max:before=lpf3", "aps:before=max", "lps:before=avg3+max3", "tips-exact:before=max+lpf3", "tips-exact:before=avg",
] + [f"tips:psi={psi},tau={tau},anchor={anchor},select={select}"
     for psi, tau, anchor, select in [
         ("depthwise", "gap", "norm", "hard"), ("full", "quadrant", "none", "soft"), ("depthwise", "quadrant", "norm", "soft"),
         ("full", "quadrant", "norm", "hard"), ("full", "phase", "none", "soft"), ("full", "phase", "norm", "soft"),
         ("depthwise", "phase", "norm", "hard"), ("full", "phase", "logits", "hard")]]
FAMILIES = [["--arch", "mobilenet_v1"], ["--arch", "mobilenet_v2"], ["--arch", "mobilenet_v3_large"], ["--arch", "mobilenet_v3_small"], ["--arch", "vgg11"],
            ["--arch", "vgg11_bn"], ["--arch", "densenet_bc_40_12"], ["--arch", "efficientnet_b0", "--depth", "0.4"]]
OF_FAMILY = ["--size", "16", "--classes", "5", "--width", "8", "--down", "2"]
NORMS = ["layer", "group", "group:3", "instance", "instance:affine=false", "kernel", "none"]
PADDINGS = ["zero", "reflect", "replicate", "circular"]
EXACT = ["tips-exact", "tips-exact:before=max", "tips-exact:before=max3+lpf3", "aps:before=max", "aps", "lps", "tips:tau=phase,anchor=norm"]


def cases():
    """(title, options of init, options of export, batch, height, width)"""
    for pool in POOLS:
        yield pool, SMALL + ["--pool", pool], [], 3, 16, 16
        yield f"{pool} of one channel", SMALL + ["--pool", pool, "--width", "1"], [], 2, 16, 16
    for padding in PADDINGS:
        yield f"ddac, {padding}", SMALL + ["--pool", "ddac", "--padding", padding], [], 1, 16, 16
        yield f"steps before aps, {padding}", SMALL + ["--pool", "aps:before=max5+avg+lpf4", "--padding", padding], [], 1, 16, 16
        yield f"tips-exact, LPF-5, {padding}", SMALL + ["--pool", "tips-exact", "--lpf", "5", "--padding", padding], [], 1, 16, 16
    for norm in NORMS:
        yield f"norm {norm}", SMALL + ["--pool", "tips-exact", "--norm", norm], [], 2, 16, 16
        yield f"norm {norm}, zero, another size, opset 18", SMALL + ["--pool", "max", "--norm", norm, "--padding", "zero"], ["--opset", "18"], 1, 24, 16
    for opset in ["12", "13", "17", "18", "19", "21"]:
        yield f"tips, opset {opset}", SMALL + ["--pool", "tips:tau=quadrant,anchor=norm", "--lpf", "3"], ["--opset", opset], 2, 16, 16
    yield "norms kept", SMALL + ["--pool", "tips-exact"], ["--keep-bn"], 2, 16, 16
    yield "an odd size", SMALL + ["--pool", "aps", "--size", "19x13"], [], 2, 19, 13
    yield "another size", SMALL + ["--pool", "tips-exact"], [], 2, 24, 40
    yield "resnet18, cifar stem", NARROW + ["--arch", "resnet18", "--pool", "tips-exact", "--stem", "cifar"], [], 1, 32, 32
    yield "resnet18, imagenet stem", NARROW + ["--arch", "resnet18", "--pool", "lps", "--stem", "imagenet", "--size", "64"], [], 1, 64, 64
    yield "resnet50, cifar stem", NARROW + ["--arch", "resnet50", "--pool", "aps", "--lpf", "3"], [], 1, 32, 32
    yield "resnet50, imagenet stem", NARROW + ["--arch", "resnet50", "--pool", "max", "--stem", "imagenet", "--padding", "zero", "--size", "64"], [], 3, 64, 64

    for i, family in enumerate(FAMILIES):
        yield f"{family[1]}, cifar stem", OF_FAMILY + family + ["--pool", "tips-exact"], [], 2, 16, 16
        if "densenet" not in family[1]:
            yield f"{family[1]}, imagenet stem", OF_FAMILY + family + ["--pool", ["stride", "aps", "max"][i % 3], "--stem", "imagenet", "--head", "gap", "--size", "32"], [], 1, 32, 32
    yield "vgg11, its own head", ["--arch", "vgg11", "--width", "4", "--classes", "5", "--pool", "aps", "--head", "own", "--down", "2", "--size", "28"], [], 1, 28, 28
    yield "densenet121, imagenet stem", ["--arch", "densenet121", "--width", "8", "--classes", "5", "--pool", "stride", "--stem", "imagenet", "--size", "64"], [], 1, 64, 64


def export(name, init, options, folder):
    model, file = (os.path.join(folder, f"{name}.{end}") for end in ("safetensors", "onnx"))
    ex.make_model(model, init)
    ex.tips("export", "--model", model, "-o", file, *options)
    ex.check(file)
    return model, file


def at_size(model, init, height, width):
    """The same weights in a network for that size, if it is another: .npy files must fit."""
    given = init[len(init) - 1 - init[::-1].index("--size") + 1]
    if given in (f"{height}", f"{height}x{width}"):
        return model
    ex.make_model(model, init + ["--size", f"{height}x{width}"])
    return model


def compare_cases(folder):
    titles, wanted, jobs = [], [], []
    for i, (title, init, options, count, height, width) in enumerate(cases()):
        model, file = export(f"case{i}", init, options, folder)
        batch = ex.pictures(count, 3, height, width)
        model = at_size(model, init, height, width)
        titles.append(title)
        wanted.append(ex.our_logits(model, batch, folder))
        jobs.append((file, batch))
    answers = ex.runtime_logits(jobs, folder)
    wrong = [title for title, got, want in zip(titles, answers, wanted) if not ex.agree(got, want)]
    largest = max(ex.difference(got, want) for got, want in zip(answers, wanted))
    print(f"{len(titles)} networks, logits differ by at most {largest:.1e} of the largest; wrong: {wrong or 'none'}")
    return not wrong


def shifted(picture, shifts):
    return np.concatenate([np.roll(picture, shift, (2, 3)) for shift in shifts])


def stable(folder, init, shifts):
    file = export("stable", init, [], folder)[1]
    logits = ex.runtime_logits([(file, shifted(ex.pictures(1, 3, 16, 16), shifts))], folder)[0]
    return ex.agree(logits, np.repeat(logits[:1], len(logits), 0))


def compare_norms(folder, shifts):
    broken = [norm for norm in NORMS if not stable(folder, SMALL + ["--pool", "tips-exact", "--norm", norm], shifts)]
    controls = [norm for norm in NORMS if stable(folder, SMALL + ["--pool", "stride", "--norm", norm], shifts)]
    print(f"{len(shifts)} shifts; norms not stable: {broken or 'none'}; stable with stride, which must not be: {controls or 'none'}")
    return not broken and not controls


def compare_shifts(folder, shifts, lpf=0):
    broken = [pool for pool in EXACT if not stable(folder, SMALL + ["--pool", pool, "--lpf", f"{lpf}"], shifts)]
    broken += [family[1] for family in FAMILIES if lpf == 0 and not stable(folder, OF_FAMILY + family + ["--pool", "tips-exact"], shifts)]
    control = not stable(folder, SMALL + ["--pool", "max"], shifts)
    print(f"{len(shifts)} shifts, LPF {lpf}; not stable: {broken or 'none'}; max, which must not be, is {'not' if control else 'STABLE'}")
    return control and not broken


def metadata_survives(folder):
    file = export("metadata", SMALL + ["--pool", "tips-exact"], ["--opset", "17"], folder)[1]
    model = ex.check(file)
    keys = {entry.key: entry.value for entry in model.metadata_props}
    kept = keys.get("tips.arch") == "tiny" and "tips-exact" in keys.get("tips.pool", "")
    print(f"metadata: {', '.join(sorted(keys))}")
    return kept


def main():
    every = [(y, x) for y in range(16) for x in range(16)]
    sampled = [every[i] for i in np.random.RandomState(3).permutation(len(every))[:63]]
    ex.need_runtime()
    with tempfile.TemporaryDirectory() as folder:
        results = [compare_cases(folder), compare_shifts(folder, [(0, 0)] + sampled), compare_norms(folder, every), metadata_survives(folder)]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
