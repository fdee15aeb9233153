"""torchvision's transformers and ours compute the same logits from the same file, whoever wrote it: small ones here, the published ones in
test_full_torchvision_transformers.py. Skipped without torchvision."""
import os
import re
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
from torchvision.models.swin_transformer import SwinTransformer
from torchvision.models.vision_transformer import VisionTransformer
import resnet18 as files  # tests/golden/resnet18.py

LIMIT = 1e-5  # of the largest logit


def vit_tiny(size):
    return VisionTransformer(image_size=size, patch_size=4, num_layers=6, num_heads=4, hidden_dim=128, mlp_dim=512, num_classes=10)


def swin_tiny(size):
    return SwinTransformer([2, 2], 48, [2, 2, 2], [3, 6, 12], [4, 4], num_classes=10)


def swin_t(size):
    return SwinTransformer([4, 4], 96, [2, 2, 6, 2], [3, 6, 12, 24], [7, 7], num_classes=10)


def draw(model, seed):
    """Weights of a trained network's size, none of them zero."""
    torch.manual_seed(seed)
    for name, value in model.state_dict().items():
        if not value.is_floating_point():
            continue
        if value.dim() == 1 and name.endswith("weight"):
            value.uniform_(0.5, 1.5)
        elif value.dim() == 1 or name in ("class_token", "encoder.pos_embedding") or "bias_table" in name:
            value.normal_(0, 0.3)
        else:
            value.normal_(0, value[0].numel() ** -0.5)


def ours(path, size, arch):
    command = [os.path.join(BUILD, "tests", "logits"), path, str(size), str(size), arch]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return torch.tensor([float(line) for line in out.split()], dtype=torch.double)


def theirs(model, size):
    with torch.no_grad():
        return model.double().eval()(files.picture(size, size).double())[0]


def compare(title, got, want):
    error = ((got - want).abs().max() / want.abs().max()).item()
    print(f"{title}: differs by {error:.1e} of the largest logit", flush=True)
    return got.shape == want.shape and error <= LIMIT


def from_torchvision(arch, make, size, folder):
    model = make(size)
    draw(model, size)
    path = os.path.join(folder, "theirs.safetensors")
    files.save(path, model.state_dict(), {"format": "pt"})
    return compare(f"{arch} of torchvision, {size}x{size}", ours(path, size, arch), theirs(model, size))


def timm_name(name):
    """What timm calls a tensor of torchvision's vision transformers."""
    for pattern, to in ((r"^class_token$", "cls_token"), (r"^encoder\.pos_embedding$", "pos_embed"), (r"^conv_proj\.", "patch_embed.proj."),
                        (r"^encoder\.ln\.", "norm."), (r"^heads\.head\.", "head."), (r"^encoder\.layers\.encoder_layer_", "blocks."),
                        (r"\.ln_([12])\.", r".norm\1."), (r"\.self_attention\.in_proj_", ".attn.qkv."),
                        (r"\.self_attention\.out_proj\.", ".attn.proj."), (r"\.mlp\.0\.", ".mlp.fc1."), (r"\.mlp\.3\.", ".mlp.fc2.")):
        name = re.sub(pattern, to, name)
    return name


def old_name(name):
    """What torchvision called it before 0.14."""
    return name.replace(".mlp.0.", ".mlp.linear_1.").replace(".mlp.3.", ".mlp.linear_2.")


def by_other_names(title, rename, folder):
    model = vit_tiny(32)
    draw(model, 7)
    path = os.path.join(folder, "renamed.safetensors")
    tensors = {rename(name): value for name, value in model.state_dict().items()}
    files.save(path, tensors, {"format": "pt"})
    moved = len(set(tensors) - set(model.state_dict()))
    return moved > 0 and compare(f"vit_tiny by {title} names", ours(path, 32, "vit_tiny"), theirs(model, 32))


def from_tips(arch, make, size, folder):
    path = os.path.join(folder, "ours.safetensors")
    options = ["--pool", "stride", "--padding", "zero", "--size", str(size), "--classes", "10"]
    subprocess.run([TIPS, "init", "--arch", arch, *options, "--out", path], check=True, stdout=subprocess.DEVNULL)
    model = make(size)
    missing, unexpected = model.load_state_dict(files.load(path)[0], strict=False)
    if unexpected or any(not name.endswith("relative_position_index") for name in missing):
        print("names differ:", missing, unexpected)
        return False
    return compare(f"{arch} of tips, {size}x{size}", ours(path, size, arch), theirs(model, size))


def main():
    torch.set_num_threads(2)
    with tempfile.TemporaryDirectory() as folder:
        good = [from_torchvision("vit_tiny", vit_tiny, 32, folder), from_tips("vit_tiny", vit_tiny, 32, folder),
                from_torchvision("swin_tiny", swin_tiny, 32, folder), from_tips("swin_tiny", swin_tiny, 32, folder),
                from_torchvision("swin_t", swin_t, 72, folder),
                by_other_names("timm's", timm_name, folder), by_other_names("old", old_name, folder)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
