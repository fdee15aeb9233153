"""torchvision's detectors and ours find the same boxes with the same file: IoU above 0.999, scores to 1e-4. Skipped without torchvision.
The full test takes real pictures from the folder TIPS_TEST_PICTURES, where that is set, and drawn ones else."""
import glob
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "model"))
import test_torchvision as plain  # beside this file
from test_torchvision import files, torch, torchvision

from torchvision.models.detection import backbone_utils, faster_rcnn, retinanet
from torchvision.ops import box_iou, feature_pyramid_network

CLASSES = 7
MEAN, STD = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])


class RetinaNet:
    """With the anchors, thresholds and frozen norms that torchvision's retinanet_resnet50_fpn has."""
    name, task, first_label = "retinanet", "detect:anchor=4", 0
    drawn_size, trained_size = (256, 320), (224, 352)
    losses = ("classification", "bbox_regression")

    @staticmethod
    def build(backbone):
        extra = feature_pyramid_network.LastLevelP6P7(256, 256)
        body = backbone_utils.resnet_fpn_backbone(backbone_name=backbone, weights=None, trainable_layers=5, returned_layers=[2, 3, 4], extra_blocks=extra)
        return retinanet.RetinaNet(body, CLASSES, min_size=1, max_size=4096)

    @staticmethod
    def draw_heads(model):
        for name, value in model.head.named_parameters():
            if name.endswith("weight"):
                torch.nn.init.normal_(value, std=0.02)
        torch.nn.init.constant_(model.head.classification_head.cls_logits.bias, -3.0)
        torch.nn.init.normal_(model.head.regression_head.bbox_reg.weight, std=0.01)

    @staticmethod
    def use_samples(model, rows):
        """All anchors count."""


class FasterRCNN:
    """The same of fasterrcnn_resnet50_fpn. Class 0 is nothing."""
    name, task, first_label, regions = "fasterrcnn", "detect:anchor=8,proposals=1000,sample=512", 1, 1000
    drawn_size, trained_size = (192, 256), (160, 224)  # most of the time goes into the regions, whatever the size
    losses = ("objectness", "rpn_box_reg", "classifier", "box_reg")

    @classmethod
    def build(cls, backbone):
        body = backbone_utils.resnet_fpn_backbone(backbone_name=backbone, weights=None, trainable_layers=5)
        return faster_rcnn.FasterRCNN(body, CLASSES + 1, min_size=1, max_size=4096, rpn_post_nms_top_n_test=cls.regions, rpn_post_nms_top_n_train=2 * cls.regions)

    @staticmethod
    def draw_heads(model):
        for head in (model.rpn.head, model.roi_heads):
            for name, value in head.named_parameters():
                if name.endswith("weight"):
                    torch.nn.init.normal_(value, std=0.02)
        torch.nn.init.normal_(model.roi_heads.box_predictor.cls_score.weight, std=0.1)
        torch.nn.init.normal_(model.roi_heads.box_predictor.bbox_pred.weight, std=0.05)

    @staticmethod
    def use_samples(model, rows):
        """Both stages draw what ours has drawn."""
        anchors = {int(row[1]): row[2] for row in rows if row[0] == "anchor"}
        regions = torch.tensor([[float(x) for x in row[1:5]] for row in rows if row[0] == "region"])

        def draw_anchors(labels):
            chosen = [torch.zeros_like(labels[0], dtype=torch.uint8) for _ in range(2)]
            for number, kind in anchors.items():
                chosen[0 if kind == "thing" else 1][number] = 1
            for mask, label in zip(chosen, (1, 0)):
                if not bool((labels[0][mask.bool()] == label).all()):
                    raise AssertionError("anchors are matched differently")
            return [chosen[0]], [chosen[1]]

        def add_truths(proposals, boxes):
            model.all_regions = torch.cat((proposals[0], boxes[0]))
            return [model.all_regions]

        def draw_regions(labels):
            distance, which = (model.all_regions[None] - regions[:, None]).abs().amax(2).min(1)
            if distance.max() > 2e-3:
                raise AssertionError(f"a region of ours is {distance.max()} pixels from any of torchvision's")
            return [which]

        model.rpn.fg_bg_sampler = draw_anchors
        model.roi_heads.add_gt_proposals, model.roi_heads.subsample = add_truths, draw_regions


class FewRegions(FasterRCNN):
    """The same with fewer regions, which take most of the time."""
    task, regions = "detect:anchor=8,proposals=150,sample=64", 150


def draw(arch, model, seed):
    """Statistics that differ, and heads that say more than that there is nothing."""
    torch.manual_seed(seed)
    for name, buffer in model.named_buffers():
        if name.endswith("running_mean"):
            torch.nn.init.uniform_(buffer, -0.2, 0.2)
        if name.endswith("running_var"):
            torch.nn.init.uniform_(buffer, 0.5, 1.5)
        if name.endswith("bn3.weight"):  # else the sums of residual blocks grow until every score is 1
            torch.nn.init.constant_(buffer, 0.2)
    arch.draw_heads(model)


def take_as_it_is(model, h, w):
    """No resizing, and scales of maps that are found anew."""
    model.transform.min_size, model.transform.max_size = (min(h, w),), max(h, w)
    if hasattr(model, "roi_heads"):
        model.roi_heads.box_roi_pool.scales = None


def train(arch, model, steps):
    """A few steps towards one box in the middle."""
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    model.train()
    take_as_it_is(model, 96, 96)
    for step in range(steps):
        picture = drawn(step, 96, 96)
        target = {"boxes": torch.tensor([[20.0, 24.0, 70.0, 66.0]]), "labels": torch.tensor([step % CLASSES + arch.first_label])}
        loss = sum(model([picture], [target]).values())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def drawn(seed, h, w):
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.rand(1, 3, h // 8, w // 8, generator=generator)
    return (torch.nn.functional.interpolate(coarse, size=(h, w), mode="bilinear")[0] * 0.8 + 0.2 * torch.rand(3, h, w, generator=generator)).clamp(0, 1)


def pictures(count, h, w):
    names = sorted(glob.glob(os.path.join(os.environ.get("TIPS_TEST_PICTURES", ""), "*.jpg"))) if os.environ.get("TIPS_TEST_PICTURES") else []
    for i in range(count):
        if i < len(names):
            picture = torchvision.io.read_image(names[i], torchvision.io.ImageReadMode.RGB)
            yield torchvision.transforms.functional.resize(picture, [h, w]).float() / 255
        else:
            yield drawn(i, h, w)


def theirs(model, picture):
    model.eval()
    take_as_it_is(model, *picture.shape[1:])
    with torch.no_grad():
        found = model([picture])[0]
    return found["boxes"], found["scores"], found["labels"]


def run_ours(arch, tool, path, backbone, picture, *more):
    c, h, w = picture.shape
    data = ((picture - MEAN[:, None, None]) / STD[:, None, None]).contiguous().numpy().tobytes()
    command = [os.path.join(plain.BUILD, "tests", tool), path, arch.name, backbone, str(CLASSES), arch.task, str(h), str(w), *more]
    return subprocess.run(command, input=data, check=True, stdout=subprocess.PIPE).stdout.decode()


def ours(arch, path, backbone, picture):
    rows = torch.tensor([float(word) for word in run_ours(arch, "detections", path, backbone, picture).split()]).reshape(-1, 6)
    return rows[:, :4], rows[:, 4], rows[:, 5].long() + arch.first_label


def alike(a, b):
    """Which boxes of a are which of b: the overlap is almost all, or, of what a border has cut off to next to nothing, the corners are the same."""
    overlaps = box_iou(a[0].double(), b[0].double()).nan_to_num(0)
    corners = (a[0][:, None] - b[0][None]).abs().amax(2)
    scores = (a[1][:, None] - b[1][None]).abs()
    return ((overlaps > 0.999) | (corners < 1e-3)) & (scores < 1e-4) & (a[2][:, None] == b[2][None])


def compare(title, got, want):
    """Every box has its like, both ways; of the few next to a threshold of scores or overlaps one in a hundred may fall on the other side."""
    same = alike(got, want) if len(got[0]) and len(want[0]) else torch.zeros(1, 1)
    share = min(same.any(0).double().mean().item(), same.any(1).double().mean().item())
    print(f"{title}: {len(got[0])} boxes, torchvision {len(want[0])}, {100 * share:.1f} % alike")
    return len(want[0]) > 0 and share > 0.99


def prepare(arch, backbone, steps, folder):
    """A model of torchvision's, trained for some steps, and its file."""
    model = arch.build(backbone)
    draw(arch, model, 3)
    if steps:
        train(arch, model, steps)
    path = os.path.join(folder, "theirs.safetensors")
    files.save(path, model.state_dict(), {"format": "pt"})
    return model, path


def check(arch, backbone, made, count, h, w, what):
    model, path = made
    title = f"{arch.name} on {backbone}, {h}x{w}, {what}"
    return all([compare(f"{title}, picture {i}", ours(arch, path, backbone, picture), theirs(model, picture)) for i, picture in enumerate(pictures(count, h, w))])


THINGS = [(20.0, 24.0, 70.0, 66.0, 2), (60.5, 10.25, 90.0, 90.0, 5), (3.0, 70.0, 9.0, 78.5, 0), (100.0, 4.0, 150.0, 30.0, 2)]  # the third is below all anchors


def losses(arch, backbone, made, h, w, things):
    """Matching, drawing and all losses, with frozen norms. Where some are drawn, torchvision is given the same."""
    model, path = made
    picture = drawn(1, h, w)
    rows = [line.split() for line in run_ours(arch, "detection_losses", path, backbone, picture, *[str(word) for t in things for word in t]).splitlines()]
    got = {row[0]: float(row[1]) for row in rows if row[0].startswith("loss.")}
    arch.use_samples(model, rows)
    model.train()
    take_as_it_is(model, h, w)
    labels = torch.tensor([t[4] + arch.first_label for t in things], dtype=torch.int64)
    with torch.no_grad():
        want = model([picture], [{"boxes": torch.tensor([t[:4] for t in things]).reshape(-1, 4), "labels": labels}])
    good = True
    for name in arch.losses:
        a, b = got["loss." + name], want[name if name in want else "loss_" + name].item()
        print(f"{arch.name}, {len(things)} things, loss of {name}: {a:.7g}, torchvision {b:.7g}")
        good = good and abs(a - b) <= 2e-5 * max(abs(b), 1e-3)
    return good


def from_tips(arch, backbone, made, folder):
    """A file of ours has all tensors that torchvision's model takes, and no others."""
    path = os.path.join(folder, "ours.safetensors")
    options = ["--backbone", backbone, "--pool", "stride", "--padding", "zero", "--stem", "imagenet", "--size", "128", "--classes", str(CLASSES)]
    subprocess.run([plain.TIPS, "init", "--arch", arch.name, *options, "--out", path], check=True, stdout=subprocess.DEVNULL)
    missing, unexpected = made[0].load_state_dict(files.load(path)[0], strict=False)
    if missing or unexpected:
        print("names differ:", missing, unexpected)
    return not missing and not unexpected


def main(archs, full=False):
    torch.set_num_threads(2)
    with tempfile.TemporaryDirectory() as folder:
        good = []
        for arch in archs:
            backbone = "resnet50" if full else "resnet18"
            made = prepare(arch, backbone, 0, folder)
            if full:
                good.append(check(arch, backbone, made, 10, *arch.drawn_size, "drawn"))
                made = prepare(arch, backbone, 4, folder)
                good.append(check(arch, backbone, made, 10, *arch.trained_size, "trained"))
            else:
                good += [check(arch, backbone, made, 1, 96, 160, "drawn"), losses(arch, backbone, made, 96, 160, THINGS), losses(arch, backbone, made, 96, 160, [])]
            good.append(from_tips(arch, backbone, made, folder))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main([RetinaNet, FewRegions]))
