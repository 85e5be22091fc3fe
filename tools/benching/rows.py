"""The rows of `make bench`: by theme, what gpuarr's program does (tools/bench.c has the calls), what the peers do, on the same numbers."""
import math
import os
import re

import numpy as np

from .options import QUICK, args
from .peers import *  # noqa: F403: the libraries, and the loops that Numba compiles
from .timing import Gpuarr

F32, F64 = np.float32, np.float64
THREADS = os.cpu_count() or 1
random = np.random.default_rng(20261121)


def close(tolerance):
    """Results agree to `tolerance`, relative to the largest number of the result."""
    def compare(ours, theirs):
        ours, theirs = np.asarray(ours).reshape(-1), np.asarray(theirs).reshape(-1)
        if ours.size != theirs.size:
            return f"{ours.size} elements, not {theirs.size}"
        scale = np.abs(theirs.astype(F64)).max(initial=0)
        worst = np.abs(ours.astype(F64) - theirs.astype(F64)).max(initial=0)
        return "" if worst <= tolerance * max(scale, 1e-300) else f"differs by {worst:g} of {scale:g}"
    return compare


def same(ours, theirs):
    return "" if np.array_equal(np.asarray(ours).reshape(-1), np.asarray(theirs).reshape(-1)) else "differs"


def like_random(ours, theirs):
    """Other generators give other numbers: of the same distribution."""
    for f in (np.mean, np.std):
        if abs(f(ours, dtype=F64) - f(theirs, dtype=F64)) > 0.01:
            return f"{f.__name__} {f(ours)}, not {f(theirs)}"
    return ""


class Row:
    def __init__(self, name, call, dtype, size, inputs, peers, target=0, check=None, moved=0, read=0, flops=0, per=None, scale=None, only_time=(),
                 also=None, ours=None):
        self.name, self.call, self.dtype, self.size, self.inputs, self.target = name, call, np.dtype(dtype).name, str(size), inputs, target
        self.per = per  # ("chunk", 100000): the time of each of so many is printed, too, and the memory of both
        self.scale = scale or {}  # peer -> by what its time is multiplied, because it is given so much less to do
        self.only_time = only_time  # peers whose results are something else
        self.also = also or {}  # peer -> the ratio that is aimed at beside it, too
        self.ours = ours or {}  # gpuarr's other ways to the same result -> seconds(calls); no peers, but beside `also`
        self.peers = [(n, f) for n, f in peers if f]
        self.check = check or close(1e-5 if dtype == F32 else 1e-12)
        # What bounds the time: bytes that must be read and written, or that are read alone; operations, of which a fused product is two.
        self.moved, self.read, self.flops = moved, read, flops


def elementwise():
    n = 1_000_000 if QUICK else 10_000_000
    for dtype in (F32, F64):
        b = np.dtype(dtype).itemsize * n
        x, y, z = ((random.random(n) * 20 - 10).astype(dtype) for _ in range(3))
        p = (random.random(n) * 10 + 0.01).astype(dtype)
        o = np.empty(n, dtype)
        X, Y, P, O = (v.reshape(1, -1) for v in (x, y, p, o))
        table = [
            ("add", dict(x=x, y=y), "x + y", lambda: np.add(x, y, out=o), lambda: x + y, "x + y",
             [("numba", into(numba_add, x, y, o)), ("OpenCV", opencv(lambda: cv2.add(X, Y, O)))], 3),
            ("multiply_add", dict(x=x, y=y, z=z), "x * y + z", lambda: np.add(np.multiply(x, y, out=o), z, out=o),
             lambda: x * y + z, "x * y + z", [("numba", into(numba_multiply_add, x, y, z, o))], 4),
            ("divide", dict(x=x, y=p), "x / y", lambda: np.divide(x, p, out=o), lambda: x / p, "x / p",
             [("OpenCV", opencv(lambda: cv2.divide(X, P, O)))], 3),
            ("sqrt", dict(x=p), "sqrt(x)", lambda: np.sqrt(p, out=o), lambda: np.sqrt(p), "sqrt(p)",
             [("OpenCV", opencv(lambda: cv2.sqrt(P, O)))], 2),
            ("square", dict(x=x), "x**2", lambda: np.square(x, out=o), lambda: np.square(x), "x * x",
             [("OpenCV", opencv(lambda: cv2.multiply(X, X, O)))], 2),
            ("exp", dict(x=x), "exp(x)", lambda: np.exp(x, out=o), lambda: np.exp(x), "exp(x)",
             [("OpenCV", opencv(lambda: cv2.exp(X, O)))], 2),
            ("log", dict(x=p), "log(x)", lambda: np.log(p, out=o), lambda: np.log(p), "log(p)",
             [("OpenCV", opencv(lambda: cv2.log(P, O)))], 2),
            ("sin", dict(x=x), "sin(x)", lambda: np.sin(x, out=o), lambda: np.sin(x), "sin(x)", [], 2),
            ("tanh", dict(x=x), "tanh(x)", lambda: np.tanh(x, out=o), lambda: np.tanh(x), "tanh(x)", [], 2),
            ("power", dict(x=p), "x**1.5", lambda: np.power(p, dtype(1.5), out=o), lambda: p ** dtype(1.5), "p ** 1.5",
             [("OpenCV", opencv(lambda: cv2.pow(P, 1.5, O)))], 2),
        ]
        for name, inputs, label, to_out, to_new, text, others, arrays in table:
            fused = expression(text, x=x, y=y, z=z, p=p)
            yield Row(label + ", out given", name, dtype, n, inputs, [("NumPy", to_out)] + others, 1, moved=arrays * b)
            yield Row(label + ", new", name + "_new", dtype, n, inputs, [("NumPy", to_new), ("NumExpr", fused)], 1.5, moved=arrays * b)
        waves = [("NumPy", lambda: np.sin(x) ** 2 + np.cos(y) ** 2), ("NumExpr", expression("sin(x)**2 + cos(y)**2", x=x, y=y)),
                 ("numba", into(numba_sin2_cos2, x, y, o))]
        yield Row("sin(x)**2 + cos(y)**2", "sin2_cos2_calls", dtype, n, dict(x=x, y=y), waves, 1, moved=3 * b)
        yield Row("sin(x)**2 + cos(y)**2, a row", "sin2_cos2", dtype, n, dict(x=x, y=y), waves[:1], 10 if dtype == F32 else 6, moved=3 * b)
        yield Row("sin(x)**2 + cos(y)**2, GA_ELEMENTWISE", "sin2_cos2_own", dtype, n, dict(x=x, y=y), waves, 1, moved=3 * b)
        wide = np.empty(n, np.int64)
        mask = x > 0.5
        other = F64 if dtype == F32 else F32
        yield Row("where(x > t, 1, 0)", "where_number", dtype, n, dict(x=x),
                  [("NumPy", lambda: np.where(x > 0.5, 1, 0)), ("NumExpr", expression("where(x > 0.5, 1, 0)", x=x)),
                   ("numba", into(numba_where, x, wide))], 1, same, moved=b + 8 * n)
        yield Row("where(mask, x, y)", "where_array", dtype, n, dict(x=x, y=y, z=mask),
                  [("NumPy", lambda: np.where(mask, x, y)), ("NumExpr", expression("where(m, x, y)", m=mask, x=x, y=y))], 1, same, moved=3 * b + n,
                  also={"NumPy": 10})
        yield Row("x > t", "greater", dtype, n, dict(x=x),
                  [("NumPy", lambda: x > 0.5), ("NumExpr", expression("x > 0.5", x=x))], 1, same, moved=b + n)
        yield Row("astype the other float", "to_other_float", dtype, n, dict(x=x), [("NumPy", lambda: x.astype(other))], 1, same,
                  moved=12 * n)
        yield Row("astype uint8", "to_u8", dtype, n, dict(x=p), [("NumPy", lambda: p.astype(np.uint8))], 1, same, moved=b + n)

        def copy_where():
            np.copyto(o, x, where=mask)
            return o
        o[:] = x
        yield Row("copyto with a mask", "copyto_mask", dtype, n, dict(x=x, z=mask), [("NumPy", copy_where)], 1, same, moved=3 * b + n)
        yield Row("x[x > t]", "compress", dtype, n, dict(x=x),
                  [("NumPy", lambda: x[x > 0.5]), ("NumPy compress", lambda: x.compress(x > 0.5))], 1, same, moved=int(1.5 * b))


def small():
    for dtype in (F32, F64):
        for n in (1000,) if QUICK else (1000, 100_000):
            x, y = random.random(n).astype(dtype), random.random(n).astype(dtype)
            o = np.empty(n, dtype)
            yield Row("x + y, out given", "add", dtype, n, dict(x=x, y=y), [("NumPy", lambda: np.add(x, y, out=o))], 1, moved=3 * x.nbytes)
            yield Row("exp(x), out given", "exp", dtype, n, dict(x=x), [("NumPy", lambda: np.exp(x, out=o))], 1, moved=2 * x.nbytes)
            yield Row("sum", "sum", dtype, n, dict(x=x), [("NumPy", lambda: x.sum())], 1, read=x.nbytes)


def formulas():
    """Beside NumExpr and Numba, and beside gpuarr's own nested calls and compiled kernels, which other processes of the program run."""
    others = {} if args.check or args.against else {"calls": Gpuarr(args.program), "own": Gpuarr(args.program)}
    for dtype in (F32, F64):
        for n in (1000, 100_000) if QUICK else (1000, 100_000, 10_000_000):
            x, y, z = (random.random(n).astype(dtype) for _ in range(3))
            o = np.empty(n, dtype)
            for name, (text, _) in FORMULAS.items():
                loop = fused_loop(name, dtype) if not args.against else None

                def by_numba(loop=loop, new=name == "squares"):
                    made = loop(x, y, z, o)
                    return np.array(made) if new else o
                numpy_names = {**vars(np), "x": x, "y": y, "z": z, "h": dtype(0.5)}

                def by_numpy(code=compile(text, name, "eval"), names=numpy_names):
                    return np.asarray(eval(code, names))
                peers = [("NumPy", by_numpy), ("numba", by_numba if loop else None), ("NumExpr", expression(text, x=x, y=y, z=z, h=dtype(0.5)))]
                ours = {}
                for way, program in others.items():
                    program.prepare(f"{way}_{name}", dict(x=x, y=y, z=z))
                    ours["nested calls" if way == "calls" else "compiled"] = program.seconds
                large, medium = n >= 10**6, n >= 10**5
                compiled = 0.7 if name == "polynomial" and large else 0.8 if large else 0.66 if medium else 0
                also = {"NumExpr": 2 if large else 5 if medium else 10, "nested calls": 1.6 if large else 0, "compiled": compiled}
                if large:
                    also["numba"] = 0.97
                arrays = sum(v in re.split(r"\W+", text) for v in "xyz") * x.nbytes
                yield Row(f"ga_eval {name}", f"eval_{name}", dtype, n, dict(x=x, y=y, z=z), peers, 0, close(1e-4 if dtype == F32 else 1e-10), only_time=("NumExpr",),
                          also=also, ours=ours, **(dict(read=arrays) if name == "squares" else dict(moved=arrays + x.nbytes)))
    for program in others.values():
        program.pipe.kill()


def folds():
    n = 1024 if QUICK else 4096
    for dtype in (F32, F64):
        x = random.random((n, n)).astype(dtype)
        flat, ones, b = x.reshape(-1), np.ones(n, dtype), np.dtype(dtype).itemsize * n * n
        loose = close(1e-3 if dtype == F32 else 1e-11)  # the peers' float32 sums are that rough
        nansum, nanstd, nanmax, nanmin = ((getattr(bn, f) if bn else None) for f in ("nansum", "nanstd", "nanmax", "nanmin"))

        def bottleneck(f, **axis):
            return (lambda: f(x, **axis)) if f else None
        for name, label, peers, target in [
            ("sum", "sum", [("NumPy", lambda: x.sum()), ("numba", (lambda: numba_sum(flat)) if numba else None),
                            ("OpenCV", opencv(lambda: cv2.sumElems(x)[0])), ("bottleneck", bottleneck(nansum))], 1),
            ("sum_0", "sum, axis 0", [("NumPy", lambda: x.sum(axis=0)), ("BLAS, ones @ x", lambda: ones @ x),
                                      ("OpenCV", opencv(lambda: cv2.reduce(x, 0, cv2.REDUCE_SUM)))], 1),
            ("sum_1", "sum, axis 1", [("NumPy", lambda: x.sum(axis=1)), ("BLAS, x @ ones", lambda: x @ ones),
                                      ("OpenCV", opencv(lambda: cv2.reduce(x, 1, cv2.REDUCE_SUM)))], 1),
            ("mean", "mean", [("NumPy", lambda: x.mean()), ("OpenCV", opencv(lambda: cv2.mean(x)[0]))], 1),
            ("std", "std", [("NumPy", lambda: x.std()), ("bottleneck", bottleneck(nanstd)),
                            ("OpenCV", opencv(lambda: cv2.meanStdDev(x)[1]))], 1),
            ("std_0", "std, axis 0", [("NumPy", lambda: x.std(axis=0)), ("bottleneck", bottleneck(nanstd, axis=0))], 1),
            ("std_1", "std, axis 1", [("NumPy", lambda: x.std(axis=1)), ("bottleneck", bottleneck(nanstd, axis=1))], 1),
            ("min", "min", [("NumPy", lambda: x.min()), ("bottleneck", bottleneck(nanmin))], 1),
            ("max", "max", [("NumPy", lambda: x.max()), ("bottleneck", bottleneck(nanmax))], 1),
            ("max_0", "max, axis 0", [("NumPy", lambda: x.max(axis=0)), ("OpenCV", opencv(lambda: cv2.reduce(x, 0, cv2.REDUCE_MAX)))], 1),
            ("max_1", "max, axis 1", [("NumPy", lambda: x.max(axis=1)), ("OpenCV", opencv(lambda: cv2.reduce(x, 1, cv2.REDUCE_MAX)))], 1),
            ("argmax", "argmax", [("NumPy", lambda: x.argmax())], 1),
            ("argmax_0", "argmax, axis 0", [("NumPy", lambda: x.argmax(axis=0))], 20),
            ("argmax_1", "argmax, axis 1", [("NumPy", lambda: x.argmax(axis=1))], 1),
            ("cumsum", "cumsum", [("NumPy", lambda: x.cumsum())], 1),
        ]:
            yield Row(label, name, dtype, f"{n}^2", dict(x=x), peers, target, loose, also={"NumPy": 4} if name.startswith("std") else {},
                      **(dict(moved=2 * b) if name == "cumsum" else dict(read=b)))


def copies():
    n = 1024 if QUICK else 4096
    for dtype in (F32, F64):
        x, y = random.random((n, n)).astype(dtype), random.random((n, n)).astype(dtype)
        column, line, o = x[:, :1].copy(), x[:1].copy(), np.empty_like(x)
        b = x.nbytes
        yield Row("copy", "copy", dtype, f"{n}^2", dict(x=x), [("NumPy", lambda: x.copy())], 1, same, moved=2 * b)
        yield Row("copy of x.T", "transposed_copy", dtype, f"{n}^2", dict(x=x),
                  [("NumPy", lambda: np.ascontiguousarray(x.T)), ("OpenCV", opencv(lambda: cv2.transpose(x, o)))], 1, same, moved=2 * b,
                  also={"NumPy": 4})
        yield Row("x.T + y", "transposed_add", dtype, f"{n}^2", dict(x=x, y=y),
                  [("NumPy", lambda: x.T + y), ("NumExpr", expression("t + y", t=x.T, y=y))], 1, moved=3 * b, also={"NumPy": 4})
        yield Row("copy of fliplr(x)", "mirrored_copy", dtype, f"{n}^2", dict(x=x),
                  [("NumPy", lambda: np.fliplr(x).copy()), ("OpenCV", opencv(lambda: cv2.flip(x, 1, o)))], 1, same, moved=2 * b)
        for label, left, right, arrays in (("column + row", column, line, 1), ("x + row", x, line, 2), ("x + column", x, column, 2)):
            yield Row(label, "add_new", dtype, f"{n}^2", dict(x=left, y=right),
                      [("NumPy", lambda: left + right), ("NumExpr", expression("l + r", l=left, r=right))], 1, moved=arrays * b)


def orders():
    n = 1024 if QUICK else 2048
    for dtype in (F32, F64):
        x = random.standard_normal((n, n)).astype(dtype)
        flat = x.reshape(-1)
        yield Row("sort", "sort", dtype, x.size, dict(x=flat), [("NumPy", lambda: np.sort(flat))], 1 if dtype == F32 else 4, same)
        yield Row("median", "median", dtype, f"{n}^2", dict(x=x),
                  [("NumPy", lambda: np.median(x)), ("bottleneck", (lambda: bn.median(x)) if bn else None)], 20 if dtype == F32 else 1, read=x.nbytes)
        yield Row("median, axis 0", "median_0", dtype, f"{n}^2", dict(x=x),
                  [("NumPy", lambda: np.median(x, axis=0)), ("bottleneck", (lambda: bn.median(x, axis=0)) if bn else None)], 1, read=x.nbytes)
        yield Row("histogram, 256 bins", "histogram", dtype, f"{n}^2", dict(x=x),
                  [("NumPy", lambda: np.histogram(x, 256, (-5, 5))[0])], 1, same, read=x.nbytes)


def randoms():
    n = 1_000_000 if QUICK else 10_000_000
    x = random.random(n, dtype=F32)
    generator = np.random.default_rng(1)
    yield Row("uniform random numbers", "random", F32, n, dict(x=x), [("NumPy", lambda: generator.random(n, dtype=F32))], 2, like_random, moved=4 * n)
    yield Row("normal random numbers", "normal", F32, n, dict(x=x), [("NumPy", lambda: generator.standard_normal(n, dtype=F32))], 3, like_random, moved=4 * n)
    few = x[:1_000_000]
    yield Row("exponential random numbers", "exponential", F64, few.size, dict(x=few), [("NumPy", lambda: generator.standard_exponential(few.size))], 1, like_random)
    yield Row("Poisson random numbers", "poisson", np.int64, few.size, dict(x=few), [("NumPy", lambda: generator.poisson(3, few.size))], 1, like_random)
    yield Row("permutation", "permutation", F32, few.size, dict(x=few), [("NumPy", lambda: generator.permutation(few))], 1, like_random)


def sets():
    n = 100_000 if QUICK else 1_000_000
    whole, other = (random.integers(0, n, n) for _ in range(2))
    x, points, values = random.random(n), np.sort(random.random(n // 10)), random.random(n // 10)
    for dtype, a, b in ((np.int64, whole, other), (F64, x, random.choice(x, n // 2))):
        yield Row("unique", "unique", dtype, n, dict(x=a), [("NumPy", lambda a=a: np.unique(a))], 2, same)
        yield Row("intersect1d", "intersect1d", dtype, n, dict(x=a, y=b), [("NumPy", lambda a=a, b=b: np.intersect1d(a, b))], 2, same)
        yield Row("isin", "isin", dtype, n, dict(x=a, y=b), [("NumPy", lambda a=a, b=b: np.isin(a, b))], 2, same)
    yield Row("searchsorted", "searchsorted", F64, n, dict(x=points, y=x), [("NumPy", lambda: np.searchsorted(points, x))], 2, same)
    yield Row("interp", "interp", F64, n, dict(x=x, y=points, z=values), [("NumPy", lambda: np.interp(x, points, values))], 1)
    yield Row("x[index]", "take", F64, n, dict(x=x, y=whole), [("NumPy", lambda: x[whole])], 1, same)
    to, added = x.copy(), np.zeros(n)
    yield Row("x[index] = y", "put", F64, n, dict(x=x, y=whole, z=x), [("NumPy", lambda: to.put(whole, x) or to)], 1, same)
    yield Row("add.at(x, index, y)", "add_at", F64, n, dict(x=added, y=whole, z=x), [("NumPy", lambda: np.add.at(added, whole, x) or added)], 1,
              only_time=("NumPy",))  # the results grow from call to call


def pictures():
    h, w = (300, 600) if QUICK else (3000, 6000)

    def finish(rgb):
        low, high = rgb.min(), rgb.max()
        rgb -= low
        rgb *= 255 / (high - low)
        return rgb.astype(np.uint8)

    def numpy_way():
        rgb = np.empty((h, w, 3))
        i, j = np.ogrid[0:h, 0:w]
        for c, (right, down) in enumerate(((0, 0), (25, 0), (0, 25))):
            np.add(np.sin((j + right) / 50) ** 2, np.cos((i + down) / 50) ** 2, out=rgb[:, :, c])
        np.sqrt(rgb, out=rgb, where=rgb > 1.3)
        return finish(rgb)

    def numba_way():
        rgb = np.empty((h, w, 3))
        numba_picture(rgb)
        return finish(rgb)

    def alike(ours, theirs):  # a byte may round the other way
        return "" if np.abs(ours.astype(int) - theirs.astype(int)).max() <= 1 else "differs"
    for label, call in (("the seed's picture", "picture"), ("the picture, own rows", "picture_own_rows"),
                        ("the picture, in planes", "picture_planes"), ("the picture, GA_ELEMENTWISE", "picture_own"),
                        ("the picture, ga_eval", "picture_formula")):
        yield Row(label, call, F64, f"{h}x{w}", dict(x=random.random((h, w))),
                  [("NumPy, ogrid", numpy_way), ("numba + NumPy", numba_way if numba else None)], 3, alike, also={"NumPy, ogrid": 4})


def convolutions():
    if not signal:
        return
    n = 512 if QUICK else 2048
    across, down = np.meshgrid(np.linspace(-2, 2, 15), np.linspace(-2, 2, 15))
    bell = np.exp(-(np.sqrt(across * across + down * down) - 0.0) ** 2 / 2.0)
    line = np.exp(-np.linspace(-2, 2, 15) ** 2 / 2)
    for dtype in (F32, F64):
        a, g, g1 = random.random((n, n)).astype(dtype), bell.astype(dtype), line.astype(dtype)
        uneven = (g * (1 + 0.1 * random.random(g.shape))).astype(dtype)  # not separable
        flat, o1 = a.reshape(-1), np.empty(a.size, dtype)
        size = f"{n}^2"

        def opencv_full(kernel):
            k = np.ascontiguousarray(kernel[::-1, ::-1])
            border = [kernel.shape[0] - 1] * 2 + [kernel.shape[1] - 1] * 2

            def call():
                wide = cv2.copyMakeBorder(a, *border, cv2.BORDER_CONSTANT)
                edge = kernel.shape[0] // 2
                return cv2.filter2D(wide, -1, k, borderType=cv2.BORDER_CONSTANT)[edge:-edge, edge:-edge]
            return opencv(call)
        loose = close(2e-4 if dtype == F32 else 1e-11)  # OpenCV and fftconvolve go through a Fourier transform
        for label, kernel, target in (("convolve2d 15x15", uneven, 8 if dtype == F32 else 4), ("convolve2d 15x15, a bell", g, 8 if dtype == F32 else 4),
                                      ("convolve2d 3x3", np.ascontiguousarray(uneven[5:8, 5:8]), 1)):
            yield Row(label, "convolve2d", dtype, size, dict(x=a, y=kernel),
                      [("SciPy", lambda: signal.convolve2d(a, kernel)), ("SciPy fftconvolve", lambda: signal.fftconvolve(a, kernel)),
                       ("OpenCV filter2D", opencv_full(kernel))], target, loose, flops=2 * (n + kernel.shape[0] - 1) ** 2 * kernel.size,
                      also={"SciPy": 150 if dtype == F32 else 80} if kernel.shape[0] == 15 else {})
        yield Row("gaussian_filter, sigma 2", "gaussian", dtype, size, dict(x=a),
                  [("SciPy", lambda: ndimage.gaussian_filter(a, 2)),
                   ("OpenCV", opencv(lambda: cv2.GaussianBlur(a, (17, 17), 2, borderType=cv2.BORDER_REFLECT)))], 1, close(1e-4 if dtype == F32 else 1e-11),
                  moved=2 * a.nbytes, flops=2 * 2 * 17 * a.size)
        yield Row("median_filter 3x3", "median_filter", dtype, size, dict(x=a),
                  [("SciPy", lambda: ndimage.median_filter(a, 3, mode="nearest")),
                   ("OpenCV", opencv(lambda: cv2.medianBlur(a, 3)) if dtype == F32 else None)], 1, same, moved=2 * a.nbytes)
        yield Row("maximum_filter 9x9", "maximum_filter", dtype, size, dict(x=a),
                  [("SciPy", lambda: ndimage.maximum_filter(a, 9, mode="nearest")),
                   ("OpenCV", opencv(lambda: cv2.dilate(a, np.ones((9, 9), np.uint8), borderType=cv2.BORDER_REPLICATE)))], 1, same,
                  moved=2 * a.nbytes)

        def numba_full():  # the compiled loop does the inside, NumPy the two ends
            into(numba_convolve, flat, g1, o1)()
            tail = np.convolve(flat[-14:], g1)[-14:]
            return np.concatenate((np.convolve(flat[:14], g1)[:14], o1[14:], tail))
        yield Row("convolve, 15 weights", "convolve", dtype, flat.size, dict(x=flat, y=g1),
                  [("NumPy", lambda: np.convolve(flat, g1)), ("SciPy fftconvolve", lambda: signal.fftconvolve(flat, g1)),
                   ("SciPy oaconvolve", lambda: signal.oaconvolve(flat, g1)), ("numba", numba_full if numba else None)],
                  20 if dtype == F32 else 8, loose, moved=2 * flat.nbytes, flops=2 * flat.size * 15)


def stencils():
    """A step of the heat equation, and sixteen of them."""
    n = 1024 if QUICK else 4096
    x, o, other = random.random((n, n)), np.zeros((n, n)), np.zeros((n, n))
    weights = np.array([[0, 0.1, 0], [0.1, 0.6, 0.1], [0, 0.1, 0]])

    def edge(line, inner):
        wide = np.concatenate(([0], line, [0]))
        return line + 0.1 * (inner + wide[:-2] + wide[2:] - 4 * line)

    def stepping(step, steps):  # the compiled loops do the inside, NumPy the edges
        def call():
            a, b = x, o
            for _ in range(steps):
                step(a, b)
                b[0], b[-1], b[:, 0], b[:, -1] = edge(a[0], a[1]), edge(a[-1], a[-2]), edge(a[:, 0], a[:, 1]), edge(a[:, -1], a[:, -2])
                a, b = b, other if b is o else o
            return a
        return call if step else None

    def numpy_heat(a, b):
        np.multiply(a, 0.6, out=b)
        for to, neighbour in ((b[1:], a[:-1]), (b[:-1], a[1:]), (b[:, 1:], a[:, :-1]), (b[:, :-1], a[:, 1:])):
            to += 0.1 * neighbour
    own = numba_stencil_heat()
    for call, steps in ("heat", 1), ("heat_16", 16):
        scipy = [("SciPy", lambda: ndimage.correlate(x, weights, mode="constant"))] if steps == 1 else []
        yield Row("a step of heat" if steps == 1 else f"{steps} steps of heat", call, F64, f"{n}^2", dict(x=x),
                  [("NumPy", stepping(numpy_heat, steps)), ("numba", stepping(numba_heat if numba else None, steps)), ("numba stencil", stepping(own, steps))]
                  + scipy, 1,
                  moved=2 * x.nbytes, flops=6 * x.size * steps)


def distances():
    """The course's distance matrices."""
    for dtype in (F64, F32):
        for n, features in ((1000, 3), (1000, 100)) if QUICK else ((2000, 3), (5000, 100)):
            x, y = ((random.random((n, features)) * 10).astype(dtype) for _ in range(2))
            o, size, work = np.empty((n, n), dtype), f"{n}x{features}", n * n * features
            moved = o.nbytes

            def scipy(metric):
                return (lambda: distance.cdist(x, y, metric)) if distance else None

            def trick():
                return np.abs((x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1)[None, :] - 2 * (x @ y.T))

            def chunks():
                parts = [dask.delayed(distance.cdist)(x, part, "cityblock") for part in np.array_split(y, 12)]
                return np.concatenate(dask.compute(*parts, scheduler="threads"), axis=1)
            few = features == 3
            yield Row("cityblock distances", "cityblock", dtype, size, dict(x=x, y=y),
                      [("SciPy", scipy("cityblock")), ("numba", into(numba_cityblock, x, y, o)), ("Dask, 12 parts", chunks if dask and distance else None)],
                      4 if few else 8, close(1e-4 if dtype == F32 else 1e-12), moved=moved, flops=2 * work)
            yield Row("squared distances", "sqeuclidean", dtype, size, dict(x=x, y=y),
                      [("matrix product", trick), ("SciPy", scipy("sqeuclidean")), ("numba", into(numba_sqeuclidean, x, y, o))], 2.5,
                      close(1e-4 if dtype == F32 else 1e-12), moved=moved, flops=2 * work)
            yield Row("distances", "euclidean", dtype, size, dict(x=x, y=y),
                      [("matrix product, root", lambda: np.sqrt(trick())), ("SciPy", scipy("euclidean"))], 2.5,
                      close(1e-4 if dtype == F32 else 1e-12), moved=moved, flops=2 * work)
            for name, metric, rest in ("Canberra", "canberra", {}), ("Minkowski, p = 3,", "minkowski", {"p": 3}), ("Mahalanobis", "mahalanobis", {}):
                if few:
                    yield Row(f"{name} distances", metric, dtype, size, dict(x=x, y=y),
                              [("SciPy", (lambda m=metric, o=rest: distance.cdist(x, y, m, **o)) if distance else None)], 1,
                              close(1e-4 if dtype == F32 else 1e-10), moved=moved, flops=4 * work)
            yield Row("distances of all pairs", "pairs", dtype, size, dict(x=x), [("SciPy", (lambda: distance.pdist(x)) if distance else None)], 1,
                      close(1e-4 if dtype == F32 else 1e-12), moved=moved // 2, flops=work)


def products():
    n = 512 if QUICK else 2048
    for dtype in (F32, F64):
        a, b, v = (random.random(shape).astype(dtype) for shape in ((n, n), (n, n), n))
        loose = close(1e-4 if dtype == F32 else 1e-12)
        yield Row("matmul", "matmul", dtype, f"{n}^3", dict(x=a, y=b), [("NumPy, OpenBLAS", lambda: a @ b)], 0, loose, flops=2 * n ** 3)
        yield Row("matrix times vector", "matmul", dtype, f"{n}^2", dict(x=a, y=v), [("NumPy, OpenBLAS", lambda: a @ v)], 0, loose, read=a.nbytes)


def algebra():
    n = 300 if QUICK else 1000
    for shape in ((n, n), (n * n // 100, 4, 4)):
        size, a, loose = "x".join(map(str, shape)), random.standard_normal(shape), close(1e-9)
        square = a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1])
        cube = a.size * a.shape[-1]
        for name, x, call, target, products in (  # products: n^3 times this is the least that is known, a fused product counted once
                ("solve", dict(x=a, y=square), lambda a=a, b=square: np.linalg.solve(a, b), 1, 4 / 3), ("inv", dict(x=square), lambda b=square: np.linalg.inv(b), 1, 1),
                ("det", dict(x=a / n), lambda a=a / n: np.linalg.det(a), 0, 1 / 3), ("cholesky", dict(x=square), lambda b=square: np.linalg.cholesky(b), 1, 1 / 6),
                ("qr", dict(x=a), lambda a=a: np.linalg.qr(a)[1], 1, 4 / 3), ("eigh", dict(x=square), lambda b=square: np.linalg.eigh(b)[0], 1, 5 / 3),
                ("eigvalsh", dict(x=square), lambda b=square: np.linalg.eigvalsh(b), 1, 2 / 3), ("svd", dict(x=a), lambda a=a: np.linalg.svd(a)[1], 1, 10 / 3),
                ("svdvals", dict(x=a), lambda a=a: np.linalg.svd(a, compute_uv=False), 1, 4 / 3)):
            yield Row(name, name, F64, size, x, [("NumPy, OpenBLAS", call)], target, loose, moved=a.nbytes, flops=2 * products * cube)


def transforms():
    for shape in ((1 << (16 if QUICK else 20),), (3**4 * 5**3 * (7 if QUICK else 49),), (1000, 243), (1000, 1000)):
        x = random.standard_normal(shape)
        for name, call in (("fft2", fft and (lambda x=x: fft.fft2(x, workers=2))),) if shape == (1000, 1000) else (
                ("fft", fft and (lambda x=x: fft.fft(x, workers=2))), ("rfft", fft and (lambda x=x: fft.rfft(x, workers=2)))):
            yield Row(name, name, F64, "x".join(map(str, shape)), dict(x=x), [("SciPy, 2 workers", call)], 1, lambda ours, theirs:
                      close(1e-12)(np.ascontiguousarray(ours).view(F64), np.ascontiguousarray(theirs).view(F64)),
                      moved=(2 if name == "rfft" else 3) * x.nbytes, flops=(2.5 if name == "rfft" else 5) * x.size * math.log2(x.size if name == "fft2" else shape[-1]))


def images():
    n = 512 if QUICK else 1024
    x = random.standard_normal((n, n))
    blobs = ndimage.gaussian_filter(x, 3) > 0 if ndimage else x > 0
    for name, call, a, how, check in (
            ("binary_erosion, 3 times", "binary_erosion", blobs, lambda: ndimage.binary_erosion(blobs, iterations=3), same),
            ("grey_dilation 5x5", "grey_dilation", x, lambda: ndimage.grey_dilation(x, 5), same),
            ("distance_transform_edt", "distances_to_0", blobs, lambda: ndimage.distance_transform_edt(blobs), None),
            ("rotate by 30 degrees, order 1", "rotate", x, lambda: ndimage.rotate(x, 30, order=1, reshape=False), close(1e-9)),
            ("zoom by 2, order 3", "zoom", x, lambda: ndimage.zoom(x, 2), close(1e-9))):
        yield Row(name, call, a.dtype, f"{n}^2", dict(x=a), [("SciPy", how if ndimage else None)], 1, check)


def signals():
    n = 100_000 if QUICK else 1_000_000
    x = random.standard_normal(n)
    b, a = np.array([0.2, 0.3, 0.2]), np.array([1, -0.4, 0.1])
    for name, inputs, call, check in (
            ("lfilter", dict(x=x, y=b, z=a), lambda: signal.lfilter(b, a, x), None), ("savgol_filter", dict(x=x), lambda: signal.savgol_filter(x, 31, 3), None),
            ("find_peaks", dict(x=x), lambda: signal.find_peaks(x)[0], same), ("welch", dict(x=x), lambda: signal.welch(x)[1], None),
            ("hilbert", dict(x=x), lambda: signal.hilbert(x), lambda ours, theirs: close(1e-12)(ours.view(F64), theirs.view(F64)))):
        yield Row(name, name, F64, n, inputs, [("SciPy", call if signal else None)], 1, check)


def make_sky(n):
    """A correlated noise of 0.0133 with a source on about every 150th pixel square and a bright one in the middle."""
    sky = ndimage.gaussian_filter(random.standard_normal((n, n)), 1.2, mode="wrap")
    sky *= 0.0133 / sky.std()
    y, x = np.mgrid[-18:19, -18:19]
    for row, column in random.integers(20, n - 20, (max(4, n * n // 22800), 2)):
        wide, high = random.uniform(1.8, 4.0, 2)
        blob = 0.17 * (1 + random.pareto(2.5)) * np.exp(-(x / wide) ** 2 / 2 - (y / high) ** 2 / 2)
        sky[row - 18:row + 19, column - 18:column + 19] += blob
    y, x = np.mgrid[:n, :n] - n // 2
    sky += 1.2 * np.exp(-(x / 12) ** 2 / 2 - (y / 7) ** 2 / 2)
    return np.minimum(sky, 2.506).astype(F32)


def lesson_clip(flat, median=np.median, std=np.std):
    while True:
        m, s = median(flat), std(flat)
        below = flat.compress(flat > m - 3 * s)
        kept = below.compress(below < m + 3 * s)
        if len(kept) == len(flat):
            return kept
        flat = kept


def skies():
    if not ndimage:
        return
    n = 1024 if QUICK else 2048
    sky = make_sky(n)
    flat, size = sky.reshape(-1), f"{n}^2"
    bright = (sky > 5 * np.std(lesson_clip(flat))).astype(np.uint8)
    labels, count = ndimage.label(bright)
    index = np.arange(1, count + 1)
    as_lesson = labels.astype(F64)  # the lesson has the labels in float64
    noise = (random.random((n, n)) < 0.5).astype(np.uint8)

    def lesson_measures(l):
        return np.column_stack((ndimage.center_of_mass(sky, l, index), ndimage.sum_labels(sky, l, index)))

    def bincount_measures(l):
        rows, columns = np.nonzero(l)
        where, values = l[rows, columns], sky[rows, columns]
        total = np.bincount(where, values)[1:]
        return np.column_stack((np.bincount(where, values * rows)[1:] / total, np.bincount(where, values * columns)[1:] / total, total))

    def lesson():
        found = np.where(sky > 5 * np.std(lesson_clip(flat)), 1, 0)
        l = np.empty(sky.shape)
        n_found = ndimage.label(found, output=l)
        i = np.arange(1, n_found + 1)
        return np.column_stack((ndimage.center_of_mass(sky, l, i), ndimage.sum_labels(sky, l, i)))

    def best_mix():
        m = (sky > 5 * np.std(lesson_clip(flat, bn.median, bn.nanstd))).view(np.uint8)
        return bincount_measures(cv2.connectedComponents(m, connectivity=4)[1])

    def by_flux(ours, theirs):  # other libraries number the sources in another order
        ours, theirs = (v[np.lexsort((np.round(v[:, 2], 3), v[:, 0]))] if v.ndim == 2 else v for v in (ours, theirs))
        return close(1e-4)(ours, theirs)

    def number(ours, theirs):
        return "" if np.max(ours) == np.max(theirs) else f"{np.max(ours)} objects, not {np.max(theirs)}"
    both = bn and cv2
    yield Row("clipping", "clip", F32, size, dict(x=sky),
              [("NumPy, the lesson", lambda: lesson_clip(flat)), ("bottleneck", (lambda: lesson_clip(flat, bn.median, bn.nanstd)) if bn else None),
               ("astropy", (lambda: astropy_stats.sigma_clip(sky, sigma=3, maxiters=None, masked=False)) if astropy_stats else None)],
              30, lambda a, b: "" if abs(a.size - b.size) < 1e-3 * a.size else f"{a.size} kept, not {b.size}",
              read=sky.nbytes)
    for name, call in (("mean, median, std, max", "statistics"), ("those, and min: ga_describe", "statistics_fused")):
        yield Row(name, call, F32, size, dict(x=sky),
                  [("NumPy", lambda: np.array([sky.mean(), np.median(sky), sky.std(), sky.max()]))], 20, close(1e-5), read=sky.nbytes)
    for name, mask, target in (("label the sky", bright, 5), ("label a random mask", noise, 1)):
        yield Row(name, "label", np.uint8, size, dict(x=mask),
                  [("SciPy", lambda: ndimage.label(mask)[0]),
                   ("OpenCV", opencv(lambda: cv2.connectedComponents(mask, connectivity=4)[1]))], target, number,
                  also={"SciPy": 40} if target > 1 else {}, moved=mask.nbytes + labels.nbytes)
    for name, call in (("center_of_mass + sum_labels", "measures"), ("center_of_mass, with .sums", "measures_fused")):
        yield Row(name, call, F32, size, dict(x=sky, y=labels),
                  [("SciPy", lambda: lesson_measures(labels)), ("SciPy, the lesson", lambda: lesson_measures(as_lesson)),
                   ("nonzero + bincount", lambda: bincount_measures(labels))], 30, close(1e-5),
                  also={"SciPy, the lesson": 1000}, read=labels.nbytes)
    for name, call, target, lessons in (("the whole pipeline", "sources", 20, 75), ("the pipeline, fused calls", "sources_fused", 30, 110)):
        yield Row(name, call, F32, size, dict(x=sky),
                  [("SciPy, the lesson", lesson), ("bottleneck + OpenCV + bincount", best_mix if both else None)], target, by_flux,
                  also={"SciPy, the lesson": lessons}, read=sky.nbytes)


def chunks(gpuarr):
    """Chunked arrays and delayed tasks, beside Dask with threads."""
    da = optional("dask.array")

    def computed(*what):
        return dask.compute(*what, scheduler="threads", num_workers=THREADS)

    def peer(call):
        return call if da and distance else None

    n = 2000 if QUICK else 20000
    chunk = min(2000, n // 2)

    def picture(sin=np.sin, cos=np.cos):
        i = da.arange(n, chunks=chunk, dtype=F32)
        a = F32(0.001) * i[None, :] + F32(0.0007) * i[:, None]
        b = sin(a) ** 2 + cos(a + F32(0.5)) ** 2
        low, high = b.min(), b.max()
        mean, image = computed(b.mean(dtype=F64), ((b - low) / (high - low) * F32(255)).astype(np.uint8))
        return np.array([mean, image[::16, ::16].mean()])

    def picture_persisted():  # as one who knows Dask writes it: b is computed once and kept
        i = da.arange(n, chunks=chunk, dtype=F32)
        a = F32(0.001) * i[None, :] + F32(0.0007) * i[:, None]
        b = (np.sin(a) ** 2 + np.cos(a + F32(0.5)) ** 2).persist(scheduler="threads", num_workers=THREADS)
        mean, low, high = computed(b.mean(dtype=F64), b.min(), b.max())
        image, = computed(((b - low) * F32(255 / (high - low))).astype(np.uint8))
        return np.array([mean, image[::16, ::16].mean()])
    for label, call in (("chunked picture", "chunked_picture"), ("chunked picture, ga_eval", "chunked_formulas")):
        yield Row(label, call, F32, f"{n}^2", dict(x=np.empty(n, np.uint8)),
                  [("Dask", peer(picture)), ("Dask, persisted", peer(picture_persisted))], 1 if QUICK else 5, close(1e-3), per=("chunk", (n // chunk) ** 2))

    n = 1500 if QUICK else 12000
    x, y = (random.random((n, 50)) * 10 for _ in range(2))
    parts = [slice(k, k + min(1000, n // 3)) for k in range(0, n, min(1000, n // 3))]

    def cityblock():
        rows = [[dask.delayed(distance.cdist)(x[i], y[j], "cityblock") for j in parts] for i in parts]
        return np.block(list(computed(rows)[0]))[::16, ::16]
    yield Row("chunked cityblock distances", "chunked_cityblock", F64, f"{n}x50", dict(x=x, y=y), [("Dask, SciPy", peer(cityblock))], 4,
              per=("chunk", len(parts) ** 2), moved=8 * n * n, flops=2 * n * n * 50)

    n, times = (10_000, 50) if QUICK else (100_000, 100)

    def many_chunks():
        a = da.zeros(n // times * 100, chunks=100)
        for i in range(10):
            a = a + (i + 0.5)
        return computed(a.sum())[0] / a.size
    yield Row("10 additions and a sum", "many_chunks", F64, f"{n} chunks", dict(x=np.empty(n, np.uint8)),
              [(f"Dask, 1/{times} of it, x {times}", peer(many_chunks))], 100, per=("chunk", n), scale={f"Dask, 1/{times} of it, x {times}": times})

    n, times = (50_000, 50) if QUICK else (500_000, 100)

    def many_tasks():
        level = [dask.delayed(lambda v: v + 1)(1.0) for _ in range(n // times)]
        while len(level) > 1:
            level = [dask.delayed(lambda *v: sum(v))(*level[k:k + 2]) for k in range(0, len(level), 2)]
        return computed(level[0])[0] / (n // times)
    yield Row("delayed tasks", "many_tasks", F64, f"{2 * n} tasks", dict(x=np.empty(n, np.uint8)),
              [(f"Dask, 1/{times} of it, x {times}", peer(many_tasks))], 100, per=("task", 2 * n), scale={f"Dask, 1/{times} of it, x {times}": times})

    n = 4000 if QUICK else 20000

    def every_500th():
        return computed(da.random.random((n, n))[::n // 1000, ::n // 1000].mean())[0]
    yield Row("x[::500, ::500].mean()", "every_500th", F64, "500000^2", {}, [(f"Dask, of {n}^2 alone", peer(every_500th))], 1, like_random,
              per=("element", 1_000_000))


def files(gpuarr):
    """Text, and files larger than what they may take of the memory."""
    folder, rows = gpuarr.files.name, 1000 if QUICK else 100_000
    table, read, written = random.standard_normal((rows, 10)), *(os.path.join(folder, name) for name in ("table.txt", "numpy.txt"))
    np.savetxt(read, table)
    yield Row("loadtxt", "loadtxt", F64, f"{rows}x10", {}, [("NumPy", lambda: np.loadtxt(read))], 3, per=("number", rows * 10))
    yield Row("savetxt", "savetxt", F64, f"{rows}x10", dict(x=table), [("NumPy", lambda: np.savetxt(written, table) or np.ones(1))], 2,
              per=("number", rows * 10))

    plain = Gpuarr(args.program, gpuarr.files)

    def by_numpy(fsync):
        a = np.load(os.path.join(folder, "big.npy"), mmap_mode="r")
        to = np.lib.format.open_memmap(os.path.join(folder, "numpy.npy"), "w+", F32, a.shape)
        np.subtract(a, a.mean(axis=0), out=to)
        if fsync:
            to.flush()
        return to[::500, ::500].copy()

    for rows, width in ((31, 500_000), (2000, 2000)) if QUICK else ((31, 8_000_000), (8000, 8000)):
        with open(os.path.join(folder, "big.npy"), "wb") as f:
            np.lib.format.write_array_header_1_0(f, dict(descr="<f4", fortran_order=False, shape=(rows, width)))
            for _ in range(rows):
                random.random(width, dtype=F32).tofile(f)
        size, per = f"{rows * width * 4 >> 20} MiB", ("MiB", rows * width * 4 / 2**20)
        yield Row(f"mean and anomaly, {rows} rows", "npy_two_passes", F32, size, {},
                  [("NumPy, memmap, flushed", lambda: by_numpy(True)), ("pread, pwrite and fsync", lambda: plain.must("row npy_plain"))], 0.8,
                  close(1e-4), per=per, only_time=("pread, pwrite and fsync",))
        yield Row(f"the same, without fsync, {rows} rows", "npy_cached", F32, size, {},
                  [("NumPy, memmap", lambda: by_numpy(False)), ("pread and pwrite", lambda: plain.must("row npy_plain_cached"))], 0.8,
                  close(1e-4), per=per, only_time=("pread and pwrite",))
    plain.pipe.kill()
    for name in ("big.npy", "anomaly.npy", "numpy.npy", "plain"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))


def themes(gpuarr):
    """theme -> the functions that yield its rows"""
    return {"astronomy": [skies], "filters and convolutions": [convolutions, stencils], "morphology and interpolation": [images], "distances": [distances],
            "linear algebra": [products, algebra], "Fourier transforms": [transforms], "signals": [signals], "elementwise": [elementwise],
            "small arrays": [small], "formulas": [formulas], "reductions": [folds], "copies and views": [copies], "sorts and medians": [orders],
            "sets, searches and scattered places": [sets], "random numbers": [randoms], "the picture of the notebook": [pictures],
            "chunked arrays and tasks": [lambda: chunks(gpuarr)], "files": [lambda: files(gpuarr)]}
