"""torchvision's segmentation networks and ours compute the same logits of every pixel from the same file, whoever wrote it. Skipped
without torchvision."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "model"))
import test_torchvision as plain  # beside this file
from test_torchvision import files, torch, torchvision

CLASSES = 5
NETWORKS = {"fcn": "fcn_resnet50", "deeplabv3": "deeplabv3_resnet50"}


def build(arch, aux):
    return getattr(torchvision.models.segmentation, NETWORKS[arch])(weights=None, weights_backbone=None, num_classes=CLASSES, aux_loss=aux)


def ours(path, h, w, arch):
    out = subprocess.run([os.path.join(plain.BUILD, "tests", "logits"), path, str(h), str(w), arch, "resnet50"], check=True, capture_output=True,
                         text=True).stdout
    return torch.tensor([float(line) for line in out.split()]).reshape(CLASSES, h, w)


def theirs(model, h, w):
    with torch.no_grad():
        return model.eval()(files.picture(h, w).float())["out"][0]


def from_torchvision(arch, h, w, folder):
    model = build(arch, aux=True)  # whose weights are for training alone, and not used
    torch.manual_seed(7)
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.running_mean, -0.2, 0.2)
            torch.nn.init.uniform_(module.running_var, 0.5, 1.5)
    path = os.path.join(folder, "theirs.safetensors")
    files.save(path, model.state_dict(), {"format": "pt"})
    return plain.compare(f"{NETWORKS[arch]} of torchvision, {h}x{w}", ours(path, h, w, arch), theirs(model, h, w))


def from_tips(arch, h, w, folder):
    path = os.path.join(folder, "ours.safetensors")
    options = ["--backbone", "resnet50", "--pool", "stride", "--padding", "zero", "--stem", "imagenet", "--size", f"{h}x{w}", "--classes", str(CLASSES)]
    subprocess.run([plain.TIPS, "init", "--arch", arch, *options, "--out", path], check=True, stdout=subprocess.DEVNULL)
    model = build(arch, aux=False)
    missing, unexpected = model.load_state_dict(files.load(path)[0], strict=False)
    if unexpected or any(not name.endswith("num_batches_tracked") for name in missing):
        print("names differ:", missing, unexpected)
        return False
    return plain.compare(f"{arch} of tips, {h}x{w}", ours(path, h, w, arch), theirs(model, h, w))


def main(full=False):
    torch.set_num_threads(2)
    with tempfile.TemporaryDirectory() as folder:
        if full:
            good = [from_torchvision("fcn", 96, 64, folder), from_torchvision("deeplabv3", 64, 96, folder), from_tips("fcn", 64, 96, folder),
                    from_tips("deeplabv3", 64, 64, folder)]
        else:
            good = [from_torchvision("fcn", 48, 32, folder)]
            if not os.environ.get("ASAN_OPTIONS"):
                good.append(from_torchvision("deeplabv3", 32, 48, folder))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
