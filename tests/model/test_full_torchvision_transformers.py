"""The published transformers of torchvision and ours, at 224x224: the same logits. Skipped without torchvision."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "model"))
import test_torchvision_transformers as small  # beside this file
import torch
import torchvision


def main():
    torch.set_num_threads(2)
    good = []
    for arch in ("vit_b_16", "swin_t", "swin_s", "swin_b", "vit_l_16"):
        with tempfile.TemporaryDirectory() as folder:
            good.append(small.from_torchvision(arch, lambda size: getattr(torchvision.models, arch)(weights=None), 224, folder))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
