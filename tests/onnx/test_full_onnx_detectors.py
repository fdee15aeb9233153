"""Whole detectors give here what ONNX Runtime gives: torchvision's, exported with all they do, and, where the files are there, some that
others trained. Arguments choose detectors. Skipped without torch, torchvision, onnx and ONNX Runtime."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
for part in ("support", "onnxruntime"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", part))
import torch_networks  # tests/support/torch_networks.py: says what is missing
import exported as ex  # tests/onnxruntime/exported.py
import onnx_cases as made  # tests/support/onnx_cases.py
from exported import np
from torch_networks import torch, warnings
from torchvision.models import detection
from torchvision.ops.feature_pyramid_network import LastLevelP6P7

warnings.filterwarnings("ignore")
TOOL = os.path.join(BUILD, "tests", "onnx_outputs")
TRAINED = os.path.join(SOURCE, "..", "shared", "data", "models")
LIMIT = 1e-4  # of the largest number of an output; labels must be equal


def pyramid(**kind):
    return detection.backbone_utils.resnet_fpn_backbone("resnet18", weights=None, trainable_layers=5, **kind)


def spread(model, head, width=2):
    """Scores of drawn weights are nearly equal: those of the last layer are drawn wide, so that no order hangs on rounding."""
    torch.manual_seed(3)
    for layer in head(model):
        torch.nn.init.normal_(layer.weight, std=width / layer.weight[0].numel() ** 0.5)
        torch.nn.init.normal_(layer.bias, std=1)
    return model.eval()


def retinanet():
    model = detection.RetinaNet(pyramid(returned_layers=[2, 3, 4], extra_blocks=LastLevelP6P7(256, 256)), num_classes=5, min_size=96, max_size=160)
    return spread(model, lambda m: [m.head.classification_head.cls_logits])


def fasterrcnn():
    model = detection.FasterRCNN(pyramid(), num_classes=5, min_size=96, max_size=160, rpn_post_nms_top_n_test=100)
    return spread(model, lambda m: [m.rpn.head.cls_logits, m.roi_heads.box_predictor.cls_score])


def fasterrcnn_v2():
    """Convolutions behind the proposals."""
    head = detection.faster_rcnn.FastRCNNConvFCHead((256, 7, 7), [64, 64], [128], norm_layer=torch.nn.BatchNorm2d)
    model = detection.FasterRCNN(pyramid(), num_classes=None, min_size=96, max_size=160, rpn_post_nms_top_n_test=50, box_head=head,
                                 box_predictor=detection.faster_rcnn.FastRCNNPredictor(128, 5))
    return spread(model, lambda m: [m.rpn.head.cls_logits, m.roi_heads.box_predictor.cls_score])


def ssdlite():
    model = detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=7)
    return spread(model, lambda m: [head[1] for head in m.head.classification_head.module_list])


DETECTORS = {"retinanet": (retinanet, (96, 128), (11, 16)), "fasterrcnn": (fasterrcnn, (96, 128), (11, 16)), "fasterrcnn v2": (fasterrcnn_v2, (96, 128), (11,)),
             "ssdlite": (ssdlite, (320, 320), (11,))}


def export(name, folder):
    """Files with their pictures."""
    make, size, opsets = DETECTORS[name]
    model, found = make(), []
    picture = torch.rand(3, *size)
    for opset in opsets:
        path = os.path.join(folder, f"{name} {opset}.onnx")
        with torch.no_grad():
            torch.onnx.export(model, ([picture],), path, opset_version=opset, input_names=["images"])
        np.save(path + ".npy", picture.numpy())
        found.append(path)
    return found


def trained(folder):
    """Detectors of others, each with a picture of noise."""
    found = []
    for name, size in (("fastestdet-coco", 352), ("yolox-nano-coco", 416)):
        path = os.path.join(folder, name + ".onnx")
        if os.path.exists(os.path.join(TRAINED, name + ".onnx")):
            os.symlink(os.path.abspath(os.path.join(TRAINED, name + ".onnx")), path)
            np.save(path + ".npy", np.random.RandomState(1).uniform(0, 255 if "yolox" in name else 1, (1, 3, size, size)).astype("f4"))
            found.append(path)
        else:
            print(f"{name} is not there, and was skipped")
    return found


def compare(path, folder):
    """None, or what is wrong."""
    ours, theirs = os.path.join(folder, "ours"), os.path.join(folder, "theirs")
    why = made.ours(TOOL, path, ours)
    if why:
        return why
    subprocess.run(["node", os.path.join(ex.HERE, "outputs.mjs"), path, path + ".npy", theirs], check=True, env={**os.environ, "ONNXRUNTIME_FOLDER": ex.RUNTIME})
    got, want, worst = made.arrays_at(ours), made.arrays_at(theirs), 0
    for x, y in zip(got, want):
        if x.shape != y.shape or not y.size:
            return f"{x.shape} and {y.shape}"
        worst = max(worst, np.abs(x - y).max() / np.abs(y).max())
    print(f"{os.path.basename(path)}: {[y.shape for y in want]} differ by {worst:.1e} of the largest", flush=True)
    for i in range(len(got)):
        os.unlink(f"{ours}{i}.npy"), os.unlink(f"{theirs}{i}.npy")
    return None if worst <= LIMIT else f"differs by {worst:.1e}"


def main():
    ex.need_runtime()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or [*DETECTORS, "trained"]:
            for path in trained(folder) if name == "trained" else export(name, folder):
                why = compare(path, folder)
                if why:
                    bad.append(f"{os.path.basename(path)}: {why}")
    sys.exit("failed:\n" + "\n".join(bad) if bad else 0)


main()
