"""bench.py PROGRAM [N] -- runs the C benchmark and the same calls in NumPy, alternating, and prints both times and the ratio."""
import subprocess
import sys
import time

import numpy as np

program, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000


def median_ms(f, seconds=0.4):
    f()
    times = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1e3


ours = {}
for line in subprocess.run([program, str(n)], capture_output=True, text=True, check=True).stdout.splitlines():
    name, dtype, ms = line.split()
    ours[name, dtype] = float(ms)

print(f"n = {n}, NumPy {np.__version__}; milliseconds, medians in one run")
print(f"{'call':14} {'dtype':8} {'gpuarr':>9} {'NumPy':>9} {'ratio':>7}")
random = np.random.default_rng(1)
for dtype in ("float32", "float64"):
    x, y = random.random(n).astype(dtype), random.random(n).astype(dtype)
    out, mask = np.empty_like(x), x < y
    calls = {
        "add": lambda: np.add(x, y, out=out), "add_new": lambda: x + y, "multiply_add": lambda: x * y + x,
        "divide": lambda: np.divide(x, y, out=out), "sqrt": lambda: np.sqrt(x, out=out), "exp": lambda: np.exp(x, out=out),
        "log": lambda: np.log(x, out=out), "sin": lambda: np.sin(x, out=out), "tanh": lambda: np.tanh(x, out=out),
        "power": lambda: np.power(x, y, out=out), "less": lambda: np.less(x, y, out=mask), "where": lambda: np.where(mask, x, y),
        "extract": lambda: x[mask], "sum": lambda: x.sum(), "std": lambda: x.std(), "max": lambda: x.max(),
        "median": lambda: np.median(x), "sort": lambda: np.sort(x),
    }
    for name, call in calls.items():
        theirs = median_ms(call)
        print(f"{name:14} {dtype:8} {ours[name, dtype]:9.3f} {theirs:9.3f} {theirs / ours[name, dtype]:6.1f}x")
