"""Shows a page in a frame of some width in a headless browser, and tells of elements that reach out of the screen.

    python3 narrow_page.py BROWSER WIDTH PAGE...: what it finds goes to standard output, a line an element."""
import os
import re
import subprocess
import sys
import tempfile

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--virtual-time-budget=5000", "--window-size=1300,1000"]
LOOK = """<script>(function () {
  var width = document.documentElement.clientWidth, out = [];
  document.querySelectorAll('details').forEach(function (d) { d.open = true; });
  function moves(e) {
    for (var p = e.parentElement; p; p = p.parentElement)
      if (['auto', 'scroll'].indexOf(getComputedStyle(p).overflowX) >= 0) return true;
    return false;
  }
  document.querySelectorAll('body *').forEach(function (e) {
    var r = e.getBoundingClientRect();
    if (e.ownerSVGElement) return; // a drawing cuts off what leaves it
    if (r.width > 0 && (r.right > width + 0.5 || r.left < -0.5) && !moves(e))
      out.push(e.tagName + ' ' + e.className + ' to ' + Math.round(r.right) + ' of ' + width);
  });
  parent.postMessage('seen ' + out.slice(0, 5).join('; '), '*');
})();</script></body>"""
HOST = """<html><head><title>nothing</title></head><body><script>onmessage = function (e) { document.title = e.data; };</script>
<iframe src="page.html" style="border:0;width:%spx;height:4000px"></iframe></body></html>"""


def look(browser, width, page):
    with tempfile.TemporaryDirectory() as work:
        text = open(page, encoding="utf-8").read()
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)  # the look is a script of its own
        open(f"{work}/page.html", "w", encoding="utf-8").write(text.replace("</body>", LOOK))
        open(f"{work}/host.html", "w", encoding="utf-8").write(HOST % width)
        command = [browser, *FLAGS, f"--user-data-dir={work}/user", "--dump-dom", f"file://{work}/host.html"]
        shown = subprocess.run(command, capture_output=True, text=True, timeout=100).stdout
    found = re.search("<title>([^<]*)", shown)
    return found.group(1) if found else "nothing"


for path in sys.argv[3:]:
    seen = look(sys.argv[1], sys.argv[2], path)
    if seen != "seen ":
        print(f"{os.path.basename(path)}: {seen}")
