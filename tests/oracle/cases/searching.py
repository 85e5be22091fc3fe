"""Places in sorted lines, sets, orders, indices, histograms of several dimensions."""
import numpy as np

from ..case import case
from ..comparing import Close, Skip, attempt, exact, values_only
from ..dtypes import BOOL, C128, F32, F64, FLOATS, I64, INTS, wide
from ..structs import f64

LINES = INTS + FLOATS + [BOOL]


def line(c, dtype=None, n=None, name="line"):
    shape = c.shape(1) if n is None else (n,)
    return c.array(dtype, shape, c.pick("small", "small", "tame", "any"), among=LINES, name=name)


@case("searchsorted")
def searchsorted(c):
    a = line(c)
    v = c.array(a.dtype if c.chance(0.6) else None, c.shape(), c.pick("small", "any"), among=LINES, name="v")
    if c.chance(0.5) and v.ndim:
        v = np.sort(v, axis=None).reshape(v.shape)
    if c.chance(0.2):
        v = c.number()
        if isinstance(v, complex) or isinstance(v, int) and not -2**63 <= v < 2**63:
            raise Skip
    named, given = {"side": c.r.randrange(2) if c.chance(0.7) else None}, {}
    if c.chance(0.3):
        named["sorter"] = given["sorter"] = np.argsort(a, kind="stable").astype(c.pick(I64, np.dtype("i4")))
    else:
        a = c.view(np.sort(a))
    c.note("a, v", (a, v))
    want = attempt(lambda: np.searchsorted(a, v, ["left", "right"][named["side"] or 0], **given))
    c.judge(want if isinstance(want, Exception) else np.asarray(want), lambda: c.ga.searchsorted(a, v, **named), exact,
            {"side": named["side"]})


@case("digitize")
def digitize(c):
    bins = np.sort(line(c, name="bins"))
    if c.chance(0.4):
        bins = bins[::-1]
    if c.chance(0.05):
        bins = np.concatenate((bins, bins[:1], bins))
    if bins.dtype.kind == "f" and np.isnan(bins).any():
        raise Skip
    x = c.array(bins.dtype if c.chance(0.6) else None, None, "small", among=LINES, name="x") if c.chance(0.8) else c.pick(2, 0.5)
    right = c.pick(None, True)
    c.note("bins, right", (bins, right))
    want = attempt(lambda: np.asarray(np.digitize(x, bins, right=bool(right))))
    c.judge(want, lambda: c.ga.digitize(x, bins, right=right))


@case("interp")
def interp(c):
    n = c.r.randint(1, 12)
    xp = np.cumsum(c.g.integers(c.pick(0, 1), 5, n)) * 0.5 if c.chance(0.8) else np.arange(n)
    fp = c.array(among=FLOATS + INTS + [C128], shape=(n,), style="unit", name="fp")
    x = c.array(among=FLOATS + INTS, style=c.pick("small", "any"), name="x") if c.chance(0.8) else c.pick(2, 0.5)
    named = {"left": c.pick(None, -7.0), "right": c.pick(None, 7.0)}
    if c.chance(0.3):
        named["period"] = c.pick(4.0, 7.5, -3.0)
        xp = c.g.permutation(np.arange(n) * 0.25)
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        x = np.where(np.abs(x) < 1e6, x, c.pick(np.nan, np.inf, 3.0)).astype(x.dtype)
        if "period" in named:
            x = np.where(np.isfinite(x), x, 0).astype(x.dtype)
    elif isinstance(x, np.ndarray):
        x = (x % 100).astype(x.dtype)
    c.note("x, xp", (x, xp))
    given = {k: v for k, v in named.items() if v is not None}
    with np.errstate(all="ignore"):
        want = np.asarray(np.interp(x, xp, fp, **given))
    c.judge(want, lambda: c.ga.interp(x, xp, fp, **named), lambda w, g: Close(16, 1e-9)(w.astype(wide(w.dtype)), g, w.dtype), named)


@case("isin")
def isin(c):
    among = LINES + [C128]
    test = c.array(style="small", among=among, name="test", shape=c.shape(c.pick(0, 1, 1, 2)))
    x = c.array(test.dtype if c.chance(0.7) else None, style="small", among=among, name="x") if c.chance(0.8) else c.pick(2, 0.5)
    invert = c.pick(None, True)
    c.judge(np.asarray(np.isin(x, test, invert=bool(invert))), lambda: c.ga.isin(x, test, invert=invert), named={"invert": invert})


@case("intersect1d", "union1d", "setdiff1d", "setxor1d")
def sets(c):
    a = c.array(style=c.pick("small", "small", "any"), shape=c.shape(c.pick(0, 1, 1, 2)), name="a")
    b = c.array(a.dtype if c.chance(0.7) else None, style="small", shape=c.shape(c.pick(0, 1, 1, 2)), name="b")
    if a.dtype.kind in "fc" and (np.isnan(a).any() or np.isnan(b).any()):
        raise Skip
    both = c.name == "intersect1d" and c.chance(0.5)
    if not both:
        return c.compare(getattr(np, c.name), getattr(c.ga, c.name), a, b, check=values_only)

    def check(want, got):
        for w, g in zip(want, got, strict=True):
            values_only(w, g)
    c.judge(np.intersect1d(a, b, return_indices=True), lambda: c.ga.intersect1d(a, b, index_a=True, index_b=True), check)


@case("unique_all", "unique_values", "unique_counts", "unique_inverse")
def unique(c):
    a = c.array(style=c.pick("small", "any"))
    if a.dtype.kind in "fc" and np.isnan(a).any():
        raise Skip  # each NaN is one of its own, in any order
    want = np.unique_all(a)
    names = {"unique_all": (0, 1, 2, 3), "unique_values": (0,), "unique_counts": (0, 3), "unique_inverse": (0, 2)}[c.name]
    call = getattr(c.ga, c.name)

    def check(want, got):
        for w, g in zip(want, got, strict=True):
            values_only(w, g)
    c.judge([want[k] for k in names], (lambda: call(a, *[1] * (len(names) - 1))) if len(names) > 1 else lambda: [call(a)], check)


@case("lexsort_n", covers=("lexsort",))
def lexsort(c):
    n = c.r.randint(0, 60)
    keys = [line(c, n=n + (c.chance(0.01) and k > 0), name=f"key {k}") for k in range(c.r.randint(1, 4))]
    c.judge(attempt(lambda: np.lexsort(keys)), lambda: c.ga.lexsort_n(keys))


def thirds(a, kth, axis):
    """0 before the element of rank kth, 1 where equal to it, 2 behind it."""
    middle = np.take(np.sort(a, axis, kind="stable"), [kth], axis)
    before, upto = a < middle, a <= middle
    if a.dtype.kind == "f":
        before, upto = before | np.isnan(middle) & ~np.isnan(a), upto | np.isnan(middle)
    return np.where(before, 0, np.where(upto, 1, 2))


@case("partition", "argpartition")
def partition(c):
    a = c.array(style="small", among=LINES)
    axis = c.axis(a.ndim, several=False)
    n = a.shape[-1 if axis is None else axis] if a.ndim and -a.ndim <= (axis or 0) < a.ndim else 1
    kth = c.r.randint(-n - c.chance(0.05), max(n - 1 + c.chance(0.05), -n))
    c.note("kth, axis", (kth, axis))
    along = -1 if axis is None else axis
    if c.name == "argpartition" and not a.ndim:  # of a number it has the places, but not the order
        return c.judge(attempt(lambda: np.argpartition(a, kth, along)), lambda: c.ga.argpartition(a, kth, axis=axis))
    if a.ndim and not a.size and not -n <= kth < n:
        raise Skip  # of an empty array the place does not matter here
    want = attempt(lambda: np.partition(a, kth, along) if n else ValueError())
    if isinstance(want, np.ndarray):
        order = np.argsort(a if a.dtype.kind == "c" else thirds(a, kth, along), along, kind="stable")
        got = np.take_along_axis(a, order, along)
        assert np.array_equal(*(np.take(x, kth, along) for x in (got, want)), equal_nan=a.dtype.kind in "fc")
        want = got if c.name == "partition" else order
    elif n == 0:
        raise Skip
    c.judge(want, lambda: getattr(c.ga, c.name)(a, kth, axis=axis))


@case("ravel_multi_index", "unravel_index")
def places(c):
    shape = tuple(c.r.randint(1, 9) for _ in range(c.r.randint(1, 4)))
    more = c.shape(c.pick(0, 1, 2), 50)
    dtype, mode = c.pick(I64, np.dtype("i4"), np.dtype("u1")), c.r.randrange(3) if c.chance(0.6) else None
    c.note("shape, mode", (shape, mode))
    if c.name == "unravel_index":
        size = int(np.prod(shape))
        i = np.asarray(c.g.integers(0, size + c.chance(0.02), more) % 128).astype(dtype) if c.chance(0.8) else c.r.randrange(size)
        c.note("i", i)
        return c.judge(attempt(lambda: np.stack(np.unravel_index(i, shape))), lambda: c.ga.unravel_index(i, shape))
    low, high = (0, min(shape) - 1 + c.chance(0.05)) if not mode else (0 if dtype.kind == "u" else -12, 12)
    indices = c.g.integers(low, high, (len(shape), *more), endpoint=True).astype(dtype)
    c.note("indices", indices)
    want = attempt(lambda: np.asarray(np.ravel_multi_index(tuple(indices), shape, mode=("raise", "wrap", "clip")[mode or 0])))
    c.judge(want, lambda: c.ga.ravel_multi_index(indices, shape, mode=mode))


@case("histogram_bin_edges")
def bin_edges(c):
    a, bins = c.array(style="small", among=INTS + FLOATS), c.r.randint(1, 12)
    named = {"low": -3.0, "high": 5.0} if c.chance(0.4) else {}
    c.note("bins", bins)
    want = attempt(lambda: np.histogram_bin_edges(a, bins, (-3.0, 5.0) if named else None))
    c.judge(want if isinstance(want, Exception) else want.astype(F64), lambda: c.ga.histogram_bin_edges(a, bins, **named), exact, named)


@case("histogramdd", "histogram2d")
def histogramdd(c):
    n, d = c.r.randint(1, 80), 2 if c.name == "histogram2d" else c.r.randint(1, 3)
    sample = c.array(c.pick(F64, F64, F32, I64), (n, d), c.pick("small", "unit"), name="sample")
    bins = tuple(c.r.randint(1, 6) for _ in range(d))
    named, given = {"density": c.pick(None, True)}, {}
    if c.chance(0.3):
        named["weights"] = given["weights"] = c.array(F64, (n,), "unit", name="weights")
    if c.chance(0.4):
        given["range"] = [(-3.0, 4.0)] * d
        named["ranges"] = (f64 * (2 * d))(*([-3.0, 4.0] * d))
    c.note("bins, options", (bins, given.keys(), named["density"]))
    with np.errstate(all="ignore"):
        want, edges = np.histogramdd(sample, bins, density=named["density"], **given)

    def check(want, got):
        for k, (w, g) in enumerate(zip(want, got, strict=True)):
            (exact if k else lambda w, g: Close(16, 1e-9)(w.astype(wide(w.dtype)), g, F64))(w, g)
    arguments = (np.ascontiguousarray(sample[:, 0]), np.ascontiguousarray(sample[:, 1])) if c.name == "histogram2d" else (sample,)
    c.judge([want, *(e.astype(F64) for e in edges)], lambda: getattr(c.ga, c.name)(*arguments, bins, **named, edges=[None] * d), check)
