# Detectors that others trained, on a sample of COCO.
# page: docs/onnx-detectors.md
# sources: src/decode src/image src/metric src/task src/dynamic src/onnx src/evaluate
# takes: 2 minutes
# needs: coco-sample and models of the data at hand
# varies: in the last digits, by processor
set -u
sample=$TIPS_DATA/coco-sample models=$TIPS_DATA/models
[ -d "$sample" ] && [ -f "$models/yolox-nano-coco.onnx" ] || { echo "there is no sample of COCO with models in $TIPS_DATA" >&2; exit 77; }
command -v python3 >/dev/null || { echo "there is no python3" >&2; exit 77; }

# row NAME FILE STYLE
row() {
    "$TIPS" audit "$models/$2" --boxes "$3" --data "$sample" --set-shifts 2 --grid-images 0 --pairs 1 --no-msb --shifts none --quiet --json |
        python3 -c '
import json, sys


def find(node):
    if isinstance(node, dict) and "ap_small" in node:
        return node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        if find(child):
            return find(child)


figures = find(json.load(sys.stdin))


def cell(name, with_interval=False):
    f = figures[name]
    value = f["value"] if isinstance(f, dict) else f
    if with_interval and isinstance(f, dict) and f.get("low") is not None:
        return "%.1f (%.1f to %.1f)" % (value, f["low"], f["high"])
    return "%.1f" % value


print("|", sys.argv[1], "|", " | ".join([cell("ap", True), cell("ap50", True)] + [cell("ap_" + s) for s in ("small", "medium", "large")] +
                                        [cell("dap"), cell("vanishing")]), "|")
' "$1"
}

cat <<'END'
    tips audit yolox-nano-coco.onnx --boxes yolox --data coco-sample --set-shifts 2 --grid-images 0 --pairs 1
    tips audit fastestdet-coco.onnx --boxes fastestdet --data coco-sample --set-shifts 2 --grid-images 0 --pairs 1

| detector | AP | AP50 | small | medium | large | dAP, 2x2 shifts | boxes that vanish by them |
|---|---|---|---|---|---|---|---|
END
row 'YOLOX-Nano, 416x416' yolox-nano-coco.onnx yolox
row 'FastestDet, 352x352' fastestdet-coco.onnx fastestdet
