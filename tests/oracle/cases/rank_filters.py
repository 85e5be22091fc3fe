"""Filters that choose an element of each window by its rank."""
import numpy as np

from ..case import case
from ..comparing import Mismatch
from ..dtypes import BOOL, F64, ORDERED
from ..optional import ndimage
from ..windows import BORDERS, bordered, draw_border


def keys_of(a):
    """Integers that are ordered like the elements, -0 before 0."""
    if a.dtype.kind != "f":
        return a
    u = a.view(f"i{a.itemsize}")
    return np.where(u < 0, u ^ np.iinfo(u.dtype).max, u)


def chosen(a, footprint, before, border, cval, rank):
    """Of each window, the element of a rank; NaN if there is one."""
    cval = a.dtype.type(0 if cval is None else np.clip(cval, 0 if a.dtype.kind == "u" else -128, 1 if a.dtype == BOOL else 127))
    wide_ = bordered(a, before, [n - 1 - b for n, b in zip(footprint.shape, before)], border, cval)
    windows = np.lib.stride_tricks.sliding_window_view(wide_, footprint.shape)[..., footprint]
    nan = np.isnan(windows).any(-1) if a.dtype.kind == "f" else False
    windows = np.ascontiguousarray(windows)
    at = np.argsort(keys_of(windows), axis=-1, kind="stable")[..., rank:rank + 1]
    result = np.take_along_axis(windows, at, -1)[..., 0]
    return np.where(nan, result.dtype.type(np.nan), result) if a.dtype.kind == "f" else result


@case("minimum_filter", "maximum_filter", "median_filter", "percentile_filter", "rank_filter")
def rank_filters(c):
    a = c.array(c.dtype(ORDERED), c.shape(c.pick(0, 1, 1, 2, 2, 2, 2, 3, 3, 4)))
    n, r = a.ndim, c.r
    most = {0: 1, 1: c.pick(5, 12, 40), 2: c.pick(3, 5, 9, 20), 3: c.pick(3, 3, 6)}.get(n, 3)
    sizes = [r.randint(1, most)] * n if c.chance(0.4) else [r.randint(1, most) for _ in range(n)]
    footprint = np.ones(sizes, bool)
    named = {"border": None, "cval": None}
    named["border"], named["cval"] = draw_border(c, a.dtype)
    size = sizes[0] if n else 1
    if c.chance(0.4) and n:
        footprint = c.g.random(sizes) < c.pick(0.2, 0.5, 0.9)
        named["footprint"], size = c.lay(tuple(sizes), BOOL, repeat=False), 0
        named["footprint"][...] = footprint
        c.note("footprint", footprint)
    elif len(set(sizes)) > 1:
        named["sizes"], size = tuple(sizes), 0
    origin = [r.randint(-(k // 2), (k - 1) // 2) if c.chance(0.3) else 0 for k in sizes]
    if any(origin):
        named["origin"] = tuple(origin)
    if c.chance(0.02) and n:
        named["origin"] = tuple([sizes[0]] + [0] * (n - 1))
    count, rank, first = int(footprint.sum()), 0, []
    if c.name == "median_filter":
        rank = count // 2
    elif c.name == "maximum_filter":
        rank = count - 1
    elif c.name == "percentile_filter":
        p = c.pick(0.0, 10.0, 25.0, 50.0, 99.0, 100.0, -20.0, -100.0)
        first = [p]
        p += 100 if p < 0 else 0
        rank = count - 1 if p == 100 else int(float(count) * p / 100)
    elif c.name == "rank_filter":
        rank = r.randint(-count - c.chance(0.02), max(count - 1, 0) + c.chance(0.02))
        first = [rank]
        rank += count if rank < 0 else 0
    if c.chance(0.2):
        named["out"] = c.target(a.shape, c.pick(a.dtype, F64 if a.dtype.kind == "f" else a.dtype), a)
    want = None
    before = [k // 2 + o for k, o in zip(sizes, origin)]
    if count == 0 or not 0 <= rank < count or named.get("origin") not in (None, tuple(origin)):
        want = ValueError("not possible")
    elif a.size == 0:
        want = a.copy()
    else:
        want = chosen(a, footprint, before, named["border"], named["cval"], rank)
        as_scipy(c, a, footprint, origin, named, rank, want)
    if not isinstance(want, Exception) and "out" in named:
        want = want.astype(named["out"].dtype)
    c.note("first", first)
    c.judge(want, lambda: getattr(c.ga, c.name)(a, *first, size, **named), named=named)


def as_scipy(c, a, footprint, origin, named, rank, want):
    """The reference itself is SciPy's, where that is exact and defined."""
    if a.ndim == 0 or a.dtype.kind == "f" and np.isnan(a).any() or a.dtype.itemsize == 8 and a.dtype.kind in "iu" or named["cval"] == 2.5:
        return
    if any(n < k for n, k in zip(a.shape, footprint.shape)) or a.dtype == BOOL or (named["cval"] or 0) < 0:
        return
    if a.ndim == 1 and not footprint.all():  # SciPy 1.17 looks at its size alone there
        return
    got = ndimage().rank_filter(a, rank, footprint=footprint, mode=BORDERS[named["border"]], cval=named["cval"] or 0, origin=origin)
    if not np.array_equal(got, want):
        raise Mismatch(f"the reference is not SciPy's: {got!r}")
