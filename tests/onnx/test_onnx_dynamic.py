"""Every operator of the programs behind networks gives what ONNX Runtime gives. Skipped without numpy, onnx and ONNX Runtime."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", part))
import exported as ex  # tests/onnxruntime/exported.py
from exported import np, onnx
import onnx_cases as made  # tests/support/onnx_cases.py
from onnx import helper
from onnx_cases import one

TOOL = os.path.join(BUILD, "tests", "onnx_outputs")
LIMIT = 1e-5  # of the largest
random = np.random.RandomState(5)


def f(*shape):
    return random.uniform(-2, 2, shape).astype("f4")


def n(*shape, most=9):
    return random.randint(-most, most + 1, shape).astype("i8")


def b(*shape):
    return random.randint(0, 2, shape).astype(bool)


def i8(*numbers):
    return np.array(numbers, "i8")


def boxes(count, size=40):
    corner, extent = random.uniform(0, size, (count, 2)), random.uniform(4, size / 2, (count, 2))
    return np.concatenate([corner, corner + extent], 1).astype("f4")


X = f(2, 3, 4)
CASES = [one(op, [X]) for op in "Abs Ceil Cos Erf Exp Floor HardSigmoid LeakyRelu Neg Reciprocal Relu Round Sigmoid Sign Sin Softplus Tanh Identity Shape Size".split()]
CASES += [one(op, [abs(X) + 0.1]) for op in ("Log", "Sqrt")]
CASES += [one("Round", [np.array([0.5, 1.5, 2.5, -0.5, -1.5], "f4")]), one("LeakyRelu", [X], alpha=0.3), one("HardSigmoid", [X], alpha=0.1, beta=0.4)]
CASES += [one("Abs", [n(4, 3)]), one("Neg", [n(4, 3)]), one("Sign", [n(4, 3)]), one("Not", [b(3, 4)]), one("IsNaN", [np.array([1, 2], "f4")])]
for op in ("Add", "Sub", "Mul", "Div"):
    CASES += [one(op, [X, f(3, 1)]), one(op, [f(4), X]), one(op, [n(2, 3), n(2, 1) * 2 + 1])]
CASES += [one("Pow", [abs(X), f(3, 1)]), one("Pow", [n(3, 2), i8(2)]), one("Pow", [f(3, 2), i8(2)])]
CASES += [one("Mod", [n(5), i8(3)]), one("Mod", [n(5), i8(-4)]), one("Mod", [f(5), np.array([0.7], "f4")], fmod=1), one("Mod", [n(5), i8(-4)], fmod=1)]
CASES += [one(op, [n(3, 4, most=2), n(4, most=2)]) for op in ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")]
CASES += [one(op, [f(3, 4), f(3, 1)]) for op in ("Less", "Greater")] + [one("Equal", [np.ones((2, 2), "f4"), np.array([1, 0], "f4")])]
CASES += [one(op, [b(3, 4), b(4)]) for op in ("And", "Or", "Xor")]
CASES += [one(op, [f(3, 1), f(4), f(1)]) for op in ("Max", "Min", "Sum")] + [one("Max", [n(3, 1), n(4)]), one("Min", [n(5)])]
CASES += [one("Where", [b(3, 1), f(4), f(3, 4)]), one("Where", [b(3), n(3), n(1)])]
CASES += [one("Clip", [X, np.array(-0.5, "f4"), np.array(0.5, "f4")]), one("Clip", [X, None, np.array(0.1, "f4")]), one("Clip", [X], opset=10, min=-0.2, max=0.9),
          one("Clip", [n(6), np.array(-2), np.array(3)])]
CASES += [one("Cast", [X], to=7), one("Cast", [X], to=6), one("Cast", [X * 2], to=9), one("Cast", [n(5)], to=1), one("Cast", [n(5)], to=9)]
CASES += [one("Shape", [X], start=1, end=-1, opset=15), one("Reshape", [X, i8(0, -1)]), one("Reshape", [X, i8(4, 3, 2)]), one("Flatten", [X], axis=2), one("Flatten", [X], axis=0)]
CASES += [one("Squeeze", [f(1, 3, 1)]), one("Squeeze", [f(1, 3, 1), i8(0)]), one("Squeeze", [f(1, 3, 1)], axes=[-1], opset=11), one("Unsqueeze", [X, i8(0, -1)]),
          one("Unsqueeze", [X], axes=[1], opset=11)]
CASES += [one("Transpose", [X], perm=[2, 0, 1]), one("Transpose", [X]), one("Expand", [f(3, 1), i8(2, 1, 4)]), one("Tile", [X, i8(1, 2, 3)]),
          one("ConstantOfShape", [i8(2, 3)]), one("ConstantOfShape", [i8(2)], value=helper.make_tensor("v", 7, [1], [5]))]
CASES += [one("Range", [np.array(2), np.array(11), np.array(3)]), one("Range", [np.array(1, "f4"), np.array(0, "f4"), np.array(-0.3, "f4")]),
          one("OneHot", [n(4, most=2), np.array(3), f(2)]), one("OneHot", [i8(0, 2), np.array(3), n(2)], axis=0)]
CASES += [one("Slice", [X, i8(0, 1), i8(2, 3), i8(0, 2)]), one("Slice", [X, i8(-1), i8(-100), i8(2), i8(-2)]), one("Slice", [X, i8(5), i8(9), i8(1)]),
          one("Slice", [X], starts=[1], ends=[1000], axes=[-1], opset=9), one("Slice", [n(7), i8(0), i8(-1), i8(0), i8(3)])]
CASES += [one("Concat", [X, f(2, 1, 4)], axis=1), one("Concat", [n(2), n(3)], axis=-1), one("Split", [X], n_out=2, axis=2), one("Split", [X, i8(1, 2)], n_out=2, axis=1)]
CASES += [one("Gather", [X, np.array([[0, -1], [2, 1]])], axis=1), one("Gather", [n(5), np.array(-2)]), one("GatherND", [X, np.array([[0, 1], [1, -1]])]),
          one("GatherND", [X, np.array([[[0], [2]], [[1], [0]]])], batch_dims=1), one("GatherElements", [X, n(2, 2, 4, most=1)], axis=1)]
CASES += [one("ScatterND", [X, i8(1, 0).reshape(2, 1)[:1], f(1, 3, 4)]), one("ScatterND", [n(5), np.array([[3], [0]]), n(2)]),
          one("ScatterND", [X, np.array([[0, 1], [0, 1]]), f(2, 4)], reduction="add", opset=16), one("ScatterElements", [X, np.zeros((1, 1, 4), "i8") + 2, f(1, 1, 4)], axis=1),
          one("ScatterElements", [f(5), i8(1, 1, 3), f(3)], axis=0, reduction="add", opset=16)]
CASES += [one("NonZero", [np.round(f(3, 4, 2))]), one("NonZero", [b(7)]), one("NonZero", [np.zeros(3, "f4")]), one("Compress", [X, b(3)], axis=1), one("Compress", [X, b(9)])]
CASES += [one("Pad", [X, i8(0, 1, 2, 0, 0, 1), np.array(3, "f4")]), one("Pad", [X, i8(0, 0, -1, 0, 1, 0)]), one("Pad", [n(3), i8(1, 1), np.array(7)])]
for op in ("ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceL2"):
    CASES += [one(op, [X], axes=[1]), one(op, [X], axes=[0, -1], keepdims=0), one(op, [X])]
CASES += [one("ReduceSum", [X, i8(1)]), one("ReduceSum", [X], keepdims=0), one("ReduceMax", [n(3, 4)], axes=[0]), one("ReduceSum", [n(3, 4), i8(0)]),
          one("ReduceSum", [X], noop_with_empty_axes=1)]
CASES += [one("ArgMax", [X], axis=1), one("ArgMin", [X], axis=-1, keepdims=0), one("ArgMax", [i8(2, 5, 5)], axis=0), one("ArgMax", [i8(2, 5, 5)], axis=0, select_last_index=1)]
CASES += [one("TopK", [X, i8(2)], n_out=2, axis=1), one("TopK", [f(9), i8(4)], n_out=2, largest=0), one("TopK", [np.array([1, 3, 3, 2, 3], "f4"), i8(4)], n_out=2),
          one("TopK", [X], n_out=2, k=2, axis=2, opset=9), one("TopK", [f(4), i8(0)], n_out=2)]
CASES += [one("Softmax", [X], axis=1), one("Softmax", [X], axis=1, opset=11), one("LogSoftmax", [X]), one("CumSum", [X, np.array(1)]),
          one("CumSum", [n(5), np.array(0)], reverse=1, exclusive=1)]
CASES += [one("MatMul", [X, f(4, 5)]), one("MatMul", [f(4), f(4, 3)]), one("MatMul", [X, f(4)]), one("MatMul", [f(2, 1, 3, 70), f(3, 70, 66)]),
          one("Gemm", [f(9, 300), f(300, 40), f(40)]), one("Gemm", [f(4, 3), f(5, 4)], transA=1, transB=1, alpha=0.5), one("Gemm", [f(2, 3), f(3, 4), f(2, 1)], beta=2.0)]
CASES += [one("Conv", [f(2, 3, 7, 6), f(4, 3, 3, 3), f(4)], pads=[1, 0, 1, 2], strides=[2, 1]), one("Conv", [f(1, 2, 5, 5), f(3, 2, 2, 2)], dilations=[2, 1]),
          one("BatchNormalization", [f(2, 3, 4, 2), f(3), f(3), f(3), abs(f(3))], epsilon=0.01), one("GlobalAveragePool", [f(2, 3, 4, 5)])]
BOXES, SCORES = boxes(60)[None], random.uniform(0, 1, (1, 3, 60)).astype("f4")
CASES += [one("NonMaxSuppression", [BOXES, SCORES, i8(20), np.array([0.3], "f4"), np.array([0.2], "f4")], opset=11),
          one("NonMaxSuppression", [BOXES, SCORES, i8(5), np.array([0.5], "f4")], opset=11), one("NonMaxSuppression", [BOXES, SCORES], opset=11),
          one("NonMaxSuppression", [BOXES, np.round(SCORES, 1), i8(50), np.array([0.4], "f4")], opset=11, center_point_box=1),
          one("NonMaxSuppression", [BOXES[..., [2, 3, 0, 1]], SCORES, i8(50), np.array([0.4], "f4"), np.array([0.9], "f4")], opset=11)]
MAPS, WHERE = f(2, 3, 12, 10), i8(0, 1, 1, 0, 1)
ROIS = np.array([[0, 0, 5, 6], [2.3, 1.1, 9.7, 11.2], [-4, -3, 30, 25], [4, 4, 4.2, 4.1], [9, 2, 3, 1]], "f4")
CASES += [one("RoiAlign", [MAPS, ROIS, WHERE], opset=10, output_height=4, output_width=3, sampling_ratio=2, spatial_scale=0.5),
          one("RoiAlign", [MAPS, ROIS[:4], WHERE[:4]], opset=16, output_height=2, output_width=2),
          one("RoiAlign", [MAPS, ROIS, WHERE], opset=16, output_height=3, output_width=3, coordinate_transformation_mode="output_half_pixel", sampling_ratio=0)]


def branches(path):
    """If, with a value of the graph around it, and a branch that is a constant."""
    info = [onnx.ValueInfoProto(name="o")]
    then = helper.make_graph([helper.make_node("Exp", ["in1"], ["e"]), helper.make_node("Add", ["e", "in1"], ["o"])], "then", [], info)
    other = helper.make_graph([helper.make_node("Identity", ["kept"], ["o"])], "else", [], info, [onnx.numpy_helper.from_array(f(3), "kept")])
    nodes = [helper.make_node("If", ["in0"], ["out0"], then_branch=then, else_branch=other), helper.make_node("Not", ["in0"], ["flip"]),
             helper.make_node("If", ["flip"], ["out1"], then_branch=then, else_branch=other)]
    made.save(path, [np.array(True), f(3)], nodes, [], ["out0", "out1"], 13)


def loop(path):
    """Fibonacci: carried values that change places, collected ones, and an end by condition."""
    body = helper.make_graph([helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("Less", ["sum", "in1"], ["go"]),
                              helper.make_node("Identity", ["sum"], ["seen"])], "body",
                             [helper.make_tensor_value_info("turn", 7, []), helper.make_tensor_value_info("on", 9, []), onnx.ValueInfoProto(name="a"), onnx.ValueInfoProto(name="b")],
                             [helper.make_tensor_value_info("go", 9, []), onnx.ValueInfoProto(name="b"), onnx.ValueInfoProto(name="sum"), onnx.ValueInfoProto(name="seen")])
    nodes = [helper.make_node("Loop", ["in0", "", "in2", "in2"], ["out0", "out1", "out2"], body=body)]
    made.save(path, [np.array(20), np.array(50), np.array(1)], nodes, [], ["out0", "out1", "out2"], 13)


CASES += [("If", branches), ("Loop", loop)]


def operators():
    with open(os.path.join(SOURCE, "src", "dynamic", "dynamic_ops.def"), encoding="ascii") as table:
        return {line.split("(")[1].split(",")[0] for line in table if line.startswith("DYNAMIC(")}


def same(got, want):
    if len(got) != len(want):
        return "another number of outputs"
    for x, y in zip(got, want):
        if x.shape != y.shape:
            return f"shape {x.shape}, not {y.shape}"
        if y.size and not np.abs(x - y).max() <= LIMIT * max(np.abs(y).max(), 1e-30):
            return f"differs by {np.abs(x - y).max():.2e}"
    return None


def main():
    ex.need_runtime()
    bad, words, made_files = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for i, (op, write) in enumerate(CASES):
            model = os.path.join(folder, f"{i}.onnx")
            write(model)
            words += [model, model + ".npy", os.path.join(folder, f"theirs{i}_")]
            made_files.append((op, model, os.path.join(folder, f"ours{i}_")))
        subprocess.run(["node", os.path.join(ex.HERE, "outputs.mjs"), *words], check=True, env={**os.environ, "ONNXRUNTIME_FOLDER": ex.RUNTIME})
        for i, (op, model, prefix) in enumerate(made_files):
            why = made.ours(TOOL, model, prefix) or same(made.arrays_at(prefix), made.arrays_at(words[3 * i + 2]))
            if why:
                bad.append(f"{op}, case {i}: {why}")
    untried = operators() - {op for op, _ in CASES} - {"Constant"}
    bad += [f"no case for {op}" for op in sorted(untried)]
    print(f"{len(CASES)} cases of {len(operators())} operators")
    sys.exit("failed:\n" + "\n".join(bad) if bad else 0)


main()
