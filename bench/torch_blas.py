"""Which BLAS multiplies matrices for PyTorch here: printed, or asked for by `name`."""
import torch

KNOWN = ("mkl", "openblas", "blis", "atlas")


def libraries():
    try:
        with open("/proc/self/maps", encoding="utf-8") as stream:
            return {line.split("/", 1)[1].strip() for line in stream if "/" in line}
    except OSError:
        return set()


def name():
    if "BLAS_INFO=mkl" in torch.__config__.show():
        return "mkl"
    loaded = {path.rsplit("/", 1)[-1] for path in libraries()}
    for known in KNOWN:
        if any(known in library and "mkldnn" not in library for library in loaded):
            return known
    return "reference" if any(library.startswith("libblas.so") for library in loaded) else "unknown"


if __name__ == "__main__":
    print(name())
