"""torchvision's networks and ours compute the same logits from the same file, whoever wrote it. Skipped without torchvision."""
import os
import subprocess
import sys
import tempfile

TIPS, SOURCE, BUILD = os.environ["TIPS"], os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
sys.dont_write_bytecode = True
for folder in ("golden", "support"):
    sys.path.insert(0, os.path.join(SOURCE, "tests", folder))
import peers  # tests/support/peers.py

peers.need("torch", "torchvision")
import torch
import torchvision
import resnet18 as files  # tests/golden/resnet18.py

LIMIT = 1e-5  # of the largest logit


def sides(size):
    return size if isinstance(size, tuple) else (size, size)


def ours(path, size, arch):
    out = subprocess.run([os.path.join(BUILD, "tests", "logits"), path, *map(str, sides(size)), arch], check=True, capture_output=True, text=True).stdout
    return torch.tensor([float(line) for line in out.split()])


def theirs(model, size):
    with torch.no_grad():
        return model.eval()(files.picture(*sides(size)).float())[0]


def compare(title, got, want):
    error = ((got - want).abs().max() / want.abs().max()).item()
    print(f"{title}: differs by {error:.1e} of the largest logit")
    return got.shape == want.shape and error <= LIMIT


def from_torchvision(arch, size, folder):
    model = getattr(torchvision.models, arch)(weights=None)
    files.draw(model, sides(size)[0])
    path = os.path.join(folder, "theirs.safetensors")
    files.save(path, model.state_dict(), {"format": "pt"})
    subprocess.run([TIPS, "info", path], check=True, stdout=subprocess.DEVNULL)
    return compare(f"{arch} of torchvision, {size}x{size}", ours(path, size, arch), theirs(model, size))


def from_tips(arch, size, folder):
    path = os.path.join(folder, "ours.safetensors")
    options = ["--pool", "stride", "--padding", "zero", "--stem", "imagenet", "--size", str(size), "--classes", "1000"]
    subprocess.run([TIPS, "init", "--arch", arch, *options, "--out", path], check=True, stdout=subprocess.DEVNULL)
    tensors, metadata = files.load(path)
    model = getattr(torchvision.models, arch)(weights=None)
    missing, unexpected = model.load_state_dict(tensors, strict=False)
    if unexpected or any(not name.endswith("num_batches_tracked") for name in missing):
        print("names differ:", missing, unexpected)
        return False
    return metadata["format"] == "pt" and compare(f"{arch} of tips, {size}x{size}", ours(path, size, arch), theirs(model, size))


QUICK = [("resnet18", 64), ("resnet18", 224), ("resnet50", 64), ("mobilenet_v2", 64), ("mobilenet_v3_small", 64), ("densenet121", 64),
         ("efficientnet_b0", 64)]
SANITIZED = [("resnet18", 64), ("mobilenet_v2", 64), ("densenet121", 64)]  # which takes many times as long
FULL = [("mobilenet_v2", 224), ("mobilenet_v3_large", 224), ("vgg11", 224), ("vgg19_bn", 224), ("vgg16", 448), ("vgg11", 64),
        ("vgg11", (97, 130)), ("vgg11_bn", 160), ("vgg13", 256), ("densenet121", 224), ("densenet169", 64),
        ("densenet201", 96), ("efficientnet_b0", 224), ("efficientnet_b3", 96), ("efficientnet_b5", 64), ("efficientnet_b7", 64), ("resnet101", 64)]


def main(full=False):
    torch.set_num_threads(2)
    with tempfile.TemporaryDirectory() as folder:
        networks = FULL if full else SANITIZED if os.environ.get("ASAN_OPTIONS") else QUICK
        good = [from_torchvision(arch, size, folder) for arch, size in networks]
        good += [from_tips(arch, 64, folder) for arch in (["efficientnet_b5", "densenet169"] if full else ["resnet18", "mobilenet_v2", "mobilenet_v3_small"])]
    return 0 if all(good) and files.check() == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
