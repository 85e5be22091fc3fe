"""New arrays: filled, ranges, grids, random numbers."""
import math

import numpy as np

from ..case import case
from ..comparing import Close, Mismatch, Skip, attempt, exact, same_form
from ..dtypes import BOOL, C128, F32, F64, FLOATS, I64, INTS, wide
from ..structs import Eight


def fits_exactly(v, dtype):
    """Would NumPy wrap or warn where gpuarr refuses?"""
    if isinstance(v, complex):
        return dtype.kind == "c"
    if isinstance(v, float) and dtype.kind in "iu":
        return math.isfinite(v) and np.iinfo(dtype).min <= math.trunc(v) <= np.iinfo(dtype).max and abs(v) < 2**53
    return dtype != BOOL or type(v) is not int or v < 2**63


@case("zeros", "ones", "zeros_n", "full", "full_like", "zeros_like", "ones_like", "scalar")
def filled(c):
    shape, dtype = c.shape(), c.dtype() if c.chance(0.6) else None
    v, like = c.number(), c.array(shape=shape)
    named = {"dtype": dtype}
    if "full" in c.name or c.name == "scalar":
        if not fits_exactly(v, dtype or (like.dtype if c.name == "full_like" else np.dtype(C128))):
            raise Skip
    want = attempt({"zeros": lambda: np.zeros(shape, dtype or F64), "ones": lambda: np.ones(shape, dtype or F64),
                    "zeros_n": lambda: np.zeros(shape, dtype or F64), "full": lambda: np.full(shape, v, dtype),
                    "scalar": lambda: np.full((), v, dtype)}.get(c.name)
                   or (lambda: getattr(np, c.name)(like, *((v,) if c.name == "full_like" else ()), dtype=dtype)))
    given = {"zeros": (shape,), "ones": (shape,), "zeros_n": (len(shape), Eight(*shape)), "full": (shape, v),
             "full_like": (like, v), "scalar": (v,)}.get(c.name, (like,))
    c.judge(want, lambda: getattr(c.ga, c.name)(*given, **named), named=named)


@case("arange")
def arange(c):
    real, r = c.chance(0.5), c.r
    numbers = [r.randint(-20, 20), r.randint(-20, 40), r.choice((1, 1, 2, 3, -1, -2, 7))]
    if real:
        numbers = [n / r.choice((1, 2, 10, 3)) if r.random() < 0.7 else n for n in numbers]
    if c.chance(0.02):
        numbers[2] = 0
    dtype = c.dtype(FLOATS + INTS) if c.chance(0.3) else None
    c.note("start, stop, step, dtype", (numbers, dtype))
    lossy = any(isinstance(n, float) for n in numbers) or min(numbers) < 0 and dtype in INTS and dtype.kind == "u"
    if dtype in INTS and lossy:
        raise Skip
    want = attempt(lambda: np.arange(*numbers, dtype=dtype))
    if isinstance(want, np.ndarray) and want.dtype == F32:
        return c.judge(want, lambda: c.ga.arange(*numbers, dtype=dtype),
                       lambda w, g: Close(2, max(w.size, 1) * 1e-6)(w.astype(F64), g, F32))
    c.judge(want, lambda: c.ga.arange(*numbers, dtype=dtype))


@case("linspace", "logspace")
def linspace(c):
    large = 1e10 if c.name == "linspace" else 2
    start, stop = (c.r.choice((c.r.randint(-10, 10), c.r.uniform(-10, 10), 0.1, large)) for _ in range(2))
    num, end = c.r.choice((0, 1, 2, 3, 5, 50, 101, -1)), c.chance(0.7)
    dtype = c.dtype(FLOATS + INTS) if c.chance(0.3) else None
    if dtype is not None and dtype.kind in "iu":
        if c.name == "logspace" or dtype.kind == "u" and min(start, stop) < 0 or max(abs(start), abs(stop)) > 100:
            raise Skip
    base = c.pick(2.0, 10.0, math.e) if c.name == "logspace" and c.chance(0.4) else None
    c.note("start, stop, num, endpoint, dtype, base", (start, stop, num, end, dtype, base))
    more = {} if base is None else {"base": base}
    want = attempt(lambda: getattr(np, c.name)(start, stop, num, endpoint=end, dtype=dtype, **more))
    c.judge(want, lambda: getattr(c.ga, c.name)(start, stop, num, endpoint=end, dtype=dtype, **more),
            exact if c.name == "linspace" else lambda w, g: Close(4)(w.astype(wide(w.dtype)), g, w.dtype))


@case("eye")
def eye(c):
    rows, cols, k, dtype = c.r.randint(0, 8), c.r.randint(1, 8), c.r.randint(-9, 9), c.dtype()
    c.note("rows, cols, k, dtype", (rows, cols, k, dtype))
    c.judge(np.eye(rows, cols, k, dtype), lambda: c.ga.eye(rows, cols, k, dtype=dtype))


@case("meshgrid", "meshgrid_n")
def meshgrid(c):
    arrays = [c.array(shape=(c.r.randint(0, 6),)) for _ in range(2 if c.name == "meshgrid" else c.r.randint(1, 4))]
    ij = c.chance(0.5)
    want = np.meshgrid(*arrays, indexing="ij" if ij else "xy")

    def check(want, got):
        for w, g in zip(want, got, strict=True):
            exact(w, g)
    given = (*arrays, 1, 1, ij) if c.name == "meshgrid" else (arrays, len(arrays), ij)
    c.judge(list(want), lambda: getattr(c.ga, c.name)(*given), check, {"ij": ij})


@case("indices")
def indices(c):
    shape, dtype = c.shape(largest=50)[:6], c.dtype(INTS + FLOATS) if c.chance(0.4) else None
    c.note("shape", shape)
    c.judge(np.indices(shape, dtype=dtype or I64), lambda: c.ga.indices(shape, dtype=dtype), named={"dtype": dtype})


@case("mgrid")
def mgrid(c):
    slices, texts, r = [], [], c.r
    for _ in range(r.randint(1, 3)):
        start, stop = r.choice((None, 0, 1, -2, 0.5)), r.choice((3, 5, 7, 2.5))
        step = r.choice((None, None, 1, 2, 0.5, 0.1, 5j, 1j))
        slices.append(slice(start, stop, step))
        written = "" if step is None else f":{int(step.imag)}j" if isinstance(step, complex) else f":{step}"
        texts.append(f"{'' if start is None else start}:{stop}{written}")
    c.note("slices", ", ".join(texts))
    want = np.mgrid[tuple(slices)] if len(slices) > 1 else np.mgrid[slices[0]]
    c.judge(want, lambda: c.ga.mgrid(", ".join(texts)))


@case("random", "random_integers", "random_normal")
def random_numbers(c):
    """Philox itself is checked elsewhere; here shape, dtype, range, and that the same seed gives the same numbers."""
    shape, seed = c.shape(), c.r.getrandbits(64)
    low = c.r.randint(-100, 100)
    high = low + c.r.randint(1, 50)
    given = {"random": (shape,), "random_integers": (low, high, shape), "random_normal": (0.0, 1.0, shape)}[c.name]
    dtype = c.dtype(FLOATS) if c.name != "random_integers" else I64
    one, two = (getattr(c.ga, c.name)(*given, dtype=dtype, seed=seed) for _ in range(2))
    exact(one, two)
    same_form(np.empty(shape, dtype), one)
    bottom, top = {"random": (0, 1), "random_integers": (low, high), "random_normal": (-40, 40)}[c.name]
    if not ((one >= bottom) & (one < top)).all():
        raise Mismatch(f"not all numbers lie in [{bottom}, {top})")
