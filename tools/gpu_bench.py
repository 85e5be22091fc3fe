#!/usr/bin/env python3
"""gpu_bench.py: gpuarr beside CuPy and PyTorch (whichever are installed), in one process, on the same memory, timed by CUDA events.

    tools/gpu_bench.py [--lib build/libgpuarr-cuda.so] [--sizes 10000 1000000 100000000] [--only add,sum] [--seconds 200]
    tools/gpu_bench.py --dry      no GPU: cudasim's library beside NumPy, small sizes; shows that every row computes what it should

A time is the median of several windows; a window holds so many calls that it lasts 1 ms or more, and goes round several sets of
arrays, so that small ones do not stay in the cache. Each row is checked before it is timed. `of copy`: bytes that must be moved per
second, as a share of what a device-to-device copy reaches at the largest size. `ratio`: the best peer's time over gpuarr's.
All work on the default stream, and are called from Python: below some 100 000 elements that is what is measured.
"""
import argparse
import ctypes as C
import functools
import math
import os
import sys
import time
from types import SimpleNamespace

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
# tests/oracle: the structs of gpuarr.h, and how its functions are called
from oracle.binding import Gpuarr
from oracle.dtypes import NUMBER_OF
from oracle.header import read_header
from oracle.signatures import OPTIONS
from oracle.structs import CUDA, Arg, Array, as_shape

# name: (bytes moved, in elements for each element; gpuarr's call; NumPy's and CuPy's; PyTorch's)
# Arrays of a set: x y z o, n elements; m om a matrix, turned its transpose; row; xs ys os every other element; mask where x < y; spots, a
# picture; square, of at most 2048 rows; points, as many and at most 4096 of 3 coordinates.
ROWS = {
    "add": (3, ("add", "x", "y", dict(out="o")), lambda m, a: m.add(a.x, a.y, out=a.o), lambda t, a: t.add(a.x, a.y, out=a.o)),
    "multiply_add": (4, ("multiply_add", "x", "y", "z", dict(out="o")),
                     lambda m, a: m.add(m.multiply(a.x, a.y, out=a.o), a.z, out=a.o), lambda t, a: t.addcmul(a.z, a.x, a.y, out=a.o)),
    "sin": (2, ("sin", "x", dict(out="o")), lambda m, a: m.sin(a.x, out=a.o), lambda t, a: t.sin(a.x, out=a.o)),
    "exp": (2, ("exp", "x", dict(out="o")), lambda m, a: m.exp(a.x, out=a.o), lambda t, a: t.exp(a.x, out=a.o)),
    "add strided": (1.5, ("add", "xs", "ys", dict(out="os")), lambda m, a: m.add(a.xs, a.ys, out=a.os), lambda t, a: t.add(a.xs, a.ys, out=a.os)),
    "add broadcast": (2, ("add", "m", "row", dict(out="om")), lambda m, a: m.add(a.m, a.row, out=a.om), lambda t, a: t.add(a.m, a.row, out=a.om)),
    "sum": (1, ("sum", "x"), lambda m, a: m.sum(a.x), lambda t, a: t.sum(a.x)),
    "sum axis 0": (1, ("sum", "m", dict(axis=0)), lambda m, a: m.sum(a.m, 0), lambda t, a: t.sum(a.m, 0)),
    "sum axis 1": (1, ("sum", "m", dict(axis=1)), lambda m, a: m.sum(a.m, 1), lambda t, a: t.sum(a.m, 1)),
    "mean": (1, ("mean", "x"), lambda m, a: m.mean(a.x), lambda t, a: t.mean(a.x)),
    "mean axis 0": (1, ("mean", "m", dict(axis=0)), lambda m, a: m.mean(a.m, 0), lambda t, a: t.mean(a.m, 0)),
    "mean axis 1": (1, ("mean", "m", dict(axis=1)), lambda m, a: m.mean(a.m, 1), lambda t, a: t.mean(a.m, 1)),
    "std": (1, ("std", "x"), lambda m, a: m.std(a.x), lambda t, a: t.std(a.x, correction=0)),
    "std axis 0": (1, ("std", "m", dict(axis=0)), lambda m, a: m.std(a.m, 0), lambda t, a: t.std(a.m, 0, correction=0)),
    "std axis 1": (1, ("std", "m", dict(axis=1)), lambda m, a: m.std(a.m, 1), lambda t, a: t.std(a.m, 1, correction=0)),
    "max": (1, ("max", "x"), lambda m, a: m.max(a.x), lambda t, a: t.amax(a.x)),
    "max axis 0": (1, ("max", "m", dict(axis=0)), lambda m, a: m.max(a.m, 0), lambda t, a: t.amax(a.m, 0)),
    "max axis 1": (1, ("max", "m", dict(axis=1)), lambda m, a: m.max(a.m, 1), lambda t, a: t.amax(a.m, 1)),
    "median": (1, ("median", "x"), lambda m, a: m.median(a.x), lambda t, a: t.median(a.x)),
    "sort": (2, ("sort", "x"), lambda m, a: m.sort(a.x), lambda t, a: t.sort(a.x)[0]),
    "compress": (1.5, ("extract", "mask", "x"), lambda m, a: a.x[a.mask], lambda t, a: t.masked_select(a.x, a.mask)),
    "where": (3.25, ("where", "mask", "x", "y", dict(out="o")), lambda m, a: m.where(a.mask, a.x, a.y), lambda t, a: t.where(a.mask, a.x, a.y)),
    "transposed copy": (2, ("copy", "turned"), lambda m, a: m.ascontiguousarray(a.turned), lambda t, a: a.turned.contiguous()),
    "cumsum": (2, ("cumsum", "x"), lambda m, a: m.cumsum(a.x), lambda t, a: t.cumsum(a.x, 0)),
    "argmax": (1, ("argmax", "x"), lambda m, a: m.argmax(a.x), lambda t, a: t.argmax(a.x)),
    "matmul": (1, ("matmul", "square", "square"), lambda m, a: m.matmul(a.square, a.square), lambda t, a: t.matmul(a.square, a.square)),
    "rfft": (2, ("rfft", "x"), lambda m, a: m.fft.rfft(a.x), lambda t, a: t.fft.rfft(a.x)),
    "cdist": (1, ("cdist", "points", "points"), None, lambda t, a: t.cdist(a.points, a.points, compute_mode="donot_use_mm_for_euclid_dist")),
    "gaussian_filter": (2, ("gaussian_filter", "m", 2.0), lambda m, a: a.ndimage.gaussian_filter(a.m, 2), None),
    "median_filter": (2, ("median_filter", "m", 3), lambda m, a: a.ndimage.median_filter(a.m, 3), None),
    "label": (1, ("label", "spots"), lambda m, a: a.ndimage.label(a.spots)[0], None),
}

# Formulas, for ga_eval: their text, their operands, and what CuPy fuses (PyTorch computes it call by call).
FORMULAS = {
    "line": ("x*y + 1", "xy", lambda m, x, y: x * y + 1),
    "plane": ("2*x + 3*y - 4*z + 5", "xyz", lambda m, x, y, z: 2 * x + 3 * y - 4 * z + 5),
    "length": ("sqrt(x*x + y*y + z*z)", "xyz", lambda m, x, y, z: m.sqrt(x * x + y * y + z * z)),
    "ratio": ("(x - y) / (2 + x*y)", "xy", lambda m, x, y: (x - y) / (2 + x * y)),
    "polynomial": ("((((((7*x+6)*x+5)*x+4)*x+3)*x+2)*x+1)*x+0.5", "x",
                   lambda m, x: ((((((7 * x + 6) * x + 5) * x + 4) * x + 3) * x + 2) * x + 1) * x + 0.5),
    "bell": ("exp(-(x-0.1)**2/0.04 - (y-0.2)**2/0.04)", "xy",
             lambda m, x, y: m.exp(-(x - 0.1) ** 2 / 0.04 - (y - 0.2) ** 2 / 0.04)),
    "choice": ("where(x > 0.1, sqrt(x + 1), y)", "xy", lambda m, x, y: m.where(x > 0.1, m.sqrt(x + 1), y)),
}


@functools.cache
def fused(m, name):
    """The formula as the module computes it best: with cupy.fuse in one kernel."""
    formula = FORMULAS[name][2]
    if not hasattr(m, "fuse"):
        return lambda *operands: formula(m, *operands)
    source = "lambda " + ", ".join(FORMULAS[name][1]) + ": formula(m, " + ", ".join(FORMULAS[name][1]) + ")"
    way = eval(source, dict(formula=formula, m=m))
    way.__name__ = name  # which is the kernel's, too
    return m.fuse()(way)


def formula_row(name):
    text, operands, _ = FORMULAS[name]
    way = lambda m, a: fused(m, name)(*(getattr(a, v) for v in operands))
    return len(operands) + 1, ("eval", text, operands, dict(out="o")), way, way


ROWS.update({"eval " + name: formula_row(name) for name in FORMULAS})


# Not bound by the memory: no share of the copy rate is aimed at.
BOUND_OTHERWISE = ("median", "sort", "compress", "label", "matmul", "rfft", "cdist", "median_filter")
OF_NDIMAGE = ("label", "gaussian_filter", "median_filter")
LOOSE = {"cumsum": 1e3, "matmul": 10, "rfft": 10, "cdist": 10}  # sums of many: as many times the tolerance


class Numpy:
    """A peer: how its arrays are made and looked at, how its work is timed. This one is for --dry."""
    name, module = "NumPy", np

    def array(self, host):
        return host.copy()

    def host(self, a):
        return np.asarray(a)

    def where(self, a):
        return a.ctypes.data, a.strides

    def seconds(self, work):
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    def ndimage(self):
        import scipy.ndimage
        return scipy.ndimage


class Cupy(Numpy):
    name = "CuPy"

    def __init__(self):
        import cupy
        self.module = cupy
        cupy.cuda.Device(0).use()

    def array(self, host):
        return self.module.asarray(host)

    def host(self, a):
        return self.module.asnumpy(a)

    def where(self, a):
        return a.data.ptr, a.strides

    def seconds(self, work):
        begin, end = self.module.cuda.Event(), self.module.cuda.Event()
        begin.record()
        work()
        end.record()
        end.synchronize()
        return self.module.cuda.get_elapsed_time(begin, end) * 1e-3

    def ndimage(self):
        import cupyx.scipy.ndimage
        return cupyx.scipy.ndimage

    def copy_rate(self, size):
        x = self.module.zeros(size, np.uint8)
        y = self.module.empty_like(x)
        return 2 * size / measure(self, [lambda: self.module.copyto(y, x)])


class Torch(Cupy):
    name = "PyTorch"

    def __init__(self):
        import torch
        if not torch.cuda.is_available():
            raise ImportError("torch has no GPU")
        self.module = torch

    def array(self, host):
        return self.module.from_numpy(host).cuda()

    def host(self, a):
        return a.cpu().numpy()

    def where(self, a):
        return a.data_ptr(), tuple(s * a.element_size() for s in a.stride())

    def seconds(self, work):
        begin, end = (self.module.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def copy_rate(self, size):
        x = self.module.zeros(size, dtype=self.module.uint8, device="cuda")
        y = self.module.empty_like(x)
        return 2 * size / measure(self, [lambda: y.copy_(x)])


def measure(clock, calls, windows=9):
    """Seconds for one call: the median over windows; the calls take turns."""
    def window(k):
        def work():
            for i in range(k):
                calls[i % len(calls)]()
        return clock.seconds(work)
    window(len(calls))
    k = len(calls)
    while (spent := window(k)) < 1e-3 and k < 1 << 14:
        k = min(1 << 14, 1 + int(k * max(2, 1.3e-3 / max(spent, 1e-6))))
    return sorted(window(k) / k for _ in range(windows if spent < 0.05 else 3))[1 if spent >= 0.05 else windows // 2]


def random_set(seed, n, dtype):
    """The arrays of a set, as NumPy has them."""
    g = np.random.default_rng(seed)
    x, y, z = (g.random(n, dtype) - dtype(0.5) for _ in range(3))
    return dict(x=x, y=y, z=z, o=np.zeros(n, dtype))


def views(peer, flat):
    """The arrays and views of a set, from the flat arrays of a peer."""
    n = len(flat["x"])
    columns = 1 << (n.bit_length() // 2)
    rows = n // columns
    a = SimpleNamespace(**flat, ndimage=None)
    a.m, a.om = (v[:rows * columns].reshape(rows, columns) for v in (a.x, a.o))
    a.row = a.y[:columns]
    a.xs, a.ys, a.os = a.x[::2], a.y[::2], a.o[:(n + 1) // 2]
    a.mask, a.spots, a.turned = a.x < a.y, a.m > 0.2, a.m.T
    side, places = min(2048, math.isqrt(n)), min(4096, math.isqrt(n) // 3)
    a.square, a.points = a.x[:side * side].reshape(side, side), a.y[:3 * places].reshape(places, 3)
    return a


class Ours:
    """gpuarr: arrays at the peers' addresses, and calls whose arguments are ready."""

    def __init__(self, path, dry):
        rows, _ = read_header(os.path.join(ROOT, "gpuarr.h"))
        self.ga, self.dry, self.wrapped = Gpuarr(os.path.abspath(path), rows), dry, []
        self.ga.use(CUDA)

    def wrap(self, peer, a):
        self.wrapped.append(self.ga.upload(a) if self.dry else self.on_gpu(peer, a))
        return self.wrapped[-1]

    def release(self):
        for p in self.wrapped:
            self.ga.free(p)
        self.wrapped = []
        self.ga.bring_back()

    def on_gpu(self, peer, a):
        address, strides = peer.where(a)
        name = str(a.dtype).split(".")[-1]
        o = OPTIONS["W"].defaults(self.ga.lib, b"bench\twrap()")
        o.device = CUDA
        p = self.ga.lib.ga_wrap_strided(address, NUMBER_OF[np.dtype(name)], as_shape(tuple(a.shape)), as_shape(strides), o)
        if not p:
            raise RuntimeError(self.ga.error())
        return p

    def formula(self, peer, arrays, text, names, named):
        """The same for ga_eval."""
        operands = (Arg * len(names))(*(Arg(self.wrap(peer, getattr(arrays, v))) for v in names))
        site = b"bench\tga_eval()"
        options = OPTIONS["ev"].defaults(self.ga.lib, site)
        options.names, options.out = ", ".join(names).encode(), self.wrap(peer, getattr(arrays, named["out"]))
        function = self.ga.lib.ga_eval_n
        function.restype, function.argtypes = C.c_void_p, [C.c_char_p, C.c_int, C.c_void_p, OPTIONS["ev"]]

        def run(keep=False):
            p = function(text.encode(), len(names), operands, options)
            if not p:
                raise RuntimeError(self.ga.error())
            return p
        return run, False

    def call(self, peer, arrays, name, *arguments):
        """A function without arguments that makes the call and returns the address of the array; and whether it is a new one."""
        if name == "eval":
            return self.formula(peer, arrays, *arguments)
        named = arguments[-1] if isinstance(arguments[-1], dict) else {}
        arguments = [a for a in arguments if not isinstance(a, dict)]
        result, _, *kinds = self.ga.signatures[name]
        wrap = lambda v: self.wrap(peer, getattr(arrays, v)) if isinstance(v, str) else v
        options = OPTIONS[kinds[-1]].defaults(self.ga.lib, b"bench\tcall()") if kinds[-1] in OPTIONS else b"bench\tcall()"
        if kinds[-1] in OPTIONS:
            for key, value in named.items():
                setattr(options, key, as_shape(value) if options.kinds[key] == "s" else wrap(value))
        values = [Arg(wrap(v)) if kind == "n" else wrap(v) for kind, v in zip(kinds, arguments)] + [options]
        function, new, free = getattr(self.ga.lib, "ga_" + name), "out" not in named, self.ga.free

        def run(keep=False):
            p = function(*values)
            if not p:
                raise RuntimeError(self.ga.error())
            if new and not keep:
                free(p)
            return p
        return run, new

    def result(self, run, new):
        p = run(keep=True)
        try:
            return self.ga.fetch(p)
        finally:
            if new:
                self.ga.free(p)


def same(name, ours, theirs, dtype):
    theirs = np.asarray(theirs)
    if ours.shape != theirs.shape:
        return False
    close = (3e-5 if dtype == np.float32 else 1e-11) * LOOSE.get(name, 1)
    most = max(1, float(np.abs(theirs).max())) if name in LOOSE else 1
    return np.allclose(ours.astype(np.complex128), theirs.astype(np.complex128), close, close * most)


def sky(size):
    """A noisy picture with stars."""
    g = np.random.default_rng(5)
    a = g.standard_normal((size, size), np.float32)
    for row, column, flux in zip(*g.integers(1, size - 1, (2, size * size // 400)), g.pareto(1.2, size * size // 400) * 10):
        a[row - 1:row + 2, column - 1:column + 2] += np.float32(flux)
    return a


def pipeline_ours(ours, peer, picture):
    """examples/astronomy.c: statistics, clipping, statistics, segmentation, labels, measurements. Returns the number of sources."""
    ga, lib, made = ours.ga, ours.ga.lib, []
    item, site = lib.ga_item, b"bench\tpipeline()"

    def call(name, *arguments):
        kinds = ga.signatures[name][2:]
        arguments = [Arg(a) if kind == "n" and isinstance(a, int) else Arg(None, 4, 0, a) if kind == "n" else a
                     for kind, a in zip(kinds, arguments)]
        p = getattr(lib, "ga_" + name)(*arguments, OPTIONS[kinds[-1]].defaults(lib, site) if kinds[-1] in OPTIONS else site)
        if not p:
            raise RuntimeError(ga.error())
        made.append(p)
        return p

    def describe(p):
        return [item(call(name, p), site) for name in ("mean", "median", "std", "min", "max")]
    describe(picture)
    _, median, std, _, _ = describe(call("sigma_clip", picture))
    labels = call("label", call("greater", picture, median + 5 * std))
    flux = call("sum_labels", picture, labels, None)
    call("center_of_mass", picture, labels, None)
    count = Array.from_address(flux).shape[0]
    for p in reversed(made):
        ga.free(p)
    return count


def pipeline_theirs(m, ndimage, a):
    def describe(v):
        return [float(f(v)) for f in (m.mean, m.median, m.std, m.min, m.max)]
    describe(a)
    kept = a.ravel()
    while True:
        center, std = m.median(kept), m.std(kept)
        inside = (kept > center - 3 * std) & (kept < center + 3 * std)
        if bool(inside.all()):
            break
        kept = kept[inside]
    _, median, std, _, _ = describe(kept)
    labels, count = ndimage.label(a > median + 5 * std)
    index = m.arange(1, int(count) + 1)
    ndimage.sum_labels(a, labels, index)
    ndimage.center_of_mass(a, labels, index)
    return int(count)


class Table:
    def __init__(self, peers, rate):
        self.peers, self.rate, self.passed, self.failed, self.skipped, self.slower, self.below = peers, rate, 0, 0, 0, 0, 0
        print(f"{'call':15} {'dtype':8} {'elements':>10} {'gpuarr us':>10}" + "".join(f"{p.name + ' us':>12}" for p in peers)
              + f" {'ratio':>7} {'GB/s':>7} {'of copy':>8}")

    def row(self, name, dtype, n, right, mine, theirs, moved):
        best = min((t for t in theirs if t), default=None)
        ratio = best / mine if best and self.rate else None
        rate = moved / mine if moved and self.rate else None
        share = rate / self.rate if rate and self.rate else None
        self.passed, self.failed = self.passed + right, self.failed + (not right)
        self.slower += ratio is not None and ratio < 1
        self.below += share is not None and n >= 10**8 and share < 0.9 and name not in BOUND_OTHERWISE
        print(f"{name:15} {dtype:8} {n:10} {mine * 1e6:10.1f}" + "".join(f"{t * 1e6:12.1f}" if t else f"{'-':>12}" for t in theirs)
              + (f" {ratio:6.2f}x" if ratio else f" {'-':>7}") + (f" {rate / 1e9:7.0f}" if rate else "")
              + (f" {100 * share:7.0f}%" if share else "") + ("" if right else "  FAIL: another result"), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lib")
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=200, help="what is left then is skipped")
    options = parser.parse_args()
    sizes = options.sizes or ([1000, 5001] if options.dry else [10**4, 10**6, 10**8])
    end = time.time() + options.seconds
    peers = []
    for kind in [Numpy] if options.dry else [Torch, Cupy]:
        try:
            peers.append(kind())
        except ImportError as e:
            print(f"SKIP {kind.name}: {e}")
    if not peers:
        print("SKIP neither CuPy nor PyTorch is installed\n0 passed, 0 failed, 1 skipped")
        return 0
    ours = Ours(options.lib or os.path.join(ROOT, "build", "libgpuarr-cudasim.so" if options.dry else "libgpuarr-cuda.so"), options.dry)
    clock = peers[0]
    rate = None if options.dry else clock.copy_rate(4 * max(sizes))
    print(", ".join(f"{p.name} {p.module.__version__}" for p in peers) + (f"; device copy {rate / 1e9:.0f} GB/s" if rate else ""))
    table = Table(peers, rate)
    names = [name for name in ROWS if not options.only or name.split()[0] in options.only.split(",")]
    for n in sizes:
        for dtype in (np.float32, np.float64):
            count = 1 if options.dry else max(1, min(8, (1 << 29) // (4 * n * dtype().itemsize)))
            hosts = [random_set(k, n, dtype) for k in range(count)]
            flats = [{p.name: {k: p.array(v) for k, v in host.items()} for p in peers} for host in hosts]
            if len(peers) == 2:  # one memory for both
                for flat in flats:
                    flat["CuPy"] = {k: peers[1].module.from_dlpack(v) for k, v in flat["PyTorch"].items()}
            sets = {p.name: [views(p, flat[p.name]) for flat in flats] for p in peers}
            for name in names:
                elements, call, numpy_way, torch_way = ROWS[name]
                if time.time() > end:
                    table.skipped += 1
                    continue
                calls = [ours.call(clock, a, *call) for a in sets[clock.name]]
                right, theirs = True, []
                got = ours.result(*calls[0]) if n <= 10**7 else None
                for p in peers:
                    way = torch_way if p.name == "PyTorch" else numpy_way
                    if way is None:
                        theirs.append(None)
                        continue
                    for a in sets[p.name]:
                        a.ndimage = p.ndimage() if name in OF_NDIMAGE else None
                    if got is not None and not (name == "median" and p.name == "PyTorch" and n % 2 == 0):
                        right &= same(name, got, p.host(way(p.module, sets[p.name][0])), dtype)
                    theirs.append(measure(p, [lambda a=a, p=p: way(p.module, a) for a in sets[p.name]]))
                mine = measure(clock, [run for run, _ in calls])
                table.row(name, dtype.__name__, n, right, mine, theirs, elements * n * dtype().itemsize)
            ours.release()
            del sets, flats, hosts
    p = peers[-1]
    if p.name != "PyTorch" and not options.only:
        size = 96 if options.dry else 4096
        picture = p.array(sky(size))
        mine = ours.wrap(p, picture)
        right = pipeline_ours(ours, p, mine) == pipeline_theirs(p.module, p.ndimage(), picture)
        theirs = measure(p, [lambda: pipeline_theirs(p.module, p.ndimage(), picture)], 3)
        table.row("pipeline", "float32", size * size, right, measure(clock, [lambda: pipeline_ours(ours, p, mine)], 3),
                  [None] * (len(peers) - 1) + [theirs], None)
        ours.release()
    if not options.dry:
        print(f"{table.slower} rows slower than the best peer, {table.below} elementwise rows and reductions of 10^8 elements below 90% of the copy rate")
    print(f"{table.passed} passed, {table.failed} failed, {table.skipped} skipped")
    return table.failed > 0


if __name__ == "__main__":
    sys.exit(main())
