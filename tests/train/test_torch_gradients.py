"""Gradients of every parameter of whole networks, against PyTorch in double: they are off by no more than a multiple of what
PyTorch's own float32 is off, away from the corners of ReLUs; near them by no more than tiny changes of the weights explain.
Skipped without torch and numpy."""
import ctypes
import os
import sys

sys.dont_write_bytecode = True
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "tests", "support"))
import peers  # tests/support/peers.py

peers.need("torch", "numpy")
import numpy as np
import torch
from torch.nn import functional as F

LR = 1e6  # a step so large that the weights before it are lost in it: its result is the gradient
BLOCKS = {"resnet18": (2, 2, 2, 2), "resnet50": (3, 4, 6, 3)}
AWAY = 12  # standard deviations
JOLT = 2e-6  # of a weight
TIMES_SINGLE, TIMES_JOLT = 32, 4
POINTER = ctypes.POINTER(ctypes.c_float)


class NetworkOptions(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("arch", "pool", "padding", "stem")] + \
        [(name, ctypes.c_int) for name in ("lpf", "channels", "height", "width", "classes", "first_width", "down", "seed")] + \
        [("custom_pool", ctypes.c_void_p)]


class TrainOptions(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("lr", "momentum", "weight_decay", "alpha")] + [("undo", ctypes.c_bool)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dims", ctypes.c_int * 4), ("n_dims", ctypes.c_int), ("elements", ctypes.c_size_t), ("trainable", ctypes.c_bool)]


def load_library():
    with open(os.path.join(os.environ["BUILD_DIR"], "CMakeCache.txt")) as cache:
        if "TIPS_SANITIZE:BOOL=ON" in cache.read():
            print("The sanitizers' library has to be the first of a process, which Python's is not: skipped.")
            sys.exit(77)
    lib = ctypes.CDLL(os.path.join(os.environ["BUILD_DIR"], "libtips.so"))
    lib.tips_last_error.restype = ctypes.c_char_p
    return lib


LIB = load_library()


def checked(status):
    if status:
        raise RuntimeError(LIB.tips_last_error().decode())


def create(case):
    network = ctypes.c_void_p()
    options = NetworkOptions(arch=case["arch"].encode(), pool=case["pool"].encode(), padding=case["padding"].encode(), stem=b"cifar", height=case["size"],
                             classes=10, first_width=case["width"], seed=case["seed"])
    checked(LIB.tips_network_create(ctypes.byref(options), ctypes.byref(network)))
    if case["away"]:
        keep_from_zero(network)
    return network


def keep_from_zero(network):
    """Gives norms such biases that no argument of a ReLU comes near zero: inner channels are on, every fourth is off, and sums are on."""
    for name, (values, _) in tensors(network).items():
        if ".bn" not in name and not name.startswith("bn") and "downsample.1" not in name or not name.endswith("bias"):
            continue
        values[:] = AWAY
        if name.endswith("bn1.bias"):
            values[::4] = -AWAY
        checked(LIB.tips_network_set(network, name.encode(), values.ctypes.data_as(POINTER), ctypes.c_size_t(values.size)))


def tensors(network):
    info, found, i = TensorInfo(), {}, 0
    while LIB.tips_network_tensor(network, i, ctypes.byref(info)):
        values = np.empty(info.dims[:info.n_dims], np.float32)
        checked(LIB.tips_network_get(network, info.name, values.ctypes.data_as(POINTER), ctypes.c_size_t(info.elements)))
        found[info.name.decode()] = (values, info.trainable)
        i += 1
    return found


def our_step(case, images, labels):
    """The parameters, what one step without momentum and decay takes away from them, and what is there after it."""
    network = create(case)
    before = tensors(network)
    options = TrainOptions(lr=LR, momentum=0, weight_decay=0, alpha=0, undo=False)
    checked(LIB.tips_network_train_step(network, images.ctypes.data_as(POINTER), labels.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)), len(images),
                                        ctypes.byref(options), None))
    after = tensors(network)
    LIB.tips_network_destroy(network)
    gradients = {name: (values.astype(np.float64) - after[name][0]) / LR for name, (values, trainable) in before.items() if trainable}
    return before, gradients, after


def padded(x, border, padding):
    return F.pad(x, (border,) * 4, mode="constant" if padding == "zero" else padding) if border else x


class Network:
    """The ResNets of src/arch/resnet.c, from their parameters."""

    def __init__(self, case, parameters, dtype):
        self.case = case
        self.p = {name: torch.tensor(values, dtype=dtype, requires_grad=trainable) for name, (values, trainable) in parameters.items()}

    def conv_norm(self, conv, norm, x):
        weight = self.p[f"{conv}.weight"]
        x = F.conv2d(padded(x, weight.shape[-1] // 2, self.case["padding"]), weight)
        return F.batch_norm(x, None, None, self.p[f"{norm}.weight"], self.p[f"{norm}.bias"], training=True)

    def pool(self, x):
        name = self.case["pool"]
        if name == "stride":
            return x[:, :, ::2, ::2]
        if name == "max":
            return F.max_pool2d(x, 2)
        taps = torch.tensor([1, 2, 1], dtype=x.dtype) / 4
        kernel = torch.outer(taps, taps).expand(x.shape[1], 1, 3, 3)
        return F.conv2d(padded(x, 1, self.case["padding"]), kernel, stride=2, groups=x.shape[1])

    def block(self, at, x, down):
        y = torch.relu(self.conv_norm(f"{at}.conv1", f"{at}.bn1", x))
        last = 2
        if f"{at}.conv3.weight" in self.p:
            y, last = torch.relu(self.conv_norm(f"{at}.conv2", f"{at}.bn2", y)), 3
        y = self.conv_norm(f"{at}.conv{last}", f"{at}.bn{last}", self.pool(y) if down else y)
        x = self.pool(x) if down else x
        if f"{at}.downsample.0.weight" in self.p:
            x = self.conv_norm(f"{at}.downsample.0", f"{at}.downsample.1", x)
        return torch.relu(x + y)

    def loss(self, images, labels):
        x = torch.relu(self.conv_norm("conv1", "bn1", images))
        for stage, blocks in enumerate(BLOCKS[self.case["arch"]]):
            for i in range(blocks):
                x = self.block(f"layer{stage + 1}.{i}", x, i == 0 and stage > 0)
        return F.cross_entropy(F.linear(x.mean((2, 3)), self.p["fc.weight"], self.p["fc.bias"]), labels)

    def gradients(self, images, labels):
        self.loss(torch.tensor(images, dtype=self.p["fc.bias"].dtype), torch.tensor(labels, dtype=torch.int64)).backward()
        return {name: value.grad.double().numpy() for name, value in self.p.items() if value.grad is not None}


def error(got, want):
    return np.linalg.norm(got - want) / np.linalg.norm(want)


def batch_of(case):
    random = np.random.RandomState(case["seed"])
    images = random.normal(0, 1, (case["n"], 3, case["size"], case["size"])).astype(np.float32)
    return images, random.randint(0, 10, case["n"]).astype(np.int32)


def jolted(parameters, seed):
    """Weights off by what rounding in between amounts to."""
    random = np.random.RandomState(seed)
    return {name: (values * (1 + JOLT * random.normal(0, 1, values.shape)), trainable) for name, (values, trainable) in parameters.items()}


def errors_of(case):
    """name: (ours, PyTorch's in float32, the largest of PyTorch's in double with jolted weights)"""
    images, labels = batch_of(case)
    parameters, ours, _ = our_step(case, images, labels)
    run = lambda p, dtype: Network(case, p, dtype).gradients(images, labels)
    double, single = run(parameters, torch.float64), run(parameters, torch.float32)
    others = [run(jolted(parameters, i), torch.float64) for i in range(case["jolts"])]
    assert set(ours) == set(double) == set(single)
    return {name: (error(ours[name], want), error(single[name], want), max([error(other[name], want) for other in others], default=0))
            for name, want in double.items()}


CASES = [("resnet18", "stride", "zero", 32), ("resnet18", "max", "circular", 24), ("resnet18", "blur:n=3", "circular", 32), ("resnet50", "blur:n=3", "circular", 32)]


def case_of(row, **more):
    return {**dict(zip(("arch", "pool", "padding", "width"), row)), "size": 16, "n": 4, "seed": 1, "jolts": 0, **more}


def expect_precise(row):
    """Where no ReLU is near its corner, each parameter's gradient is as good as PyTorch's, up to a factor."""
    errors = errors_of(case_of(row, away=True))
    ratio, name = max((ours / single, name) for name, (ours, single, _) in errors.items())
    print(f"{row}: at most {ratio:.1f} times PyTorch's error ({name}), allowed {TIMES_SINGLE}")
    return ratio <= TIMES_SINGLE


def expect_conditioned(row):
    """As networks start, rounding pushes some value across a corner, and gradients jump: by no more than rounding explains."""
    errors = list(errors_of(case_of(row, away=False, jolts=4)).values())
    ours, single, jolt = (max(column) for column in zip(*errors))
    print(f"{row}, near corners: off by {ours:.1e}, PyTorch by {single:.1e}, with weights off by {JOLT} {jolt:.1e}")
    return ours <= TIMES_JOLT * jolt


def main():
    results = [expect_precise(row) for row in CASES] + [expect_conditioned(row) for row in CASES[2:]]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
