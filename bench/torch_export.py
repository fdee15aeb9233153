"""torch_export.py FOLDER NAME...: networks of torchvision with random weights as ONNX files, the batch left open."""
import os
import sys

import torch
import torchvision

SIZE = 224


def export(folder, name):
    torch.manual_seed(0)
    network = getattr(torchvision.models, name)(weights=None).eval()
    torch.onnx.export(network, torch.zeros(1, 3, SIZE, SIZE), os.path.join(folder, name + ".onnx"), opset_version=13, input_names=["x"], output_names=["y"],
                      dynamic_axes={"x": {0: "n"}, "y": {0: "n"}})


if __name__ == "__main__":
    for network_name in sys.argv[2:]:
        export(sys.argv[1], network_name)
