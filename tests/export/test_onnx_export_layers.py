"""The layers of networks that come from elsewhere, exported: ONNX Runtime gives our logits. Skipped without python3-onnx,
node or npm."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "onnxruntime"))
import exported as ex  # tests/onnxruntime/exported.py

SIZE, CHANNELS, CLASSES = (8, 9), 6, 5
SAME = (6, 8, 9)
TABLE = "relative_position_bias_table"
SIDES = "top=1,left=2,bottom=2,right=1"
OPSETS = ["11", "13", "18"]
PER_CHANNEL = {"weight": (6,), "bias": (6,)}

# (layer, options, shape of the output, parameters)
ONE_INPUT = [
    ("clip", "min=-0.5,max=1", SAME, {}), ("clip", "min=0", SAME, {}), ("clip", "max=0.5", SAME, {}),
    ("leaky_relu", "alpha=0.2", SAME, {}), ("sigmoid", "", SAME, {}), ("hard_sigmoid", "alpha=0.3,beta=0.4", SAME, {}),
    ("hard_swish", "", SAME, {}), ("silu", "", SAME, {}), ("tanh", "", SAME, {}), ("gelu", "", SAME, {}),
    ("gelu_tanh", "", SAME, {}), ("erf", "", SAME, {}), ("elu", "alpha=0.7", SAME, {}), ("softplus", "", SAME, {}),
    ("dropout", "p=0.4", SAME, {}), ("drop_path", "p=0.4", SAME, {}),
    ("prelu", "", SAME, {"weight": (6,)}), ("prelu", "shared", SAME, {"weight": (1,)}),
    ("affine", "", SAME, {"weight": (6,), "bias": (6,)}), ("softmax", "", SAME, {}), ("log_softmax", "", SAME, {}),
    ("lrn", "size=3,alpha=0.5,beta=0.75", SAME, {}), ("lrn", "size=4,alpha=0.5,beta=0.6,bias=2", SAME, {}),
    ("max_pool", "kernel=3,stride=2", (6, 3, 4), {}), ("max_pool", "kernel=3x2,stride=2x3,ceil", (6, 4, 3), {}),
    ("max_pool", f"kernel=3,stride=2,dilation=2,{SIDES}", (6, 4, 4), {}),
    ("max_pool", f"kernel=3,pad-mode=circular,{SIDES}", (6, 9, 10), {}),
    ("max_pool", "kernel=2,dilation=3,stride=2,top=2,bottom=2", (6, 5, 3), {}),
    ("max_pool", "kernel=1,stride=5,ceil,bottom=1,right=1", (6, 2, 2), {}),
    ("avg_pool", "kernel=3,stride=2", (6, 3, 4), {}), ("avg_pool", "kernel=3x2,stride=2x3,ceil", (6, 4, 3), {}),
    ("avg_pool", f"kernel=3,stride=2,{SIDES}", (6, 5, 5), {}), ("avg_pool", f"kernel=3,stride=2,count-pad,{SIDES}", (6, 5, 5), {}),
    ("avg_pool", "kernel=3,stride=3,ceil,count-pad,top=1,bottom=1,left=1,right=1", (6, 3, 4), {}),
    ("avg_pool", "kernel=3,stride=3,ceil,top=1,bottom=1,left=1,right=1", (6, 3, 4), {}),
    ("avg_pool", "kernel=2,stride=5,ceil,bottom=1,right=1", (6, 2, 2), {}),
    ("avg_pool", f"kernel=3,pad-mode=reflect,{SIDES}", (6, 9, 10), {}),
    ("slice", "axis=c,start=1,stop=-1,step=2", (2, 8, 9), {}), ("slice", "axis=h,start=-5,step=2", (6, 3, 9), {}),
    ("slice", "axis=w,stop=7", (6, 8, 7), {}),
    ("reshape", "c=12,h=4,w=9", (12, 4, 9), {}), ("shuffle", "groups=3", SAME, {}),
    ("pad_channels", "before=1,after=2,value=0.5", (9, 8, 9), {}),
    ("pad", f"pad-mode=zero,value=-0.5,{SIDES}", (6, 11, 12), {}), ("pad", "pad-mode=circular,top=9", (6, 17, 9), {}),
    ("resize", "scale-h=2,scale-w=3,grid=asymmetric,round=floor", (6, 16, 27), {}),
    ("resize", "mode=linear,scale-h=2,scale-w=0.5", (6, 16, 4), {}), ("resize", "mode=linear,grid=align_corners,size=5x7", (6, 5, 7), {}),
    ("resize", "mode=linear,grid=pytorch_half_pixel,size=1x20", (6, 1, 20), {}), ("resize", "size=5x21", (6, 5, 21), {}),
    ("anchor", "", SAME, {}),
    ("group_norm", "", SAME, PER_CHANNEL), ("group_norm", "affine=false,eps=0.01", SAME, {}),
    ("layer_norm", "eps=1e-3", SAME, {"weight": (6,), "bias": (6,)}),
    ("position_embedding", "extra=2", (6, 1, 74), {"": (1, 74, 6)}), ("position_embedding", "", SAME, {"": (1, 72, 6)}),
    ("class_token", "", SAME, {"": (1, 1, 6)}),
    ("permute", "d1=6,d2=72,order=21,c=72,h=1,w=6", (72, 1, 6), {}), ("permute", "d1=3,d2=2,d3=4,d4=2,d5=9,order=15324,c=27,h=4,w=4", (27, 4, 4), {}),
    ("patches", "size=4x3", (72, 2, 3), {}), ("patches", "size=2x3,dense", (36, 8, 9), {}),
]
GROUPED = [
    ("group_norm", "groups=3", SAME, PER_CHANNEL), ("group_norm", "groups=6", SAME, PER_CHANNEL), ("group_norm", "groups=2,affine=false", SAME, {}),
    ("kernel_conv", "out=4,kernel=3x2,bias", (4, 6, 8), {"weight": (4, 6, 3, 2), "bias": (4,)}),
    ("kernel_conv", f"out=6,kernel=3,stride=2x3,groups=3,{SIDES}", (6, 5, 4), {"weight": (6, 2, 3, 3)}),
    ("kernel_conv", f"out=6,kernel=3,dilation=2x1,groups=6,bias,pad-mode=circular,{SIDES}", (6, 7, 10), {"weight": (6, 1, 3, 3), "bias": (6,)}),
    ("kernel_conv", "out=5,kernel=1,bias,eps=0.01", (5, 8, 9), {"weight": (5, 6, 1, 1), "bias": (5,)}),
    ("kernel_conv", f"out=5,kernel=3,pad-mode=reflect,{SIDES}", (5, 9, 10), {"weight": (5, 6, 3, 3)}),
]
ONE_CHANNEL = [(layer, options, (1, *shape[1:]), {name: (*dims[:-1], 1) for name, dims in own.items()})
               for layer, options, shape, own in ONE_INPUT if shape[0] == CHANNELS and layer != "shuffle"] + [
    ("slice", "axis=c,stop=1", (1, 8, 9), {}), ("reshape", "c=2,h=4,w=9", (2, 4, 9), {}), ("shuffle", "groups=1", (1, 8, 9), {}),
    ("pad_channels", "before=1,after=2,value=0.5", (4, 8, 9), {}), ("conv2d", "out=1,kernel=3", (1, 6, 7), {"weight": (1, 1, 3, 3)}),
    ("kernel_conv", "out=1,kernel=3,bias", (1, 6, 7), {"weight": (1, 1, 3, 3), "bias": (1,)}),
    ("batch_norm", "", (1, 8, 9), {name: (1,) for name in ("weight", "bias", "running_mean", "running_var")})]


def with_head(steps, shape):
    last = len(steps) - 1
    return steps + [("flat", "reshape", "", [last]), ("fc", "linear", f"out={CLASSES}", [last + 1])]


def first(channels):
    return [("first", "conv2d", f"out={channels},kernel=1,bias", [-1])]


FIRST = first(CHANNELS)


def parameters(extra, features, channels=CHANNELS):
    return {"first.weight": (channels, 3, 1, 1), "first.bias": (channels,), **extra, "fc.weight": (CLASSES, features), "fc.bias": (CLASSES,)}


def with_one_input(rows, channels):
    for layer, options, shape, own in rows:
        steps = with_head(first(channels) + [("x", layer, options, [0])], shape)
        named = {f"x.{name}" if name else "x": dims for name, dims in own.items()}
        yield f"{layer} {options} of {channels}", steps, parameters(named, shape[0] * shape[1] * shape[2], channels)


# The same on more channels, of a map that windows divide.
ATTENTION = [("heads=2", {}), ("heads=4,window=4", {}), ("heads=2,window=2,bias", {TABLE: (9, 2)}), ("heads=1,window=4,shift=2", {}),
             ("heads=2,window=4,shift=2,masked,bias", {TABLE: (49, 2)}), ("heads=4,window=8,shift=3,masked", {})]


def with_attention():
    for options, own in ATTENTION:
        steps = first(24) + [("even", "slice", "axis=w,stop=8", [0]), ("x", "attention", options, [1])]
        yield f"attention {options}", with_head(steps, (8, 8, 8)), parameters({f"x.{name}": dims for name, dims in own.items()}, 512, 24)


def with_products():
    """Tokens by tokens and back, beside numbers of their own, which are also joined to a map."""
    shares = FIRST + [("square", "matmul", "turned", [0, 0]), ("x", "softmax", "", [1]), ("y", "matmul", "", [2, 0])]
    yield "matmul", with_head(shares, SAME), parameters({}, 432)
    for options, shape in (("c=6,h=8,w=9", SAME), ("c=6", (6, 1, 1))):
        sum_ = FIRST + [("own", "constant", options, [-1]), ("x", "combine", "op=add", [0, 1])]
        yield f"constant {options}", with_head(sum_, SAME), parameters({"own.value": (1, shape[1] * shape[2], 6)}, 432)
    joined = FIRST + [("own", "constant", "c=2,h=8,w=9", [-1]), ("x", "concat", "", [0, 1])]
    yield "constant beside a map", with_head(joined, (8, 8, 9)), parameters({"own.value": (1, 72, 2)}, 576)


def cases():
    yield from with_one_input(ONE_INPUT + GROUPED, CHANNELS)
    yield from with_attention()
    yield from with_products()
    yield from with_one_input(ONE_CHANNEL, 1)
    for op in ("add", "sub", "mul", "div"):
        gate = [("mean", "global_avg", "", [0]), ("gate", "sigmoid", "", [1]), ("x", "combine", f"op={op}", [0, 2])]
        yield f"combine {op}", with_head(FIRST + gate, SAME), parameters({}, 432)
    vectors = FIRST + [("mean", "global_avg", "", [0]), ("fc1", "linear", f"out={CHANNELS}", [1]), ("share", "softmax", "", [2]), ("act", "hard_swish", "", [3]),
                       ("slope", "prelu", "", [4]), ("scale", "affine", "", [5]), ("x", "combine", "op=mul", [6, 0]),
                       ("pool", "global_avg", "", [7]), ("norm", "batch_norm", "", [8]), ("fc", "linear", f"out={CLASSES}", [9])]
    own = {"fc1.weight": (6, 6), "fc1.bias": (6,), "slope.weight": (6,), "scale.weight": (6,), "scale.bias": (6,),
           **{f"norm.{name}": (6,) for name in ("weight", "bias", "running_mean", "running_var")}}
    yield "vectors", vectors, parameters(own, 6)
    biased = FIRST + [("norm", "batch_norm", "", [0]), ("mean", "global_avg", "", [1]), ("fc", "linear", f"out={CLASSES}", [2])]
    yield "a bias and a norm", biased, parameters({f"norm.{name}": (6,) for name in ("weight", "bias", "running_mean", "running_var")}, 6)


def main():
    titles, wanted, jobs = [], [], []
    ex.need_runtime()
    batch = ex.pictures(3, 3, *SIZE)
    with tempfile.TemporaryDirectory() as folder:
        for i, (title, steps, shapes) in enumerate(cases()):
            model = os.path.join(folder, f"{i}.safetensors")
            ex.write_graph_model(model, steps, shapes, SIZE, CLASSES)
            want = ex.our_logits(model, batch, folder)
            for opset in OPSETS:
                file = os.path.join(folder, f"{i}-{opset}.onnx")
                ex.tips("export", "--model", model, "-o", file, "--opset", opset)
                ex.check(file)
                titles.append(f"{title}, opset {opset}")
                wanted.append(want)
                jobs.append((file, batch))
        answers = ex.runtime_logits(jobs, folder)
    wrong = [title for title, got, want in zip(titles, answers, wanted) if not ex.agree(got, want)]
    print(f"{len(titles)} networks; wrong: {wrong or 'none'}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
