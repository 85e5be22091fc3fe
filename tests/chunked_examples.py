"""chunked_examples.py FOLDER: runs distance_matrix, monthly_mean and delayed, which are in FOLDER, and checks their numbers with NumPy
and SciPy, and that the graphs, reports and traces that they write can be read. Ends with 'N passed, N failed, N skipped'."""
import json
import os
import re
import subprocess
import sys
import xml.dom.minidom

import numpy as np
from scipy.spatial.distance import cdist

folder = sys.argv[1]
out = os.path.join(folder, "out")
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL", what)


def run(example, *options, **environment):
    """What it prints. Reports of its own, not those of whoever runs the tests."""
    surroundings = {k: v for k, v in os.environ.items() if k not in ("GA_REPORT", "GA_TRACE")}
    done = subprocess.run([os.path.join(folder, example), "--out", out, *options], capture_output=True, text=True,
                          env={**surroundings, **environment})
    check(done.returncode == 0 and not done.stderr, f"{example} ends with {done.returncode}: {done.stderr}\n{done.stdout}")
    return done.stdout


def numbers(pattern, text):
    found = re.search(pattern, text)
    check(found, f"no line '{pattern}' in:\n{text}")
    return [float(v) for v in found.groups()] if found else [np.nan] * re.compile(pattern).groups


def close(got, want, what, tolerance=1e-9):
    check(np.allclose(got, want, rtol=tolerance, atol=0), f"{what}: {got}, not {want}")


def drawn(*names):
    for name in names:
        path = os.path.join(out, name)
        check(os.path.exists(path) and xml.dom.minidom.parse(path).getElementsByTagName("svg"), f"{name} is no SVG")


def reported(example, *calls):
    """The report names these calls. Returns how often each name is in the trace."""
    page = open(os.path.join(out, f"{example}_report.html")).read()
    for call in calls:
        check(call in page, f"{call} is not in the report of {example}")
    count = {}
    for event in json.load(open(os.path.join(out, f"{example}_trace.json")))["traceEvents"]:
        if event["ph"] == "X":
            count[event["name"]] = count.get(event["name"], 0) + 1
    return count


def distance_matrix():
    n, features = 2345, 7
    text = run("distance_matrix", "--points", str(n), "--features", str(features))
    x, y = ((np.arange(n * features) * factor % 10007 / 1000).reshape(n, features) for factor in (7919, 104729))
    d = cdist(x, y, "cityblock")
    for way in ("lazy", "delayed"):
        got = numbers(rf"(?m)^{way} +mean (\S+), smallest (\S+), largest (\S+)  ", text)
        close(got, [d.mean(), d.min(), d.max()], f"distances, {way}")
    check("the same: yes" in text, "the two ways differ")
    drawn("distance_matrix_lazy.svg", "distance_matrix_delayed.svg")
    count = reported("distance_matrix", "ga_cdist", "block_distances")
    check(count.get("block_distances") == 9 and count.get("all_together") == 1, f"tasks in the trace: {count}")


def monthly_mean():
    text = run("monthly_mean")
    mean, largest = numbers(r"mean of the month (\S+) K, largest anomaly (\S+) K", text)
    size, peak, limit = numbers(r"(\S+) MiB in files, .* at most (\S+) MiB of memory \(limit (\S+) MiB\)", text)
    days = np.stack([np.load(os.path.join(out, f"monthly_mean_day{k:02}.npy")) for k in range(1, 32)])
    by_numpy = days.mean(axis=0, dtype=np.float64).astype(np.float32)
    stored, anomaly = (np.load(os.path.join(out, f"monthly_mean{name}.npy")) for name in ("", "_anomaly"))
    close(stored, by_numpy, "the mean of the month", 2e-7)
    check(np.array_equal(anomaly, days - stored), "the anomalies")
    close([mean, largest], [stored.mean(dtype=np.float64), np.abs(anomaly).max()], "printed", 1e-4)
    close(size, days.nbytes / 2**20, "size", 1e-2)
    check(peak <= limit < size, f"{peak} MiB of {limit}, for {size}")
    drawn("monthly_mean.svg")
    count = reported("monthly_mean", "ga_stack_n", "ga_subtract", "ga_store")
    check(count.get("ga_open", 0) >= 31, f"the trace: {count}")


def delayed():
    text = run("delayed", "--nap", "0.05", "--steps", "3000")
    check(re.search(r"add\(inc\(1\), inc\(2\)\) += +5 ", text), "inc and add:\n" + text)
    total, naps = numbers(r"inc\(1\) \.\.\. inc\(8\) += +(\d+) +(\S+) naps of 15", text)
    check(total == 44 and 4 <= naps < 14, f"the tree: {total}, {naps} naps of 15")
    longest = 0
    for n in range(1, 24001):
        steps = 0
        while n > 1:
            n, steps = 3 * n + 1 if n % 2 else n // 2, steps + 1
        longest = max(longest, steps)
    check(numbers(r"up to 24000: (\d+), (\d+), (\d+) steps", text) == [longest] * 3, f"longest walk is {longest}:\n{text}")
    drawn("delayed_chain.svg", "delayed_tree.svg", "delayed_busy.svg")
    count = reported("delayed", "inc", "add", "walk")
    check([count.get(name) for name in ("inc", "add", "walk", "most")] == [10, 8, 8, 1], f"tasks in the trace: {count}")


os.makedirs(out, exist_ok=True)
for example in (distance_matrix, monthly_mean, delayed):
    example()
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
