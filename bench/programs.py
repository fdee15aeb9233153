"""The programs that take turns: our command, and processes of PyTorch and ONNX Runtime that wait for theirs."""
import functools
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ONNXRUNTIME = os.path.join(HERE, "..", "tests", "onnxruntime")


def last_json(text):
    """The whole text, or else its last line that is a JSON object."""
    for candidate in [text, *reversed(text.splitlines())]:
        try:
            value = json.loads(candidate)
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    raise SystemExit(f"no JSON object in:\n{text}")


def tips(args, *words):
    command = [*shlex.split(args.binary), *map(str, words)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    except OSError as error:
        raise SystemExit(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}: exit code {done.returncode}")
    return done.stdout


def ours(args, options, steps):
    return last_json(tips(args, "bench", "step", *options, "--threads", args.threads, "--steps", steps, "--json"))


class Server:
    """One process that waits for its turn."""

    def __init__(self, name, command, **environment):
        self.name = name
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
        self.info = self.read()
        self.rates, self.peak = [], 0.0

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended early")
        return json.loads(line)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.read()

    def step(self, count):
        report = self.ask("step", count)
        self.rates.append(report["images_per_second"])
        self.peak = report["peak_resident_mb"]

    def quit(self):
        if self.process.poll() is None:
            self.process.stdin.write("quit\n")
            self.process.stdin.close()
            self.process.wait()


@functools.lru_cache
def blas_environment(folder, threads):
    """What PyTorch needs to run with a fast BLAS, if its own is not."""
    own = subprocess.run([sys.executable, os.path.join(HERE, "torch_blas.py")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if own != "reference":
        return {}
    if subprocess.run(["sh", os.path.join(HERE, "openblas.sh"), folder], check=False).returncode:
        print("note: PyTorch runs with the reference BLAS, which makes its linear layers slow; ratios of transformers mean nothing", file=sys.stderr)
        return {}
    paths = [folder, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {"LD_LIBRARY_PATH": ":".join(paths), "OPENBLAS_NUM_THREADS": str(threads)}


def torch_servers(args, options, mode):
    """One for each memory format, at inference with folded norms too; the fastest counts."""
    environment = blas_environment(os.path.abspath(args.blas), args.threads)
    servers = []
    for fold in (False, True) if mode == "infer" else (False,):
        for layout in ("nchw", "nhwc"):
            command = [sys.executable, os.path.join(HERE, "torch_step.py"), *options, "--threads", args.threads, "--format", layout, "--interleave"]
            servers.append(Server(layout + (", folded" if fold else ""), command + ["--fold"] * fold, **environment))
    return servers


def runtime_folder(args):
    """Where onnxruntime-node is; installed there if need be."""
    folder = os.path.abspath(args.runtime)
    environment = {**os.environ, "TIPS_TEST_PEERS": "1"}  # what cannot be installed is an error
    if subprocess.run(["sh", os.path.join(ONNXRUNTIME, "install.sh"), folder], env=environment, check=False).returncode:
        raise SystemExit("onnxruntime-node is needed to compare with; without it: --only steps, --only training")
    return folder


def runtime_server(args, model, batch, size):
    command = ["node", os.path.join(HERE, "ort_step.mjs"), model, batch, 3, size, args.threads]
    return Server("all optimisations", command, ONNXRUNTIME_FOLDER=runtime_folder(args))
