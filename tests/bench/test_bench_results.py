"""What `make bench` makes of its figures: bars by processor level, rows that replace those before them, and tables."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE_DIR"], "bench"))
import bars
import compare
import render


def row(part, title, ratio, mode="infer", share=0.5, memory=0.3, allocations=0):
    figures = {"images_per_second": 10 * ratio, "spread_percent": 1, "gflops": 1, "peak_share": share, "peak_resident_mb": 3, "allocations_second_step": allocations}
    peer = {"name": "Peer", "version": "1", "variant": "", "images_per_second": 10, "spread_percent": 2, "peak_resident_mb": 10}
    return {"part": part, "title": title, "mode": mode, "ours": figures, "peer": peer, "speed_ratio": ratio, "speed_ratio_low": ratio, "speed_ratio_high": ratio,
            "memory_ratio": memory}


ROWS = [row("steps", "train `max`", 2.3, "train"), row("steps", "train `tips-exact`", 3.1, "train", memory=0.41),
        row("families", "train mobilenet_v2 `stride`, 32x32, batch 64", 1.0, "train", memory=0.7), row("families", "train mobilenet_v2 `stride`, 224x224, batch 16", 0.9, "train"),
        row("families", "train vit_tiny `stride`, 32x32, batch 64", 0.99, "train"), row("segmentation", "train unet resnet18 of width 16 `max`", 1.5, "train"),
        row("imported", "resnet18, batch 1", 1.0),
        row("imported", "resnet18, batch 16", 1.5), row("own", "resnet18 `stride`, batch 1", 1.2), row("own", "resnet18 `tips-exact`, batch 1", 4, share=0.75),
        row("own", "resnet18 `tips-exact`, batch 16", 5, share=0.74)]


def holds(level, rows):
    return [b["holds"] for b in bars.bars(level, rows)]


#                            max   exact  mobile vit    unet  each  mean  stride exact peak  allocations memory
assert holds("avx2", ROWS) == [False, True, True, False, True, True, True, True, True, False, True, False], holds("avx2", ROWS)
assert holds("avx512", ROWS) == [True, False, True, False, True, True, True, True, True, False, True, False], holds("avx512", ROWS)
assert holds("avx2", []) == [None] * 12
assert holds("avx2", [row("steps", "train `max`", 2.6, "train", allocations=1)])[-2:] == [False, True]

merged = compare.merged(ROWS, [row("steps", "train `max`", 9, "train"), row("training", "train resnet50", 3, "train")])
assert len(merged) == len(ROWS) + 1
assert [r["speed_ratio"] for r in merged if r["title"] == "train `max`"] == [9]
assert [r["part"] for r in merged] == ["steps"] * 2 + ["training"] + ["families"] * 3 + ["segmentation"] + ["imported"] * 2 + ["own"] * 3

results = {"processor": "one", "cores": 2, "threads": 2, "rounds": 1, "steps_per_round": 1, "rows": ROWS,
           "network": {"arch": "resnet18", "stem": "cifar", "down": 3, "batch": 64, "size": 32}}
text = render.render("avx2", results)
assert "## avx2" in text and "| train `max` |" in text and "does not hold" in text and "not measured" not in text, text
