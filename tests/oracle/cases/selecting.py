"""Sorting, and choosing elements."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Skip, attempt, values_only
from ..dtypes import BOOL, F64, I64, finite


@case("sort", "argsort")
def sort(c):
    a = c.array(shape=c.shape(c.pick(1, 1, 2, 2, 3)), style=c.pick("small", "any"))
    axis = c.axis(a.ndim, several=False)
    f = getattr(np, c.name)
    want = attempt(lambda: f(a, axis=-1 if axis is None else axis, kind="stable"))
    c.judge(want, lambda: getattr(c.ga, c.name)(a, axis=axis), named={"axis": axis})


def unique_slices(c):
    a = c.array(style="small", shape=tuple(c.r.randint(0, 5) for _ in range(c.r.randint(1, 3))))
    axis = c.r.randrange(-a.ndim, a.ndim)
    wanted = {k: True for k in ("index", "inverse", "counts") if c.chance(0.4)}
    c.note("axis, wanted", (axis, wanted))
    try:
        got = np.unique(a, True, True, True, axis)
    except ERRORS:
        raise Skip  # of NumPy, for arrays without elements
    want = dict(zip(["values", "index", "inverse", "counts"], got, strict=True))
    want["inverse"] = want["inverse"].reshape(-1)

    def check(want, got):
        for w, g in zip(want, got if wanted else [got], strict=True):
            values_only(w, g)
    c.judge([want["values"]] + [want[k] for k in wanted], lambda: c.ga.unique(a, **wanted, axis=axis), check)


@case("unique")
def unique(c):
    if c.chance(0.25):
        return unique_slices(c)
    a = c.array(style=c.pick("small", "any"))
    if a.dtype.kind in "fc" and c.chance(0.5):
        a = a.copy()
        a[c.g.random(a.shape) < c.pick(0.1, 0.5, 1.0)] = np.nan
        c.note("with NaN", a)
    wanted = {k: True for k in ("index", "inverse", "counts") if c.chance(0.4)}
    nan = {"equal_nan": c.chance(0.5)} if c.chance(0.6) else {}
    c.note("wanted", {**wanted, **nan})
    # All four: only with the index does NumPy sort stably, and the inverse of NaNs that differ depends on it.
    want = dict(zip(["values", "index", "inverse", "counts"], np.unique(a, True, True, True, **nan), strict=True))
    want["inverse"] = want["inverse"].reshape(a.shape)

    def check(want, got):
        for w, g in zip(want, got if wanted else [got], strict=True):
            values_only(w, g)
    c.judge([want["values"]] + [want[k] for k in wanted], lambda: c.ga.unique(a, **wanted, **nan), check)


@case("nonzero")
def nonzero(c):
    a = c.array(style=c.pick("small", "any"))
    c.judge(attempt(lambda: np.stack(np.nonzero(a))), lambda: c.ga.nonzero(a))


@case("compress")
def compress(c):
    a = c.array()
    axis = c.axis(a.ndim, several=False)
    n = (a.size if axis is None else a.shape[axis] if -a.ndim <= axis < a.ndim else 3) + c.pick(0, 0, 0, -1, 1 if a.size else 0)
    condition = c.array(c.pick(BOOL, BOOL, I64), (max(n, 0),), "small", name="condition")
    c.compare(np.compress, c.ga.compress, condition, a, axis=axis)


@case("extract")
def extract(c):
    a = c.array()
    condition = c.array(c.pick(BOOL, F64), a.shape, "small", name="condition")
    c.compare(np.extract, c.ga.extract, condition, a)


@case("take")
def take(c):
    a, mode = c.array(), c.r.randrange(3)
    axis = c.axis(a.ndim, several=False)
    n = a.size if axis is None else a.shape[axis] if -a.ndim <= axis < a.ndim else 1
    beyond = c.chance(0.1) or mode > 0
    dtype = c.pick(I64, I64, np.dtype("i4"), np.dtype("i1"), np.dtype("u2"))
    low, high = (-n - 2, n + 2) if beyond else (-n, n - 1)
    low, high = (max(low, np.iinfo(dtype).min), min(high, np.iinfo(dtype).max))
    if high < low or a.size == 0 and beyond:  # NumPy does not look at the indices then
        raise Skip
    indices = c.g.integers(low, high, c.shape(largest=50)[:3], endpoint=True).astype(dtype)
    c.note("indices, mode", (indices.tolist(), mode))
    want = attempt(lambda: np.take(a, indices, axis=axis, mode=("raise", "wrap", "clip")[mode]))
    if isinstance(want, np.ndarray) and want.ndim > 8:
        raise Skip
    c.judge(want, lambda: c.ga.take(a, indices, axis=axis, mode=mode), named={"axis": axis})
