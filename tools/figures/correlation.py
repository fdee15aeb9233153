"""r of MSB and stability over the models of docs/results/data/NAME.csv, as `tips study` prints it: correlation.py NAME all|operators|text.

Intervals over clusters (network, width and data) are Student's on atanh r, by leaving out one cluster after the other; one more cluster counts as
far off as the farthest, and there is none below five (docs/decisions/0054-intervals-that-cover.md)."""
import csv
import math
import sys

FIGURES = {"standard_consistency": "consistency, standard", "standard_fidelity": "fidelity, standard",
           "circular_consistency": "consistency, circular", "circular_fidelity": "fidelity, circular"}
BIASES = {"msb": "MSB", "msb_nontrivial": "MSB, nontrivial"}


def student(freedom):
    """The 97.5 % point: where the density's integral from 0 is 0.475."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def half(t, steps=2000):
        h = t / steps
        f = [scale * (1 + (i * h) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1)]
        return h / 3 * (f[0] + f[-1] + 4 * sum(f[1:-1:2]) + 2 * sum(f[2:-1:2]))

    low, high = 0.0, 200.0 if freedom < 2 else 20.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if half(middle) < 0.475 else (low, middle)
    return low


def pearson(pairs):
    n = len(pairs)
    if n < 2 or len({x for x, _ in pairs}) < 2 or len({y for _, y in pairs}) < 2:
        return math.nan
    mx, my = sum(x for x, _ in pairs) / n, sum(y for _, y in pairs) / n
    xx, yy = sum((x - mx) ** 2 for x, _ in pairs), sum((y - my) ** 2 for _, y in pairs)
    if xx < 1e-12 or yy < 1e-12:
        return math.nan
    return max(-1, min(1, sum((x - mx) * (y - my) for x, y in pairs) / math.sqrt(xx * yy)))


def ranks(values):
    order = sorted(values)
    places = {v: (order.index(v) + 1 + order.index(v) + order.count(v)) / 2 for v in set(values)}
    return [places[v] for v in values]


def fisher(r, n):
    if math.isnan(r) or n < 4:
        return None
    half = 1.959963984540054 / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def over(clusters):
    """r of all, and its interval."""
    groups = list(clusters)
    r = pearson([p for g in groups for p in g])
    if len(groups) < 5 or math.isnan(r):
        return r, None
    z = [math.atanh(pearson([p for h in groups if h is not g for p in h])) for g in groups]
    n, mean = len(z), sum(z) / len(z)
    off = [(n - 1) * (mean - one) for one in z]
    square, fourth = sum(d ** 2 for d in off), sum(d ** 4 for d in off)
    half = student(max(1, min(n - 1, 3 * square ** 2 / fourth - 1))) * math.sqrt((square + max(d * d for d in off)) / (n - 1) / n)
    return r, (math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))


def centred(group):
    mx, my = sum(x for x, _ in group) / len(group), sum(y for _, y in group) / len(group)
    return [(x - mx, y - my) for x, y in group]


def correlate(rows, bias, figure):
    clusters = {}
    for row in rows:
        if row[bias] and row[figure]:
            key = row["network"], row["width"], row["data"]
            clusters.setdefault(key, []).append((float(row[bias]), float(row[figure])))
    pairs = [p for g in clusters.values() for p in g]
    r, interval = over(clusters.values())
    inner, around = over([centred(g) for g in clusters.values()]) if not math.isnan(r) else (math.nan, None)
    rho = pearson(list(zip(ranks([x for x, _ in pairs]), ranks([y for _, y in pairs]))))
    return [str(len(pairs)), number(r), span(fisher(r, len(pairs))), str(len(clusters) if not math.isnan(r) else 0), span(interval), number(inner),
            span(around), number(rho)]


def number(value):
    return "-" if math.isnan(value) else "%.3f" % value


def span(ends):
    return "-" if ends is None else "%.3f to %.3f" % ends


def row(cells):
    print("| " + " | ".join(cells) + " |")


HEAD = ["n", "r", "95 % (Fisher)", "clusters", "95 % (clusters)", "r within", "95 % (within)", "rho"]


def print_all(rows):
    row(["figure", "with"] + HEAD)
    row(["---", "---"] + ["---:"] * len(HEAD))
    for bias, bias_title in BIASES.items():
        for figure, title in FIGURES.items():
            row([title, bias_title] + correlate(rows, bias, figure))


def print_operators(rows):
    row(["operator"] + HEAD)
    row(["---"] + ["---:"] * len(HEAD))
    for operator in dict.fromkeys(r["operator"] for r in rows):
        cells = correlate([r for r in rows if r["operator"] == operator], "msb", "standard_consistency")
        if cells[1] != "-":
            row([f"`{operator}`"] + cells)


def print_text(rows):
    groups = [("all", rows)] + [(v, [r for r in rows if r[axis] == v]) for axis in ("operator", "data", "network") for v in dict.fromkeys(r[axis] for r in rows)]
    table = [["figure", "with", "group"] + HEAD]
    table += [[figure, bias, name] + correlate(of, bias, figure) for bias in BIASES for figure in FIGURES for name, of in groups]
    widths = [max(len(line[c]) for line in table) for c in range(len(table[0]))]
    table.insert(1, ["-" * w for w in widths])
    for line in table:
        print("  ".join(cell.ljust(w) if c < 2 else cell.rjust(w) for c, (cell, w) in enumerate(zip(line, widths))).rstrip())


with open("docs/results/data/%s.csv" % sys.argv[1], newline="") as file:
    {"all": print_all, "operators": print_operators, "text": print_text}[sys.argv[2]](list(csv.DictReader(file)))
