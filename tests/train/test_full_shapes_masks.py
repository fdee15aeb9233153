"""A small U-Net learns the masks of shapes with max and with tips-exact: both find them, and the exact one keeps its masks under shifts."""
import json
import os
import subprocess
import tempfile

TIPS = os.environ["TIPS"]
DATA = "shapes:size=32,classes=3,train=1200,test=200"
FLOOR = 60  # percent of mean IoU; both came to more than 70


def run(*words):
    return subprocess.run([TIPS, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def measured(pool, folder):
    out = os.path.join(folder, pool)
    run("train", "--arch", "unet", "--backbone", "resnet18", "--width", "8", "--down", "3", "--pool", pool, "--data", DATA, "--size", "32", "--optimizer", "adamw", "--lr", "0.003",
        "--epochs", "4", "--batch", "16", "--out", out)
    model = json.loads(run("eval", "--model", os.path.join(out, "last.safetensors"), "--data", DATA, "--grid-images", "0", "--no-msb", "--json"))
    figures = {name: model[name]["value"] for name in ("miou", "standard_consistency", "circular_consistency")}
    print(pool, figures, flush=True)
    return figures


def main():
    with tempfile.TemporaryDirectory() as folder:
        plain, exact = measured("max", folder), measured("tips-exact", folder)
    assert plain["miou"] >= FLOOR and exact["miou"] >= FLOOR, f"a mean IoU below {FLOOR}"
    assert exact["circular_consistency"] == 100, "a circular shift changes the mask of tips-exact"
    assert plain["circular_consistency"] < 100, "no circular shift changes the mask of max: the test shows nothing"
    assert exact["standard_consistency"] > plain["standard_consistency"], "tips-exact is no more stable than max"


main()
