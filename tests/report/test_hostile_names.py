"""Pages hold no script but ours, whatever names of classes, runs, files and recipes say, and whatever the files of a run or a study are
changed to: every page that comes out is read by a parser, and may hold what pages of ordinary names hold."""
import base64
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

TIPS = os.path.abspath(os.environ["TIPS"])
HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "' onmouseover='alert(3)", "a\nonload=alert(4)",
           "javascript:alert(5)", "\u202egnp.exe\u202c", "</title><svg/onload=alert(6)>", "--></style><script>alert(7)</script>",
           "]]><script>alert(8)</script>", "&lt;script&gt;alert(9)", "\x1b]0;title\x07\x1b[2J", "<svg \nonload=alert(10)>"]
IN_FOLDERS = [text.replace("/", "\u2215") for text in HOSTILE]
DRAWINGS = ["<svg \nonload=alert(1)><rect/></svg>", "<svg xmlns='x'><path/onload=alert(2) d=''/></svg>", "<svg ><a xlink:href='javascript:alert(3)'><text>x</text></a></svg>",
            "<svg \tonload='alert(4)'></svg>", "<svg ><style>*{background:url(https://a.example/)}</style></svg>", "<svg ><set attributeName=onload to=alert(5) /></svg>",
            "<svg ><rect x='1'\x0conclick=alert(6)></rect></svg>", "<svg ></svg><script>alert(7)</script>"]
HAS_STUDIES = "yaml" in os.environ.get("TIPS_LIBRARIES", "yaml").split()
failures = 0


def complain(text):
    global failures
    print(text)
    failures += 1


class Page(HTMLParser):
    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.name, self.found, self.scripts, self.policy, self.in_script = name, set(), [], None, False

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if len(values) != len(attributes):
            complain(f"{self.name}: <{tag}> has an attribute twice")
        self.found |= {tag} | {(tag, key) for key in values}
        if tag == "script":
            self.in_script = True
            self.scripts.append("")
        if tag == "meta" and values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        for key, value in attributes:
            if key.startswith("on"):
                complain(f"{self.name}: <{tag} {key}={value}>")
            if key in ("src", "href", "xlink:href", "action", "srcdoc", "data", "formaction") and not (value or "").startswith("data:image/"):
                complain(f"{self.name}: <{tag} {key}={(value or '')[:60]}> leads out of the page")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.in_script = False

    def handle_endtag(self, tag):
        self.in_script = self.in_script and tag != "script"

    def handle_data(self, data):
        if self.in_script:
            self.scripts[-1] += data


def look_at(path, allowed=None):
    """Returns the tags and attributes of a page."""
    with open(path, encoding="utf-8") as file:  # fails where it is not UTF-8
        text = file.read()
    page = Page(path)
    page.feed(text)
    page.close()
    if re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\x00-\x08\x0b-\x1f]", text):
        complain(f"{path}: holds characters that do not show")
    sums = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in page.scripts]
    if len(sums) != 1 or not page.policy or f"script-src 'sha256-{sums[0]}'" not in page.policy:
        complain(f"{path}: its {len(sums)} scripts are not the one that its policy names: {page.policy}")
    elif "default-src 'none'" not in page.policy or "unsafe-inline" in page.policy.split("script-src")[1]:
        complain(f"{path}: the policy lets more in: {page.policy}")
    if allowed is not None and page.found - allowed:
        complain(f"{path}: holds what no page of ours does: {sorted(map(str, page.found - allowed))}")
    return page.found


def tips(*arguments, code=0):
    run = subprocess.run([TIPS, *arguments], capture_output=True)
    if code is not None and run.returncode != code:
        complain(f"tips {arguments}: exit code {run.returncode}: {run.stderr.decode(errors='replace')}")
    if run.returncode not in (0, 1, 2, 3):
        complain(f"tips {arguments} ended with {run.returncode}")
    if b"\x1b" in run.stdout + run.stderr:
        complain(f"tips {arguments}: an escape character reaches the terminal")
    return run.returncode


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))


def make_data(root, names):
    """Class folders of small pictures, whose files have hostile names too."""
    for k, name in enumerate(names):
        for i in range(8):
            pixels = bytes((37 * k + 11 * i + x * (k + 1)) % 256 for x in range(3 * 16 * 16))
            stem = str(i) + (IN_FOLDERS[(k + i) % len(IN_FOLDERS)] if names is IN_FOLDERS else "")
            for split in ("train", "val"):
                write(os.path.join(root, split, name, stem + ".ppm"), b"P6 16 16 255\n" + pixels)


RECIPE = """title: {title}
limit: 8
seeds: 1
base: {{data: {data}, arch: tiny, width: 4, epochs: 1, batch: 8, train-limit: 24, threads: 1}}
vary:
  rates: [{{name: {name}, lr: 0.01}}, {{name: high, lr: 0.1}}]
  pool: [max, tips-exact]
analysis:
  - {{kind: table, rows: rates, title: {title}}}
  - {{kind: correlation, x: metric, y: standard_consistency}}
  - {{kind: bubble}}
"""


def make_pages(work, data, hostile, title):
    """Training, comparison, report, audit and study; returns the paths of the pages."""
    os.makedirs(work)
    options = ["--data", data, "--arch", "tiny", "--batch", "8", "--epochs", "1", "--threads", "1", "--size", "16"]
    runs = [os.path.join(work, hostile[i] if hostile else f"run-{i}") for i in (0, 1)]
    for run, pool in zip(runs, ("max", "tips-exact")):
        tips("train", *options, "--pool", pool, "--out", run)
        tips("eval", "--model", run + "/best.safetensors", "--data", data, "--limit", "8", "--out", run + "/eval.json", "--grid-images", "2", "--levels")
    pages = [os.path.join(work, name) for name in ("report.html", "audit.html", "study.html")]
    tips("report", *runs, "--title", title, "--search", "16", "-o", pages[0])
    tips("audit", runs[0] + "/best.safetensors", "--data", data, "--limit", "8", "--report", pages[1], "--corrupt", "contrast:3")
    pictures = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(data, "val")) for name in names][:6]
    tips("predict", "--model", runs[0] + "/best.safetensors", *pictures)
    tips("predict", "--model", runs[0] + "/best.safetensors", *pictures, "--json")
    tips("data", "info", data)
    tips("predict", "--model", runs[0] + "/best.safetensors", "no\x1b[2Jpicture.png", code=1)
    if not HAS_STUDIES:
        return pages[:2], runs, None
    recipe = os.path.join(work, "recipe.yaml")
    quoted = json.dumps(title)
    write(recipe, RECIPE.format(name=quoted, title=quoted, data=json.dumps(data)))
    study = os.path.join(work, "study")
    tips("study", recipe, "--out", study, "--threads", "1")
    tips("report", study, "-o", pages[2])
    return pages, runs, study


def texts_of(node, at=()):
    """The places of texts in a JSON value."""
    if isinstance(node, str):
        yield at
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from texts_of(value, at + (key,))


def change(node, at, text):
    for key in at[:-1]:
        node = node[key]
    node[at[-1]] = text


def try_changes(folder, name, page, allowed, *command):
    """Every text of a JSON file, one after the other, is hostile: a page comes out that is as it should be, or none."""
    path = os.path.join(folder, name)
    with open(path, encoding="utf-8") as file:
        lines = file.read()
    many = name.endswith(".jsonl")
    before = json.loads(lines.splitlines()[0] if many else lines)
    came = 0
    seen = set()
    for number, at in enumerate(texts_of(before)):
        shape = tuple("*" if isinstance(key, int) else key for key in at)
        if shape in seen:
            continue
        seen.add(shape)
        after = json.loads(json.dumps(before))
        change(after, at, HOSTILE[number % len(HOSTILE)] + HOSTILE[(number + 1) % len(HOSTILE)])
        write(path, json.dumps(after) + "\n" + ("\n".join(lines.splitlines()[1:]) if many else ""))
        if os.path.exists(page):
            os.remove(page)
        came += tips(*command, code=None) == 0
        if os.path.exists(page):
            look_at(page, allowed)
    write(path, lines)
    return came, len(seen)


def change_metadata(path, text):
    """Texts in the metadata of a model that may be anything."""
    with open(path, "rb") as file:
        data = file.read()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    changed = 0
    for key, value in header["__metadata__"].items():
        if "classes" in key or "names" in key or "training" in key:
            header["__metadata__"][key], changed = json.dumps([text] * 12) if value.startswith("[") else text, changed + 1
    for key in [key for key in header["__metadata__"] if "sha256" in key]:
        del header["__metadata__"][key]
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    write(path, struct.pack("<Q", len(encoded)) + encoded + data[8 + length:])


def try_study(study, allowed):
    came, tried = try_changes(study, "study.json", "page.html", allowed, "report", study, "-o", "page.html")
    print(f"study.json: {tried} texts, {came} pages")
    if came < tried / 2:
        complain("few pages came out of changed studies")
    with open(study + "/study.txt", encoding="utf-8") as file:
        text = file.read()
    write(study + "/study.txt", re.sub(r"(?m)^(\S+)( +[0-9])", lambda m: (HOSTILE[1] + m[1])[:60] + m[2], text) + "\n".join(HOSTILE))
    figures = sorted(os.listdir(study + "/figures"))
    for number, drawing in enumerate(DRAWINGS):
        write(f"{study}/figures/{[f for f in figures if f.endswith('.svg')][number % 2]}", drawing)
        tips("report", study, "-o", "page.html")
        look_at("page.html", allowed)


def main():
    work = tempfile.mkdtemp()
    os.chdir(work)
    make_data("plain-data", [f"class{i}" for i in range(12)])
    make_data("hostile-data", IN_FOLDERS)
    broken = os.fsencode(os.path.join("hostile-data", "train", IN_FOLDERS[0])) + b"/\xff\xfe<script>.ppm"
    shutil.copy(os.path.join("hostile-data", "train", IN_FOLDERS[0], "0" + IN_FOLDERS[0] + ".ppm"), broken)
    pages, runs, study = make_pages("plain", "plain-data", None, "plain")
    allowed = set().union(*(look_at(page) for page in pages)) | {"ul", "li"}  # a list of remarks
    for number, title in enumerate(HOSTILE[:3]):
        hostile, _, _ = make_pages(f"hostile-{number}", "hostile-data", IN_FOLDERS[2 * number:], title)
        for page in hostile:
            look_at(page, allowed)

    # Files as others may have written them.
    for name in ("eval.json", "config.json", "log.jsonl"):
        came, tried = try_changes(runs[0], name, "page.html", allowed, "report", *runs, "--examples", "0", "--figures", "none", "-o", "page.html")
        print(f"{name}: {tried} texts, {came} pages")
    if HAS_STUDIES:
        try_study(study, allowed)
    for text in HOSTILE[:4]:
        shutil.copy(runs[0] + "/best.safetensors", "model.safetensors")
        change_metadata("model.safetensors", text)
        tips("audit", "model.safetensors", "--data", "plain-data", "--limit", "8", "--report", "model.html", code=None)
        tips("info", "model.safetensors", code=None)
        if os.path.exists("model.html"):
            look_at("model.html", allowed)
    shutil.rmtree(work)
    sys.exit(failures != 0)


main()
