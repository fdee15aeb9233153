#!/bin/sh
# tips export says the shapes of what it wrote: those of a class a picture, a class a pixel, boxes, and of free and fixed sizes.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
built_with protobuf-c || { echo 'skipped: built without ONNX'; exit 77; }

# says SHAPES NETWORK...: what is printed, and the shape of the output in the file where the Python here reads ONNX.
says() {
    wanted=$1
    shape=$2
    shift 2
    "$tips" init "$@" --out "$work/m.safetensors" >/dev/null 2>&1 || complain "tips init $* failed"
    expect 0 "$wanted" export "$work/m.safetensors" -o "$work/m.onnx"
    "$tips" export "$work/m.safetensors" -o "$work/m.onnx" --json | tr -d ' \n' >"$work/json"
    grep -qF "\"output\":[\"N\",$shape]" "$work/json" || complain "$*: the JSON does not say N,$shape"
    /usr/bin/python3 -c 'from onnx import load' 2>/dev/null || return 0
    /usr/bin/python3 - "$work/m.onnx" >"$work/shape" <<'END'
import sys
import onnx
print(*(d.dim_param or d.dim_value for d in onnx.load(sys.argv[1]).graph.output[0].type.tensor_type.shape.dim), sep=",")
END
    [ "$(tr -cd , <"$work/shape" | wc -c)" -eq "$(echo "N,$shape" | tr -cd , | wc -c)" ] || complain "$*: N,$shape, and the file has $(cat "$work/shape")"
}
says 'input (N, 3, H, W), logits (N, 7):' 7 --arch tiny --size 16 --classes 7
says 'input (N, 3, 32, 32), logits (N, 7):' 7 --arch vit_tiny --size 32 --classes 7
says 'input (N, 3, H, W), logits (N, 2, H, W):' 2,32,48 --arch unet --width 8 --size 32x48 --classes 2
says 'input (N, 3, 33, 33), logits (N, 2, 33, 33):' 2,33,33 --arch deeplabv3plus --backbone resnet18 --width 8 --size 33 --classes 2 --padding zero
"$tips" init --arch retinanet --backbone resnet18 --width 8 --size 64 --classes 2 --out "$work/m.safetensors" >/dev/null 2>&1
expect 0 'boxes (M, 4), labels (M), scores (M) and pictures (M)' export "$work/m.safetensors" -o "$work/m.onnx"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
