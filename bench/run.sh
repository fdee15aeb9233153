#!/bin/sh
# Our steps against PyTorch's and ONNX Runtime's, interleaved on this machine. Options are handed to compare.py; see `bench/run.sh --help`.
# PYTHON chooses the interpreter; otherwise the first one that has PyTorch and torchvision.
set -eu
cd "$(dirname "$0")/.."

find_python() {
    for candidate in ${PYTHON:-} /usr/bin/python3 python3; do
        if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import torch, torchvision' >/dev/null 2>&1; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

if ! python=$(find_python); then
    tools/deps.sh bench
    python=$(find_python) || { echo "bench/run.sh: no python3 with PyTorch and torchvision found" >&2; exit 1; }
fi
exec "$python" bench/compare.py "$@"
