#!/bin/sh
# Which output of a model is which class of the data: by name, by ImageNet's order of WordNet numbers, or by order, which is a guess and is
# said; and what is said where figures are worse than drawing lots, or the same whatever the network sees.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
built_with protobuf-c || { echo "skipped: this build does not read ONNX"; exit 77; }
for python in python3 /usr/bin/python3 none; do
    "$python" -c 'import onnx, numpy' 2>/dev/null && break
done
[ "$python" != none ] || { echo "skipped: there is no module onnx"; exit 77; }
cd "$work" || exit 1

# Networks that answer by the mean colour: output FIRST for red, SECOND for green, THIRD for blue, of so many.
"$python" - <<'END'
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

def save(name, nodes, tensors, out, shape):
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, 8, 8])],
                              [helper.make_tensor_value_info(out, TensorProto.FLOAT, shape)],
                              [numpy_helper.from_array(np.asarray(v, np.float32), k) for k, v in tensors.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)])
    model.ir_version = 6
    onnx.save(model, name)

def colours(name, classes, outputs):
    w, b = np.zeros((classes, 3)), np.full(classes, -10.0)
    for channel, output in enumerate(outputs):
        w[output, channel], b[output] = 1, 0
    save(name, [helper.make_node("GlobalAveragePool", ["x"], ["a"]), helper.make_node("Flatten", ["a"], ["f"]),
                helper.make_node("Gemm", ["f", "w", "b"], ["y"], transB=1)], {"w": w, "b": b}, "y", ["n", classes])

published = [0, 217, 482]  # tench, English springer, cassette player
colours("thousand.onnx", 1000, published)
colours("background.onnx", 1001, [i + 1 for i in published])
colours("other.onnx", 1002, published)
colours("right.onnx", 2, [0, 1, 1])
colours("swapped.onnx", 2, [1, 0, 0])
colours("constant.onnx", 2, [0, 0, 0])
# Maps: a convolution whose one output is never below zero, or 2 classes one of which always wins.
conv = lambda out: helper.make_node("Conv", ["x", "w", "b"], [out], kernel_shape=[1, 1])
save("depth.onnx", [conv("c"), helper.make_node("Relu", ["c"], ["y"])], {"w": np.ones((1, 3, 1, 1)), "b": [5]}, "y", ["n", 1, 8, 8])
save("share.onnx", [conv("c"), helper.make_node("Sigmoid", ["c"], ["y"])], {"w": np.ones((1, 3, 1, 1)), "b": [0]}, "y", ["n", 1, 8, 8])

def picture(path, colour):
    open(path, "wb").write(b"P6 8 8 255\n" + bytes(colour) * 64)

import os, struct, zlib

def mask(path, rows):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)) + chunk(b"IDAT", data) + chunk(b"IEND", b""))

red, green, blue = (250, 5, 5), (5, 250, 5), (5, 5, 250)
for folder, colour in (("imagenet/n01440764", red), ("imagenet/n02102040", green), ("imagenet/n02979186", blue), ("two/a_person", red), ("two/b_other", green)):
    os.makedirs(folder)
    for i in range(20):
        picture(f"{folder}/{i}.ppm", colour)
os.makedirs("set/images"), os.makedirs("set/masks")
for i in range(10):
    picture(f"set/images/{i}.ppm", red)
    mask(f"set/masks/{i}.png", [[0] * 4 + [1] * 4] * 8)
END
flags="--threads 1 --range 0..1 --no-msb --grid-images 0 --quiet"
audit="--threads 1 --range 0..1 --no-msb --grid-images 0 --shifts none"

# The 1,000 of ImageNet, and with an output for the background before them.
for model in thousand background; do
    expect 0 '^accuracy (top-1)  *100.00 ' eval --model $model.onnx --data imagenet $flags
    expect 0 '^accuracy (top-1)  *100.00 ' audit $model.onnx --data imagenet $audit
    expect 0 '"by": "wordnet"' eval --model $model.onnx --data imagenet $flags --json
done
expect 0 "Classes and outputs by ImageNet's order of WordNet numbers: tench -> 0, English springer -> 217, cassette player -> 482." \
    eval --model thousand.onnx --data imagenet $flags
expect 0 'tench -> 1, English springer -> 218, cassette player -> 483' eval --model background.onnx --data imagenet $flags
# Not of a network with another number of outputs: a guess, which audit refuses.
expect 0 'warning: The model has 1002 outputs and the data have 3 classes, which were taken for the first of them: a guess' \
    eval --model other.onnx --data imagenet $flags
expect 1 'labels FILE names the outputs' audit other.onnx --data imagenet $audit
# Lists of names as they are found in the world count before that.
awk 'BEGIN { for (i = 0; i < 1000; i++) print i == 0 ? "cassette player" : i == 217 ? "English_springer" : i == 482 ? "n01440764 tench, Tinca tinca" : "class " i }' >odd.txt
expect 0 'by name: tench -> 482, English springer -> 217, cassette player -> 0' eval --model thousand.onnx --data imagenet --labels odd.txt $flags

# By order, which is said, with all in JSON; and when it is worse than drawing lots.
expect 0 'Classes and outputs by order, which is a guess (--labels FILE names the outputs): a_person -> 0, b_other -> 1.' \
    eval --model right.onnx --data two $flags
! grep -q 'below chance' output || complain "a good network is below chance"
expect 0 '"by": "order"' eval --model right.onnx --data two $flags --json
tr -d '\n ' <output | grep -q '"classes":\["a_person","b_other"\],"outputs":\[0,1\]' || complain "JSON does not have the classes' outputs"
for command in "eval --model swapped.onnx --data two $flags" "audit swapped.onnx --data two $audit"; do
    expect 0 'warning: Accuracy is below chance, 0.00 % with 2 classes: .*--labels FILE' $command
done
expect 0 '"name": "below_chance"' eval --model swapped.onnx --data two $flags --json
printf 'b_other\na_person\n' >labels.txt
expect 0 'Classes and outputs by name: a_person -> 1, b_other -> 0.' eval --model swapped.onnx --data two --labels labels.txt $flags
! grep -q warning output || complain "there is nothing to warn of: $(cat output)"
"$tips" init --arch tiny --size 8 --classes 2 --out own.safetensors >/dev/null
"$tips" train --data shapes:size=16,train=40,test=9,classes=2 --arch tiny --epochs 1 --batch 8 --threads 1 --out run >/dev/null 2>&1
expect 0 "warning: The model names its outputs, but not all as the data name their classes ('a_person' for one)" \
    eval --model run/best.safetensors --data two --threads 1 --no-msb --grid-images 0 --quiet

# One answer for all of them.
expect 0 "warning: The same answer, 'a_person', is given to 100.00 % of the pictures.* Its consistency means nothing." \
    eval --model constant.onnx --data two $flags
expect 0 "Its consistency means nothing" audit constant.onnx --data two $audit
expect 0 '"name": "constant_answers"' audit constant.onnx --data two $audit --json
# Among five classes or fewer everything is among the five best.
expect 0 '"top5": null' eval --model right.onnx --data two $flags --json
expect 0 '"top5": {' eval --model thousand.onnx --data imagenet $flags --json
expect 0 'accuracy (top-1)' eval --model right.onnx --data two $flags
! grep -q 'top-5' output || complain "the five best of two are shown"
# The verifier looks at one input.
expect 0 'The answer to this one input is the same for every shift' audit right.onnx --data two --threads 1 --range 0..1 --no-msb --grid-images 0 --shifts 4

# A map of one number a pixel: of something else than classes, perhaps; with one class everywhere it is said.
built_with png || exit $((failures > 0))
masks=set
expect 0 'one number a pixel, with no sigmoid behind it' eval --model depth.onnx --data $masks $flags
expect 0 "warning: The same answer, .* is given to 100.00 % of the pixels.* Its consistency means nothing" \
    eval --model depth.onnx --data $masks $flags
expect 0 'mean IoU' eval --model share.onnx --data $masks $flags
! grep -q 'no sigmoid' output || complain "a sigmoid is not seen"
exit $((failures > 0))
