#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The pages in a real browser: browser.py PROGRAM FOLDER

Opens them in headless Chromium at 400 and 1200 pixels, light and dark, by its driver on the
loopback. There must be no message on the console, nothing wider than the window, and no request to
anywhere. No label of a figure may leave its figure or touch another label. The folder keeps
screenshots for people to look at.
"""
import base64
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

from golden import Place, check, run_tap
from pages import everything, made, train

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"]
SHOTS = pathlib.Path(sys.argv[2])
MEASURE = """
const wide = [...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll') &&
  e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.tagName + ' ' + e.textContent.slice(0, 40));
const bad = [];
for (const svg of document.querySelectorAll('figure svg')) {
  const frame = svg.getBoundingClientRect();
  const labels = [...svg.querySelectorAll('text')].map(e => [e.textContent, e.getBoundingClientRect()]);
  labels.forEach(([text, box], i) => {
    if (box.left < frame.left - 0.5 || box.right > frame.right + 0.5 || box.top < frame.top - 0.5 ||
        box.bottom > frame.bottom + 0.5) bad.push('cut: ' + text + ' in ' + svg.getAttribute('aria-label'));
    for (const [other, o] of labels.slice(i + 1))
      if (Math.min(box.right, o.right) - Math.max(box.left, o.left) > 0.5 &&
          Math.min(box.bottom, o.bottom) - Math.max(box.top, o.top) > 2) bad.push(text + ' on ' + other);
  });
}
return {labels: document.querySelectorAll('figure svg text').length, bad: bad.slice(0, 8), page: document.documentElement.scrollWidth, window: innerWidth, wide: wide.slice(0, 5),
        height: document.documentElement.scrollHeight, asked: performance.getEntriesByType('resource').length,
        paper: getComputedStyle(document.body).backgroundColor};
"""


class Browser:
    """A session of chromedriver, with a profile of its own."""

    def __enter__(self):
        try:
            return self.start()
        except Exception:
            self.stop()
            raise

    def start(self):
        self.profile = tempfile.mkdtemp(prefix="tacit-browser-")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        port = None
        while port is None:
            line = self.driver.stdout.readline()
            check(line, "chromedriver did not start")
            port = re.search(r"started successfully on port (\d+)", line)
        self.base = f"http://127.0.0.1:{port[1]}"
        options = {"args": [*FLAGS, f"--user-data-dir={self.profile}"], "binary": shutil.which("chromium")}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.ask("/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{session['sessionId']}"
        return self

    def __exit__(self, *unused):
        try:
            self.ask("", method="DELETE")
        finally:
            self.stop()

    def stop(self):
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, path, body=None, method="POST"):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def devtools(self, command, **words):
        return self.ask("/goog/cdp/execute", {"cmd": command, "params": words})

    def look(self, path, width, scheme, shot):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                      mobile=False)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("/url", {"url": path.as_uri()})
        seen = self.ask("/execute/sync", {"script": MEASURE, "args": []})
        clip = {"x": 0, "y": 0, "width": width, "height": seen["height"], "scale": 1}
        image = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        shot.write_bytes(base64.b64decode(image["data"]))
        return seen, self.ask("/se/log", {"type": "browser"})


# Name, smallest and largest value, and what else the schema says: an ordinary table, skewed prices
# and dates, whose labels are long.
WIDE = [("age", 17, 90, {}), ("weight of the sample", 12285, 1484705, {}), ("gain", 0, 99999, {}),
        ("hours", 1, 99, {}), ("price", 1, 4.2e6, {"map": "log"}), ("share", 0, 0.00025, {}),
        ("balance", -2500000, 7500000, {}), ("salt", 1e-9, 3e-6, {}), ("year", 1998, 2004, {})]


def write_wide(place, name, classes, rows=3000):
    """A table of these columns and a date, with `classes` classes, and its schema."""
    draw = random.Random(classes)
    columns = [{"name": n, "type": "numeric", "min": low, "max": high, "curve": {"knots": 5}, **more}
               for n, low, high, more in WIDE]
    columns.append({"name": "admitted", "type": "date", "format": "%Y-%m-%d", "parts": ["days"], "min": "2019-01-01", "max": "2024-12-31"})
    labels = [f"class {i}" for i in range(classes)]
    schema = {"tacit_schema": 2, "label": {"column": "kind", "classes": labels}, "columns": columns}
    (place.work / f"{name}.schema").write_text(json.dumps(schema))
    lines = [",".join([c["name"] for c in columns] + ["kind"])]
    for _ in range(rows):
        share = draw.random()
        cells = [f"{low + (high - low) * (share if i % 2 else draw.random()):.10g}"
                 for i, (_, low, high, _) in enumerate(WIDE)]
        day = f"{2019 + int(6 * draw.random())}-{1 + int(12 * draw.random()):02d}-15"
        lines.append(",".join([*cells, day, labels[min(int(share * classes), classes - 1)]]))
    (place.work / f"{name}.csv").write_text("\n".join(lines) + "\n")
    train(place, f"{name}.json", (f"{name}.csv", "--schema", f"{name}.schema"), "--epsilon", 8)
    return made(place, "report", f"{name}.json")


def write_pages(place):
    """The pages to look at, by name."""
    pages = {"report": everything(place)}
    pages["wide"] = write_wide(place, "wide", 2)
    train(place, "same.json", ("wide.csv", "--schema", "wide.schema"), "--epsilon", 8, "--scale", "same")
    pages["same"] = made(place, "report", "same.json")
    schema = json.loads((place.work / "wide.schema").read_text())
    for column in schema["columns"]:
        column.pop("curve", None)
    (place.work / "lines.schema").write_text(json.dumps(schema))
    made(place, "infer", "wide.csv", "--schema", "lines.schema", "--epsilon", 200, "-o", "effects.json")
    pages["effects"] = made(place, "report", "effects.json")
    pages["five"] = write_wide(place, "five", 5)
    train(place, "classes.json", ("kinds.csv", "--schema", "kinds.json"), "--epsilon", 4)
    train(place, "seeded.json", ("rows.svm", "--features", 5), "--epsilon", 1, "--seed", 1)
    pages["several"] = made(place, "report", "m.json", "classes.json", "seeded.json", "--include-not-private")
    made(place, "plan", "--rows", 100000, "--features", 23, "--epsilon", 1, "--html", "plan.html")
    pages["plan"] = (place.work / "plan.html").read_text()
    made(place, "demo", "-q")
    pages["demo"] = (place.work / "demo-data" / "report.html").read_text()
    for name, text in pages.items():
        (SHOTS / f"{name}.html").write_text(text)
    return list(pages)


def opened(name, width, scheme):
    def scenario(place):
        seen, messages = BROWSER.look((SHOTS / f"{name}.html").resolve(), width, scheme,
                                      SHOTS / f"{name}-{width}-{scheme}.png")
        check(not messages, f"on the console: {messages}")
        check(seen["page"] <= seen["window"] and not seen["wide"], f"too wide: {seen}")
        check(seen["labels"] > 0 and not seen["bad"], f"labels: {seen['bad']}")
        check(seen["asked"] == 0, f"{seen['asked']} requests")
        dark = sum(map(int, re.findall(r"\d+", seen["paper"])[:3])) < 200
        check(dark == (scheme == "dark"), f"{scheme}: {seen['paper']}")
    return scenario


if __name__ == "__main__":
    SHOTS.mkdir(parents=True, exist_ok=True)
    with Place(sys.argv[1]) as first, Browser() as BROWSER:
        sys.exit(run_tap(sys.argv[1], [(f"{name} at {width} pixels, {scheme}", opened(name, width, scheme))
                                       for name in write_pages(first) for width in (400, 1200)
                                       for scheme in ("light", "dark")]))
