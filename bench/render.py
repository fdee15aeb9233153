"""Results as tables."""
from bars import bars, shown

TITLES = {"steps": "Steps on small pictures", "training": "Training on large pictures", "families": "Training of other families",
          "segmentation": "Training of segmentation networks",
          "imported": "Imported networks, inference", "own": "Own networks, inference"}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def ratio_of(row):
    return f"{row['speed_ratio']:.2f} ({row['speed_ratio_low']:.2f}-{row['speed_ratio_high']:.2f})"


def compared(row):
    a, p = row["ours"], row["peer"]
    differs = row.get("difference")
    return [row["title"], f"{a['images_per_second']:.1f}", f"{a['spread_percent']:.0f}%", f"{a['gflops']:.0f}", f"{100 * a['peak_share']:.0f}%",
            f"{p['images_per_second']:.1f}", f"{p['spread_percent']:.0f}%", p["variant"], ratio_of(row), f"{a['peak_resident_mb']:.0f}", f"{p['peak_resident_mb']:.0f}",
            f"{row['memory_ratio']:.2f}", "" if differs is None else f"{differs:.1e}"]


def part_table(title, rows):
    name = f"{rows[0]['peer']['name']} {rows[0]['peer']['version']}"
    head = ["", "tips img/s", "spread", "GFLOP/s", "of peak", f"{name} img/s", "spread", "variant", "ratio (range)", "tips MB", "peer MB", "ratio", "logits differ by"]
    cells = [compared(row) for row in rows]
    if not any(row[-1] for row in cells):
        head, cells = head[:-1], [row[:-1] for row in cells]
    return f"**{title}**\n\n" + table(head, cells)


def excess(row):
    """What the first costs beyond the multiply-adds that zero padding would skip at the border."""
    extra = 1 / (1 - row["extra_multiply_adds"])
    return f"{row['cost']:.2f} ({100 * (row['cost'] / extra - 1):+.0f}% over x{extra:.2f})" if row["extra_multiply_adds"] else f"{row['cost']:.2f}"


def alone_table(rows):
    head = ["tips alone, training", "first img/s", "second img/s", "ratio (range)", "first MB", "cost of the first (over its extra multiply-adds)", "second MB", "ratio"]
    return table(head, [[r["title"], f"{r['first']['images_per_second']:.1f}", f"{r['second']['images_per_second']:.1f}", ratio_of(r), f"{r['first']['peak_resident_mb']:.0f}",
                         excess(r), f"{r['second']['peak_resident_mb']:.0f}", f"{r['memory_ratio']:.2f}"] for r in rows])


def render(level, results):
    rows = results["rows"]
    n = results["network"]
    texts = [f"## {level}", f"{results['processor']}, {results['threads']} threads of {results['cores']} cores. Medians of {results['rounds']} interleaved rounds of "
             f"{results['steps_per_round']} steps (batch 1: five times as many). Small: {n['arch']}, {n['stem']} stem, down {n['down']}, batch {n['batch']}, "
             f"{n['size']}x{n['size']}; large: 224x224. Zero padding but where said."]
    for part, title in TITLES.items():
        found = [r for r in rows if r["part"] == part]
        if found:
            texts.append(part_table(title, found))
    alone = [r for r in rows if r["part"] == "alone"]
    if alone:
        texts.append(alone_table(alone))
    texts.append(table(["bar", "value", ""], [shown(b) for b in bars(level, rows)]))
    return "\n\n".join(texts)
