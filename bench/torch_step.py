"""The timing peer: training or inference steps of a network in PyTorch, on random images.

Prints one JSON line. With --interleave it warms up, prints {"ready": true, ...}, then obeys lines on standard input: `step K` runs K steps and prints one
JSON line, `quit` ends; a driver can so alternate it with another program.
"""
import argparse
import json
import resource
import statistics
import sys
import time

import torch
from torch.nn.utils.fusion import fuse_conv_bn_weights

import torch_blas
import torch_families
import torch_net
import torch_ops
import torch_segmenters


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--arch", default="resnet18", choices=sorted([*torch_net.ARCHS, *torch_families.ARCHS, *torch_segmenters.ARCHS]))
    p.add_argument("--backbone", default="resnet18", choices=sorted(torch_net.ARCHS), help="of a segmentation network")
    p.add_argument("--pool", default="max")
    p.add_argument("--lpf", type=int, default=0)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--size", type=int, default=32)
    p.add_argument("--mode", default="train", choices=("train", "infer"))
    p.add_argument("--padding", default="zero", choices=torch_ops.PADDINGS)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--format", default="nchw", choices=("nchw", "nhwc"))
    p.add_argument("--steps", type=int, default=5)
    p.add_argument("--warmup", type=int, default=2)
    p.add_argument("--width", type=int, default=0, help="channels of the stem; 0: the architecture's own")
    p.add_argument("--down", type=int, default=3)
    p.add_argument("--stem", default="cifar", choices=("cifar", "imagenet"))
    p.add_argument("--classes", type=int, default=10)
    p.add_argument("--alpha", type=float, default=0.35)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--fold", action="store_true", help="inference: norms folded into the convolutions before them")
    p.add_argument("--interleave", action="store_true")
    return p.parse_args()


def fold_norms(net):
    """Folds every norm that directly follows a convolution of the network into it."""
    for module in net.modules():
        children = dict(module.named_children())
        for conv_name, norm_name in (("conv1", "bn1"), ("conv2", "bn2"), ("conv3", "bn3"), ("0", "1")):
            conv, norm = children.get(conv_name), children.get(norm_name)
            if isinstance(conv, torch_net.Conv) and isinstance(norm, torch.nn.BatchNorm2d):
                conv.weight, conv.bias = fuse_conv_bn_weights(
                    conv.weight, None, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias)
                setattr(module, norm_name, torch.nn.Identity())


def network(a):
    if a.arch in torch_families.ARCHS:
        return torch_families.make(a.arch, a.pool, a.padding, a.down, a.size, a.classes)
    if a.arch in torch_segmenters.ARCHS:
        return torch_segmenters.make(a)
    return torch_net.ResNet(a.arch, a.pool, a.lpf, a.padding, a.stem, a.down, a.width, a.classes)


class Stepper:
    def __init__(self, args):
        self.args = args
        torch.manual_seed(args.seed)
        torch.set_num_threads(args.threads)
        layout = torch.channels_last if args.format == "nhwc" else torch.contiguous_format
        self.net = network(args)
        self.train = args.mode == "train"
        self.net.train(self.train)
        if args.fold and not self.train:
            fold_norms(self.net)
        self.net.to(memory_format=layout)
        self.x = torch.randn(args.batch, 3, args.size, args.size).contiguous(memory_format=layout)
        pixels = (args.size, args.size) if args.arch in torch_segmenters.ARCHS else ()
        self.labels = torch.randint(0, args.classes, (args.batch, *pixels))
        named = list(self.net.named_parameters())
        groups = [{"params": [p for name, p in named if ".logits." not in name]},
                  {"params": [p for name, p in named if ".logits." in name], "weight_decay": 0.0}]  # lps: no decay on its logit net
        self.optimizer = torch.optim.SGD([g for g in groups if g["params"]], lr=0.05, momentum=0.9, weight_decay=1e-4)

    def step(self):
        if not self.train:
            with torch.inference_mode():
                self.net(self.x)
            return
        self.optimizer.zero_grad(set_to_none=True)
        logits, record = self.net(self.x)
        loss = torch_net.total_loss(logits, self.labels, record, self.args.alpha)[0]
        loss.backward()
        self.optimizer.step()

    def run(self, count):
        rates = []
        for _ in range(count):
            start = time.perf_counter()
            self.step()
            rates.append(self.args.batch / (time.perf_counter() - start))
        return rates

    def report(self, rates):
        a = self.args
        return {
            "program": "torch", "torch": torch.__version__, "blas": torch_blas.name(), "arch": a.arch, "pool": a.pool, "lpf": a.lpf, "mode": a.mode, "padding": a.padding, "stem": a.stem,
            "down": a.down, "batch": a.batch, "size": a.size, "format": a.format, "fold": a.fold, "threads": torch.get_num_threads(),
            "parameters": sum(p.numel() for p in self.net.parameters()),
            "images_per_second_steps": [round(r, 3) for r in rates],
            "images_per_second": round(statistics.median(rates), 3) if rates else None,
            "images_per_second_low": round(min(rates), 3) if rates else None,
            "images_per_second_high": round(max(rates), 3) if rates else None,
            "peak_resident_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        }


def main():
    args = arguments()
    stepper = Stepper(args)
    stepper.run(args.warmup)
    if not args.interleave:
        print(json.dumps(stepper.report(stepper.run(args.steps))), flush=True)
        return 0
    print(json.dumps({"ready": True, **stepper.report([])}), flush=True)
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            break
        if len(words) == 2 and words[0] == "step" and words[1].isdigit():
            print(json.dumps(stepper.report(stepper.run(int(words[1])))), flush=True)
        elif words:
            print(json.dumps({"error": f"not understood: {line.strip()}"}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
