#!/usr/bin/env python3
"""Every function that NumPy or SciPy have under the same name, timed beside theirs: which ones are slower here?

    build/venv/bin/python tools/bench_all.py --lib build/libgpuarr.so [--only sum,sort] [--dtypes f4,f8] [--sizes 1000,100000] [--worst 30]

Each call is made ready once, as tests/oracle calls it, and repeated; the least time counts, less what ctypes takes for a call with these
arguments; a pair that is slower here is timed five times, and its median counts. Results are new arrays on both sides, but elementwise
ones are written to an array that is there (np.real of real numbers, which is its argument, is copied there). NumPy runs as it is
installed, gpuarr with GPUARR_NUM_THREADS. Printed are the ratios NumPy / gpuarr, the worst first; nothing is compared but the time.
"""
import argparse
import ctypes as C
import os
import pathlib
import sys
import time
import warnings

import numpy as np
from scipy import integrate, linalg, ndimage, signal
from scipy.spatial import distance

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))
from oracle.binding import Gpuarr  # noqa: E402
from oracle.header import read_header  # noqa: E402
from oracle.structs import ptr  # noqa: E402

random = np.random.default_rng(20261125)


class Ready(Exception):
    """A call that was made ready; its frames keep the arguments alive."""


class Calls(Gpuarr):
    """ga.sum(a, axis=0) is a call that can be repeated: (function, arguments)."""

    def caller(self, name, function, result, arguments):
        def ready(*values):
            raise Ready(function, values)
        ready.argtypes = function.argtypes
        call = super().caller(name, ready, result, arguments)

        def make(*given, **named):
            free, self.free = self.free, lambda array: None
            try:
                call(*given, **named)
            except Ready as e:
                return e
            finally:
                self.free = free
        return make


def least(run, budget):
    """The least seconds of one call; run(k) takes the time of k calls."""
    once = min(run(1), run(1))
    calls, best, end = max(1, min(1000, int(2e-4 / max(once, 1e-9)))), once, time.perf_counter() + budget
    while True:
        best = min(best, run(calls) / calls)
        if time.perf_counter() > end:
            return best


def of_python(f):
    def run(calls):
        start = time.perf_counter()
        for _ in range(calls):
            f()
        return time.perf_counter() - start
    return run


def of_gpuarr(ga, function, values, frees):
    free = ga.free

    def run(calls):
        start = time.perf_counter()
        for _ in range(calls):
            p = function(*values)
            if frees:
                free(p)
        return time.perf_counter() - start
    return run


class Timer:
    def __init__(self, ga, budget):
        self.ga, self.budget, self.found, self.overheads = ga, budget, [], {}
        self.nothing = C.cast(ga.lib.ga_ignore_error, ptr).value  # does nothing with any arguments

    def overhead(self, function, values):
        key = tuple(function.argtypes)
        if key not in self.overheads:
            same = C.CFUNCTYPE(function.restype, *function.argtypes)(self.nothing)
            self.overheads[key] = least(of_python(lambda: same(*values)), 0.005) + (function.restype is ptr) * 2e-7
        return self.overheads[key]

    def time(self, what, theirs, name, *given, written=False, **named):
        """written: the call returns an array that it was given."""
        try:
            theirs()
            ready = getattr(self.ga, name)(*given, **named)
            function, values = ready.args
            p = function(*values)
        except Exception as e:
            return print(f"not timed: {what}: {type(e).__name__}: {e}", file=sys.stderr)
        if self.ga.lib.ga_error():
            return print(f"not timed: {what}: {self.ga.error()}", file=sys.stderr)
        frees = function.restype is ptr and "out" not in named and not written
        if frees:
            self.ga.free(p)

        def pair():
            ours = least(of_gpuarr(self.ga, function, values, frees), self.budget)
            ours = max(ours - self.overhead(function, values), 2e-8)
            other = least(of_python(theirs), self.budget)
            return other / ours, what, ours, other
        found = pair()
        if found[0] < 1:  # four pairs more, and the median of the five
            found = sorted([found] + [pair() for _ in range(4)])[2]
        self.found.append(found)


def numbers(n, dtype, shape=None):
    """Numbers of which sums, powers and quotients are in range, none of them 0."""
    a = random.uniform(0.05, 0.95, n) if np.dtype(dtype).kind == "f" else random.integers(1, 100, n)
    return a.astype(dtype).reshape(shape or (n,))


def layouts(n, dtype):
    """name, an array of n elements"""
    yield "", numbers(n, dtype)
    yield "[::2]", numbers(2 * n, dtype)[::2]
    side = int(n**0.5)
    yield ".T", numbers(side * side, dtype, (side, side)).T


def rows(t, table, n, dtype, wanted):
    for row in table.values():
        if not wanted(row.name) or not hasattr(np, row.name):
            continue
        f = getattr(np, row.name)
        if row.family == "FOLD":
            continue
        for layout, x in layouts(n, dtype):
            y = x[::-1] if row.name not in ("left_shift", "right_shift", "ldexp") else np.minimum(x[::-1], 7)
            operands = {"TERNARY": [(x, 0.2, 0.8) if x.dtype.kind == "f" else (x, 20, 80)], "BINARY": [(x, y.copy(order="K")), (x, 3)],
                        "ELEMENTARY2": [(x, y.copy(order="K")), (x, 3)]}.get(row.family, [(x + 1 if row.name == "arccosh" else x,)])
            for given in operands:
                try:
                    made = np.asarray(f(*given))
                    o = np.empty(made.shape, made.dtype)
                    theirs = (lambda: f(*given, out=o)) if isinstance(f, np.ufunc) or row.name == "clip" else (lambda: f(*given))
                except TypeError:
                    continue
                if row.name == "real":
                    theirs = lambda: np.copyto(o, np.real(x))
                number = ", number" if len(given) > 1 and not isinstance(given[1], np.ndarray) else ""
                t.time(f"{row.name} x{layout}{number} {x.dtype} {n}", theirs, row.name, *given, out=o)


def axes(n, dtype):
    side = int(n**0.5)
    yield "", numbers(n, dtype), {}
    square = numbers(side * side, dtype, (side, side))
    yield ", axis 0", square, {"axis": 0}
    yield ", axis 1", square, {"axis": 1}
    yield ", axis 1 of .T", square.T, {"axis": 1}
    short = numbers(n // 8 * 8, dtype, (n // 8, 8))
    yield ", axis 1 of 8", short, {"axis": 1}
    yield ", axis 0 of 8", short.reshape(8, -1), {"axis": 0}
    yield ", x[::2]", numbers(2 * n, dtype)[::2], {}


AXES = """sum prod mean min max any all count_nonzero nansum nanprod nanmin nanmax nanmean var std nanvar nanstd ptp median nanmedian argmin argmax
    nanargmin nanargmax cumsum cumprod nancumsum sort argsort average diff gradient trapezoid flip""".split()


def along_axes(t, n, dtype, wanted):
    for name in AXES:
        if wanted(name):
            f = getattr(np, name)
            for what, x, axis in axes(n, dtype):
                if not axis and name in ("sort", "argsort"):
                    axis = {"axis": -1}
                if x.ndim == 1 and name in ("average", "flip", "gradient", "trapezoid", "diff"):
                    axis = {}
                t.time(f"{name}{what} {x.dtype} {n}", lambda: f(x, **axis), name, x, **axis)
    if wanted("percentile") and n < 10**6:
        for what, x, axis in axes(n, dtype):
            t.time(f"percentile{what} {x.dtype} {n}", lambda: np.percentile(x, 30, **axis), "percentile", x, 30, **axis)


def shapes(t, n, dtype, wanted):
    side = int(n**0.5)
    x, square = numbers(n, dtype), numbers(side * side, dtype, (side, side))
    y, other = numbers(n, dtype), numbers(side * side, dtype, (side, side))
    mask, places = x > x.mean(), random.integers(0, n, n)
    edges = np.linspace(0, 1, 100) if x.dtype.kind == "f" else np.arange(0, 100)
    edges = edges.astype(dtype)
    few = np.unique(numbers(max(n // 10, 1), dtype))
    listed = [
        ("copy", np.copy, (x,), {}), ("copy .T", np.copy, (square.T,), {"order": "C"}), 
        ("astype", lambda: x.astype(np.float64), (x, np.float64), None), ("astype to f4", lambda: x.astype(np.float32), (x, np.float32), None),
        ("astype to i4", lambda: x.astype(np.int32), (x, np.int32), None), ("astype to u1", lambda: x.astype(np.uint8), (x, np.uint8), None),
        ("where", lambda: np.where(mask, x, y), (mask, x, y), None), ("where number", lambda: np.where(mask, 1, 0), (mask, 1, 0), None),
        ("where x 0", lambda: np.where(mask, x, 0), (mask, x, 0), None),
        ("compress", lambda: np.compress(mask, x), (mask, x), None), ("extract", lambda: np.extract(mask, x), (mask, x), None),
        ("take", lambda: np.take(x, places), (x, places), None), ("nonzero", lambda: np.nonzero(mask), (mask,), None),
        ("flatnonzero", lambda: np.flatnonzero(mask), (mask,), None), ("argwhere", lambda: np.argwhere(mask), (mask,), None),
        ("tile", lambda: np.tile(x, 3), (x, (3,)), None), ("repeat", lambda: np.repeat(x, 3), (x, 3), None),
        ("roll", lambda: np.roll(x, 7), (x, 7), None), ("roll axis 1", lambda: np.roll(square, 7, axis=1), (square, 7), {"axis": 1}),
        ("pad", lambda: np.pad(square, 3), (square, (3, 3)), None), ("pad 1d", lambda: np.pad(x, 3), (x, (3,)), None),
        ("concatenate_n", lambda: np.concatenate([x, y]), ([x, y],), None),
        ("concatenate_n axis 1", lambda: np.concatenate([square, other], axis=1), ([square, other],), {"axis": 1}),
        ("stack_n", lambda: np.stack([x, y]), ([x, y],), None), ("stack_n axis 1", lambda: np.stack([x, y], axis=1), ([x, y],), {"axis": 1}),
        ("hstack_n", lambda: np.hstack([square, other]), ([square, other],), None), ("vstack_n", lambda: np.vstack([x, y]), ([x, y],), None),
        ("unique", lambda: np.unique(x), (x,), None), ("histogram", lambda: np.histogram(x, 64, (0, 100))[0], (x, 64), {"low": 0., "high": 100.}),
        ("searchsorted", lambda: np.searchsorted(edges, x), (edges, x), None), ("searchsorted many", lambda: np.searchsorted(few, x), (few, x), None),
        ("digitize", lambda: np.digitize(x, edges), (x, edges), None), ("isin", lambda: np.isin(x, few), (x, few), None),
        ("intersect1d", lambda: np.intersect1d(x, y), (x, y), None), ("union1d", lambda: np.union1d(x, y), (x, y), None),
        ("append", lambda: np.append(x, y), (x, y), None), ("delete", lambda: np.delete(x, [3, 5]), (x, np.array([3, 5])), None),
        ("insert", lambda: np.insert(x, 3, 5), (x, 3, 5), None), ("resize", lambda: np.resize(x, n + 7), (x, (n + 7,)), None),
        ("tril", lambda: np.tril(square), (square,), None), ("triu", lambda: np.triu(square), (square,), None),
        ("diag", lambda: np.diag(x[:side]), (x[:side],), None), ("trace", lambda: np.trace(square), (square,), None),
        ("rot90", lambda: np.rot90(square), (square, 1), None), ("round", lambda: np.round(x, 2), (x,), {"decimals": 2}),
        ("ediff1d", lambda: np.ediff1d(x), (x,), None), ("nan_to_num", lambda: np.nan_to_num(x), (x,), None),
        ("partition", lambda: np.partition(x, n // 2), (x, n // 2), None), ("argpartition", lambda: np.argpartition(x, n // 2), (x, n // 2), None),
        ("array_equal", lambda: np.array_equal(x, x), (x, x), None), ("allclose", lambda: np.allclose(x, x), (x, x), None),
        ("isclose", lambda: np.isclose(x, y), (x, y), None), ("take_along_axis", lambda: np.take_along_axis(x, places, 0), (x, places), {"axis": 0}),
        ("zeros_like", lambda: np.zeros_like(x), (x,), None), ("ones_like", lambda: np.ones_like(x), (x,), None),
        ("full_like", lambda: np.full_like(x, 3), (x, 3), None), ("packbits", lambda: np.packbits(mask), (mask,), None),
        ("vander", lambda: np.vander(x[:n // 8], 8), (x[:n // 8],), {"n": 8}),
        ("polyval", lambda: np.polyval([1., 2., 3.], x), (np.array([1., 2., 3.]), x), None),
        ("outer", lambda: np.outer(x[:side], y[:side]), (x[:side], y[:side]), None),
        ("dot", lambda: np.dot(x, y), (x, y), None), ("vdot", lambda: np.vdot(x, y), (x, y), None), ("inner", lambda: np.inner(x, y), (x, y), None),
        ("matmul vector", lambda: square @ x[:side], (square, x[:side]), None), ("matmul row", lambda: x[:side] @ square, (x[:side], square), None),
        ("kron", lambda: np.kron(x[:side], y[:side]), (x[:side], y[:side]), None), ("cross", lambda: np.cross(x[:n // 3 * 3].reshape(-1, 3), y[:n // 3 * 3].reshape(-1, 3)), (x[:n // 3 * 3].reshape(-1, 3), y[:n // 3 * 3].reshape(-1, 3)), None),
        ("matmul many 4x4", lambda: x[:n // 16 * 16].reshape(-1, 4, 4) @ y[:n // 16 * 16].reshape(-1, 4, 4), (x[:n // 16 * 16].reshape(-1, 4, 4), y[:n // 16 * 16].reshape(-1, 4, 4)), None),
        ("convolve 9", lambda: np.convolve(x, y[:9]), (x, y[:9]), None), ("correlate 9", lambda: np.correlate(x, y[:9], "valid"), (x, y[:9]), None),
    ]
    if x.dtype.kind == "i" or x.dtype.kind == "u":
        listed.append(("bincount", lambda: np.bincount(x), (x,), None))
    if x.dtype.kind == "f":
        listed += [
            ("interp", lambda: np.interp(x, few, few), (x, few, few), None), ("i0", lambda: np.i0(x), (x,), None),
            ("unwrap", lambda: np.unwrap(x), (x,), None), ("cov", lambda: np.cov(x[:n // 10 * 10].reshape(10, -1)), (x[:n // 10 * 10].reshape(10, -1),), None),
            ("corrcoef", lambda: np.corrcoef(x[:n // 10 * 10].reshape(10, -1)), (x[:n // 10 * 10].reshape(10, -1),), None),
            ("vector_norm", lambda: np.linalg.vector_norm(x), (x,), None), ("vector_norm axis 1", lambda: np.linalg.vector_norm(square, axis=1), (square,), {"axis": 1}),
            ("angle", lambda: np.angle(x), (x,), None), ("float_power", lambda: np.float_power(x, 1.5), (x, 1.5), None),
            ("fft", lambda: np.fft.fft(x), (x,), None), ("rfft", lambda: np.fft.rfft(x), (x,), None), ("fft2", lambda: np.fft.fft2(square), (square,), None),
            ("lfilter", lambda: signal.lfilter([.1, .2, .1], [1, -.5, .2], x), (np.array([.1, .2, .1]), np.array([1, -.5, .2]), x), None),
            ("lfilter axis 0", lambda: signal.lfilter([.1, .2, .1], [1, -.5, .2], square, axis=0), (np.array([.1, .2, .1]), np.array([1, -.5, .2]), square), {"axis": 0}),
            ("savgol_filter", lambda: signal.savgol_filter(x, 9, 3), (x, 9, 3), None), ("detrend", lambda: signal.detrend(x), (x,), None),
            ("hilbert", lambda: signal.hilbert(x), (x,), None), ("welch", lambda: signal.welch(x), (x,), None), ("find_peaks", lambda: signal.find_peaks(x), (x,), None),
            ("fftconvolve", lambda: signal.fftconvolve(x, y), (x, y), None),
            ("cumulative_trapezoid", lambda: integrate.cumulative_trapezoid(x), (x,), None),
        ]
        if side <= 500:
            listed += [("solve", lambda: np.linalg.solve(square, x[:side]), (square, x[:side]), None), ("inv", lambda: np.linalg.inv(square), (square,), None),
                       ("det", lambda: np.linalg.det(square), (square,), None), ("matmul", lambda: square @ other, (square, other), None)]
        if side <= 100:
            listed += [("eigvalsh", lambda: np.linalg.eigvalsh(square), (square,), None), ("svdvals", lambda: linalg.svdvals(square), (square,), None),
                       ("eigvals", lambda: np.linalg.eigvals(square), (square,), None), ("pinv", lambda: np.linalg.pinv(square), (square,), None),
                       ("expm", lambda: linalg.expm(square), (square,), None)]
        points = x[:min(n, 3000) // 3 * 3].reshape(-1, 3)
        listed += [("cdist", lambda: distance.cdist(points, points), (points, points), None), ("pdist", lambda: distance.pdist(points), (points,), None)]
    if n <= 10**6:
        weights = numbers(9, dtype, (3, 3))
        listed += [("median_filter", lambda: ndimage.median_filter(square, 3), (square, 3), None), ("median_filter 5", lambda: ndimage.median_filter(square, 5), (square, 5), None),
                   ("uniform_filter", lambda: ndimage.uniform_filter(square, 5), (square, 5), None), ("minimum_filter", lambda: ndimage.minimum_filter(square, 5), (square, 5), None),
                   ("percentile_filter", lambda: ndimage.percentile_filter(square, 20, 3), (square, 20., 3), None),
                   ("gaussian_filter", lambda: ndimage.gaussian_filter(square, 2), (square, 2.), None), ("sobel", lambda: ndimage.sobel(square), (square,), None),
                   ("laplace", lambda: ndimage.laplace(square), (square,), None), ("prewitt", lambda: ndimage.prewitt(square), (square,), None),
                   ("ndconvolve", lambda: ndimage.convolve(square, weights), (square, weights), None),
                   ("convolve2d", lambda: signal.convolve2d(square, weights), (square, weights), None),
                   ("grey_erosion", lambda: ndimage.grey_erosion(square, 3), (square, 3), None), ("grey_opening", lambda: ndimage.grey_opening(square, 3), (square, 3), None),
                   ("binary_erosion", lambda: ndimage.binary_erosion(square > 0.3), (square > 0.3,), None), ("binary_dilation", lambda: ndimage.binary_dilation(square > 0.6), (square > 0.6,), None),
                   ("binary_fill_holes", lambda: ndimage.binary_fill_holes(square > 0.6), (square > 0.6,), None),
                   ("distance_transform_edt", lambda: ndimage.distance_transform_edt(square > 0.1), (square > 0.1,), None),
                   ("label", lambda: ndimage.label(square > 0.6), (square > 0.6,), None), ("rotate", lambda: ndimage.rotate(square, 30), (square, 30.), None), ("shift", lambda: ndimage.shift(square, 1.5), (square, 1.5), None),
                   ("medfilt", lambda: signal.medfilt(x, 5), (x, (5,)), None)]
    for what, theirs, given, named in listed:
        name = what.split(" ")[0]
        if not wanted(name.removesuffix("_n")) or given is None or theirs is None:
            continue
        if named == {}:
            theirs = lambda f=theirs: f(*given)
        if name == "copy":
            theirs = (lambda: np.array(given[0], order="C"))
            named = {}
        t.time(f"{what} {x.dtype} {n}", theirs, name, *given, **(named or {}))


def more(t, n, dtype, wanted):
    """What no other part has. Written into: an array that is there, by put, place ..."""
    side = int(n ** 0.5)
    x, y = (numbers(n, dtype), numbers(n, dtype))
    square = numbers(side * side, dtype, (side, side))
    other = numbers(side * side, dtype, (side, side))
    mask, places = (x > x.mean(), random.integers(0, n, n))
    labels = random.integers(0, 50, (side, side)).astype(np.int32)
    index = np.arange(1, 50, dtype=np.int32)
    small = random.integers(0, 3, n)
    z = x.copy()
    listed = [
        ("zeros", lambda: np.zeros(n, dtype), ((n,),), {"dtype": dtype}),
        ("full", lambda: np.full(n, 3, dtype), ((n,), 3), {"dtype": dtype}),
        ("arange", lambda: np.arange(0, n, 1, dtype=dtype), (0, n, 1), {"dtype": dtype}),
        ("eye", lambda: np.eye(side, dtype=dtype), (side, side, 0), {"dtype": dtype}),
        ("tri", lambda: np.tri(side, dtype=dtype), (side, side, 0), {"dtype": dtype}),
        ("diagflat", lambda: np.diagflat(x[:side]), (x[:side],), {}),
        ("tril_indices", lambda: np.tril_indices(side), (side,), {}),
        ("indices", lambda: np.indices((side, side)), ((side, side),), {}),
        ("select_n", lambda: np.select([mask, ~mask], [x, y], 0), ([mask, ~mask], [x, y], 0), {}),
        ("choose_n", lambda: np.choose(small, [x, y, z]), (small, [x, y, z]), {}),
        ("put", lambda: np.put(z, places, y), (z, places, y), {"written": True}),
        ("put_along_axis", lambda: np.put_along_axis(z, places, y, 0), (z, places, y), {"axis": 0, "written": True}),
        ("place", lambda: np.place(z, mask, y), (z, mask, y), {"written": True}),
        ("copyto", lambda: np.copyto(z, x), (z, x), {"written": True}),
        ("copyto where", lambda: np.copyto(z, x, where=mask), (z, x), {"where": mask, "written": True}),
        ("fill_diagonal", lambda: np.fill_diagonal(square, 3), (square, 3), {"written": True}),
        ("unpackbits", lambda: np.unpackbits(x.view(np.uint8)), (x.view(np.uint8),), {}),
        ("dstack_n", lambda: np.dstack([square, other]), ([square, other],), {}),
        ("column_stack_n", lambda: np.column_stack([x, y]), ([x, y],), {}),
        ("setdiff1d", lambda: np.setdiff1d(x, y), (x, y), {}),
        ("setxor1d", lambda: np.setxor1d(x, y), (x, y), {}),
        ("unique_values", lambda: np.unique_values(x), (x,), {}),
        ("lexsort_n", lambda: np.lexsort([x, y]), ([x, y],), {}),
        ("ravel_multi_index", lambda: np.ravel_multi_index((places % side, places % side), (side, side)), (np.stack([places % side, places % side]), (side, side)), {}),
        ("unravel_index", lambda: np.unravel_index(places % (side * side), (side, side)), (places % (side * side), (side, side)), {}),
        ("tensordot", lambda: np.tensordot(square, x[:side], 1), (square, x[:side], 1), {}),
        ("einsum_n", lambda: np.einsum("ij,j->i", square, x[:side]), ("ij,j->i", [square, x[:side]]), {}),
        ("einsum_n ii", lambda: np.einsum("ij,ij->i", square, other), ("ij,ij->i", [square, other]), {}),
        ("fftshift", lambda: np.fft.fftshift(square), (square,), {}),
        ("vecdot", lambda: np.vecdot(square, other), (square, other), {}),
        ("matmul 8", lambda: x[:n // 64 * 64].reshape(-1, 8, 8) @ y[:n // 64 * 64].reshape(-1, 8, 8), (x[:n // 64 * 64].reshape(-1, 8, 8), y[:n // 64 * 64].reshape(-1, 8, 8)), {}),
        ("matmul .T", lambda: square.T @ x[:side], (square.T, x[:side]), {}),
        ("sum_labels", lambda: ndimage.sum_labels(square, labels, index), (square, labels, index), {}),
        ("mean_labels", lambda: ndimage.mean(square, labels, index), (square, labels, index), {}),
        ("min_labels", lambda: ndimage.minimum(square, labels, index), (square, labels, index), {}),
        ("variance", lambda: ndimage.variance(square, labels, index), (square, labels, index), {}),
        ("center_of_mass", lambda: ndimage.center_of_mass(square, labels, index), (square, labels, index), {}),
        ("maximum_position", lambda: ndimage.maximum_position(square, labels, index), (square, labels, index), {}),
        ("find_objects", lambda: ndimage.find_objects(labels), (labels, 0), {}),
        ("histogram_bin_edges", lambda: np.histogram_bin_edges(x, 64), (x, 64), {}),
        ("index_take_n", lambda: x[places], (x, [places]), {}),
        ("index_put_n", lambda: z.__setitem__(places, y), (z, [places], y), {"written": True}),
        ("add_at_n", lambda: np.add.at(z, places, y), (z, [places], y), {"written": True}),
        ("trim_zeros", lambda: np.trim_zeros(x), (x,), {}),
        ("cumulative_sum", lambda: np.cumulative_sum(x), (x,), {}),
        ("cumulative_sum axis 0", lambda: np.cumulative_sum(square, axis=0), (square,), {"axis": 0}),
        ("cumprod axis 1", lambda: np.cumprod(square, axis=1), (square,), {"axis": 1}),
        ("take axis 0", lambda: np.take(square, places[:side] % side, axis=0), (square, places[:side] % side), {"axis": 0}),
        ("take axis 1", lambda: np.take(square, places[:side] % side, axis=1), (square, places[:side] % side), {"axis": 1}),
        ("repeat axis 0", lambda: np.repeat(square, 3, axis=0), (square, 3), {"axis": 0}),
        ("repeat axis 1", lambda: np.repeat(square, 3, axis=1), (square, 3), {"axis": 1}),
        ("tile 2d", lambda: np.tile(square, (2, 2)), (square, (2, 2)), {}),
        ("compress axis 1", lambda: np.compress(mask[:side], square, axis=1), (mask[:side], square), {"axis": 1}),
        ("compress axis 0", lambda: np.compress(mask[:side], square, axis=0), (mask[:side], square), {"axis": 0}),
        ("delete axis 1", lambda: np.delete(square, 3, axis=1), (square, 3), {"axis": 1}),
        ("insert axis 1", lambda: np.insert(square, 3, 5, axis=1), (square, 3, 5), {"axis": 1}),
        ("diff axis 0 n 2", lambda: np.diff(square, 2, axis=0), (square,), {"n": 2, "axis": 0}),
        ("partition axis 1", lambda: np.partition(square, side // 2, axis=1), (square, side // 2), {"axis": 1}),
        ("argpartition axis 1", lambda: np.argpartition(square, side // 2, axis=1), (square, side // 2), {"axis": 1}),
        ("partition axis 0", lambda: np.partition(square, side // 2, axis=0), (square, side // 2), {"axis": 0}),
        ("quantile", lambda: np.quantile(x, 0.3), (x, 0.3), {}),
        ("quantile axis 0", lambda: np.quantile(square, 0.3, axis=0), (square, 0.3), {"axis": 0}),
        ("nanquantile", lambda: np.nanquantile(x, 0.3), (x, 0.3), {}),
        ("all true", lambda: np.all(x < 1000), (x < 1000,), {}),
        ("count_nonzero", lambda: np.count_nonzero(mask), (mask,), {}),
        ("sum bool", lambda: np.sum(mask), (mask,), {}),
        ("mean bool", lambda: np.mean(mask), (mask,), {}),
        ("sum where", lambda: np.sum(x, where=mask), (x,), {"where": mask}),
        ("isin many", lambda: np.isin(x, y), (x, y), {}),
    ]
    if x.dtype.kind in "iu":
        w = np.random.default_rng(1).random(n)
        listed += [
            ("bincount weights", lambda: np.bincount(x, w), (x,), {"weights": w}),
        ]
    if x.dtype.kind == "f":
        listed += [
            ("linspace", lambda: np.linspace(0, 1, n, dtype=dtype), (0.0, 1.0, n), {"dtype": dtype}),
            ("logspace", lambda: np.logspace(0, 1, n, dtype=dtype), (0.0, 1.0, n), {"dtype": dtype}),
            ("hanning", lambda: np.hanning(n), (n,), {}),
            ("kaiser", lambda: np.kaiser(n, 5.0), (n, 5.0), {}),
            ("polyfit", lambda: np.polyfit(x, y, 3), (x, y, 3), {}),
            ("polyval 9", lambda: np.polyval(x[:9], x), (x[:9], x), {}),
            ("histogram2d", lambda: np.histogram2d(x, y, (20, 30)), (x, y, (20, 30)), {}),
            ("histogramdd", lambda: np.histogramdd(np.stack([x, y, z], 1), (5, 6, 7)), (np.stack([x, y, z], 1), (5, 6, 7)), {}),
            ("simpson", lambda: integrate.simpson(x), (x,), {}),
            ("simpson axis 0", lambda: integrate.simpson(square, axis=0), (square,), {"axis": 0}),
            ("ifft", lambda: np.fft.ifft(x), (x,), {}),
            ("irfft", lambda: np.fft.irfft(x), (x,), {}),
            ("rfft2", lambda: np.fft.rfft2(square), (square,), {}),
            ("hfft", lambda: np.fft.hfft(x), (x,), {}),
            ("fft axis 0", lambda: np.fft.fft(square, axis=0), (square,), {"axis": 0}),
            ("fft axis 1", lambda: np.fft.fft(square, axis=1), (square,), {"axis": 1}),
            ("sosfilt", lambda: signal.sosfilt(np.array([[0.1, 0.2, 0.1, 1, -0.5, 0.2]]), x), (np.array([[0.1, 0.2, 0.1, 1, -0.5, 0.2]]), x), {}),
            ("resample", lambda: signal.resample(x, n // 2), (x, n // 2), {}),
            ("periodogram", lambda: signal.periodogram(x), (x,), {}),
            ("vector_norm 1", lambda: np.linalg.vector_norm(x, ord=1), (x,), {"ord": 1.0}),
            ("vector_norm axis 0", lambda: np.linalg.vector_norm(square, axis=0), (square,), {"axis": 0}),
            ("var .T axis 0", lambda: np.var(square.T, axis=0), (square.T,), {"axis": 0}),
            ("random", lambda: random.random(n), ((n,),), {}),
            ("random_normal", lambda: random.standard_normal(n), (0.0, 1.0, (n,)), {}),
            ("random_exponential", lambda: random.exponential(1.0, n), (1.0, (n,)), {}),
            ("random_poisson", lambda: random.poisson(3.0, n), (3.0, (n,)), {}),
            ("random_integers", lambda: random.integers(0, 100, n), (0, 100, (n,)), {}),
            ("random_permutation", lambda: random.permutation(n), (n,), {}),
            ("random_gamma", lambda: random.gamma(2.0, 1.0, n), (2.0, 1.0, (n,)), {}),
            ("random_binomial", lambda: random.binomial(10, 0.3, n), (10, 0.3, (n,)), {}),
        ]
        if side <= 400:
            listed += [
                ("cholesky", lambda g=square @ square.T + side * np.eye(side, dtype=dtype): np.linalg.cholesky(g), (square @ square.T + side * np.eye(side, dtype=dtype),), {}),
                ("matrix_power", lambda: np.linalg.matrix_power(square, 5), (square, 5), {}),
                ("solve_triangular", lambda: linalg.solve_triangular(square, x[:side]), (square, x[:side]), {}),
            ]
        if side <= 100:
            listed += [
                ("eigvalsh", lambda: np.linalg.eigvalsh(square), (square,), {}),
                ("lstsq", lambda: np.linalg.lstsq(square, x[:side]), (square, x[:side]), {}),
                ("matrix_rank", lambda: np.linalg.matrix_rank(square), (square,), {}),
                ("cond", lambda: np.linalg.cond(square), (square,), {}),
                ("inv many 3x3", lambda: np.linalg.inv(x[:n // 9 * 9].reshape(-1, 3, 3)), (x[:n // 9 * 9].reshape(-1, 3, 3),), {}),
                ("det many 3x3", lambda: np.linalg.det(x[:n // 9 * 9].reshape(-1, 3, 3)), (x[:n // 9 * 9].reshape(-1, 3, 3),), {}),
            ]
    if n <= 10 ** 6:
        busy = square > square.mean()
        listed += [
            ("zoom", lambda: ndimage.zoom(square, 1.5), (square, 1.5), {}),
            ("map_coordinates", lambda c=np.random.default_rng(1).random((2, side, side)) * side: ndimage.map_coordinates(square, c), (square, np.random.default_rng(1).random((2, side, side)) * side), {}),
            ("affine_transform", lambda a=np.array([[0.9, 0.1], [-0.1, 0.9]]): ndimage.affine_transform(square, a), (square, np.array([[0.9, 0.1], [-0.1, 0.9]])), {}),
            ("zoom 1", lambda: ndimage.zoom(square, 1.5, order=1), (square, 1.5), {"order": 1}),
            ("spline_filter", lambda: ndimage.spline_filter(square), (square,), {}),
            ("binary_opening", lambda: ndimage.binary_opening(busy), (busy,), {}),
            ("binary_propagation", lambda: ndimage.binary_propagation(busy), (busy,), {}),
            ("binary_hit_or_miss", lambda: ndimage.binary_hit_or_miss(busy), (busy,), {}),
            ("grey_closing", lambda: ndimage.grey_closing(square, 5), (square, 5), {}),
            ("morphological_gradient", lambda: ndimage.morphological_gradient(square, 3), (square, 3), {}),
            ("white_tophat", lambda: ndimage.white_tophat(square, 5), (square, 5), {}),
            ("distance_transform_cdt", lambda: ndimage.distance_transform_cdt(busy), (busy,), {}),
            ("rank_filter", lambda: ndimage.rank_filter(square, 3, 3), (square, 3, 3), {}),
            ("maximum_filter 9", lambda: ndimage.maximum_filter(square, 9), (square, 9), {}),
            ("gaussian_filter1d", lambda: ndimage.gaussian_filter1d(square, 2.0, axis=0), (square, 2.0), {"axis": 0}),
            ("uniform_filter1d", lambda: ndimage.uniform_filter1d(square, 5, axis=0), (square, 5), {"axis": 0}),
            ("minimum_filter1d", lambda: ndimage.minimum_filter1d(square, 5, axis=0), (square, 5), {"axis": 0}),
            ("convolve1d", lambda: ndimage.convolve1d(square, y[:5]), (square, y[:5]), {}),
            ("gaussian_laplace", lambda: ndimage.gaussian_laplace(square, 2.0), (square, 2.0), {}),
            ("gaussian_gradient_magnitude", lambda: ndimage.gaussian_gradient_magnitude(square, 2.0), (square, 2.0), {}),
            ("correlate2d", lambda: signal.correlate2d(square, y[:25].reshape(5, 5)), (square, y[:25].reshape(5, 5)), {}),
        ]
    for what, theirs, given, named in listed:
        name = what.split(" ")[0]
        if wanted(name.removesuffix("_n")):
            named = dict(named)
            t.time(f"{what} {x.dtype} {n}", theirs, name, *given, written=named.pop("written", False), **named)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lib", default=str(ROOT / "build/libgpuarr.so"))
    options.add_argument("--only", default="", help="these functions")
    options.add_argument("--dtypes", default="f4,f8,i4,i8,u1")
    options.add_argument("--sizes", default="1000,100000,4000000")
    options.add_argument("--budget", type=float, default=0.004, help="seconds for each side of a pair")
    options.add_argument("--worst", type=int, default=40)
    options.add_argument("--part", default="rows,axes,shapes,more")
    o = options.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    table, _ = read_header(str(ROOT / "gpuarr.h"))
    ga = Calls(os.path.abspath(o.lib), table)
    t = Timer(ga, o.budget)
    names = set(o.only.split(",")) - {""}
    wanted = (lambda name: name in names) if names else (lambda name: True)
    for n in map(int, o.sizes.split(",")):
        for dtype in o.dtypes.split(","):
            if "rows" in o.part:
                rows(t, table, n, dtype, wanted)
            if "axes" in o.part:
                along_axes(t, n, dtype, wanted)
            if "shapes" in o.part:
                shapes(t, n, dtype, wanted)
            if "more" in o.part:
                more(t, n, dtype, wanted)
    t.found.sort()
    print(f"{len(t.found)} pairs; {sum(f[0] < 1 for f in t.found)} slower than NumPy or SciPy")
    for ratio, what, ours, other in t.found[:o.worst]:
        print(f"{ratio:6.2f}  {what:50} {ours * 1e6:12.2f} us, NumPy {other * 1e6:12.2f} us")


if __name__ == "__main__":
    main()
