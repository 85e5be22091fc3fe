"""Axes put in, arrays stacked, cut, edited; diagonals and triangles; rounding."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, Skip, attempt, exact, same_view, values_only
from ..dtypes import BOOL, FLOATS, I64, INTS, saturating, wide
from .rearranging import arrays_alike


@case("atleast_1d", "atleast_2d", "atleast_3d", "matrix_transpose")
def more_axes(c):
    a = c.array()
    c.judge(attempt(lambda: getattr(np, c.name)(a)), lambda: getattr(c.ga, c.name)(a), lambda w, g: same_view(c, w, g, c.ga.lies))


@case("hstack_n", "vstack_n", "dstack_n", "column_stack_n", covers=("hstack", "vstack", "dstack", "column_stack"))
def stacked(c):
    arrays, _ = arrays_alike(c, c.chance(0.5))
    f = getattr(np, c.name.removesuffix("_n"))
    c.judge(attempt(lambda: f(arrays)), lambda: getattr(c.ga, c.name)(arrays))


@case("broadcast_arrays")
def broadcast_arrays(c):
    shape = c.shape()
    arrays = [c.array(shape=c.broadcast(shape)) for _ in range(c.r.randint(1, 4))]

    def check(want, got):
        for w, g in zip(want, got, strict=True):
            exact(w, g)
    c.judge(attempt(lambda: list(np.broadcast_arrays(*arrays))), lambda: c.ga.broadcast_arrays(arrays, len(arrays)), check)


@case("array_split", "hsplit", "vsplit", "dsplit", "unstack")
def cut(c):
    a, n = c.array(), c.r.randint(1, 5)
    named = {}
    if c.name in ("array_split", "unstack") and a.ndim and c.chance(0.7):
        named["axis"] = c.r.randrange(-a.ndim, a.ndim)
    if c.name == "unstack":
        n = a.shape[named.get("axis", 0)] if a.ndim else 1
        if n == 0:
            raise Skip
        want = attempt(lambda: np.unstack(a, **named))
    else:
        want = attempt(lambda: getattr(np, c.name)(a, n, **named))

    def check(want, got):
        for w, g, place in zip(want, got, c.ga.lies, strict=True):
            same_view(c, w, g, place)
    c.judge(want if isinstance(want, Exception) else list(want), lambda: getattr(c.ga, c.name)(a, n, n, **named), check, named)


@case("append")
def append(c):
    a = c.array()
    axis = c.axis(a.ndim, several=False)
    shape = list(a.shape)
    if axis is None:
        values = c.number() if c.chance(0.4) else c.array()
        if not isinstance(values, np.ndarray) and isinstance(values, int) and not -2**63 <= values < 2**63:
            raise Skip
    else:
        if axis < a.ndim and shape and -a.ndim <= axis:
            shape[axis] = c.r.randint(0, 4)
        values = c.array(shape=tuple(shape))
    c.compare(np.append, c.ga.append, a, values, axis=axis)


def drawn_places(c, n, most):
    """A place, or an array of them."""
    low, high = -n - c.chance(0.03), most + c.chance(0.03)
    if high < low or c.chance(0.4):
        return c.r.randint(min(low, high), max(low, high, 0))
    count = c.pick(0, 1, 1, 2, 3, 5)
    places = c.g.integers(low, high, count, endpoint=True).astype(c.pick(I64, np.dtype("i4"), np.dtype("i2")))
    c.note("places", places)
    return places


@case("delete")
def delete(c):
    a = c.array()
    axis = c.axis(a.ndim, several=False)
    n = a.size if axis is None else a.shape[axis] if -a.ndim <= axis < a.ndim else 3
    which = c.array(BOOL, (n + c.chance(0.03),), name="flags") if c.chance(0.3) else drawn_places(c, n, n - 1)
    c.note("which", which)
    c.compare(np.delete, c.ga.delete, a, which, axis=axis)


@case("insert")
def insert(c):
    a = c.array()
    axis = c.axis(a.ndim, several=False)
    n = a.size if axis is None else a.shape[axis] if -a.ndim <= axis < a.ndim else 3
    places = drawn_places(c, n, n)
    several = isinstance(places, np.ndarray)
    if c.chance(0.4):
        values = c.r.randint(0, 1) if a.dtype == BOOL else c.r.randint(0, 9)
    else:
        shape = [a.size] if axis is None else list(a.shape)
        if -len(shape) <= (axis or 0) < len(shape):
            shape[axis or 0] = places.size if several else c.r.randint(1, 3)
        shape = [1 if c.chance(0.2) else k for k in shape]
        if not several and axis is not None and c.chance(0.5) and len(shape) > 1 and -a.ndim <= axis < a.ndim:
            del shape[axis]
        values = c.array(a.dtype if c.chance(0.6) else None, tuple(shape), "small", name="values")
        values = values if values.dtype == a.dtype or values.dtype.kind < "f" else saturating(values, a.dtype)
    c.note("where, values", (places, values))
    if np.any(np.asarray(places) < -n):  # NumPy counts them once more, from the end of the result
        return c.judge(IndexError("out of bounds"), lambda: c.ga.insert(a, places, values, axis=axis), named={"axis": axis})
    want = attempt(lambda: np.insert(a, places, saturating(values, a.dtype) if isinstance(values, np.ndarray) else values, axis=axis))
    c.judge(want, lambda: c.ga.insert(a, places, values, axis=axis), named={"axis": axis})


@case("resize")
def resize(c):
    a, shape = c.array(shape=c.shape(largest=50)), tuple(c.r.randint(-1 if c.chance(0.02) else 0, 9) for _ in range(c.r.randint(0, 3)))
    c.note("shape", shape)
    c.compare(np.resize, c.ga.resize, a, shape)


@case("trim_zeros")
def trim_zeros(c):
    a = c.array(shape=c.shape(c.pick(1, 1, 1, 1, 2)) if c.chance(0.05) else c.shape(1), style="small")
    if a.ndim == 1 and a.size and c.chance(0.8):
        a = a.copy()
        a[:c.r.randint(0, a.size)] = 0
        a[a.size - c.r.randint(0, a.size):] = 0
        c.note("trimmed", a)
    trim = c.pick(None, "f", "b", "fb", "B")
    c.note("trim", trim)
    if a.ndim != 1:
        return c.judge(ValueError("several dimensions"), lambda: c.ga.trim_zeros(a))
    c.judge(np.trim_zeros(a, **({} if trim is None else {"trim": trim})), lambda: c.ga.trim_zeros(a, trim=trim and trim.encode()))


@case("diag", "diagflat", "tril", "triu")
def diagonal_of(c):
    a, k = c.array(shape=c.shape(c.pick(None, 1, 2, 2))), c.r.randint(-9, 9) if c.chance(0.7) else None
    if c.name.startswith("diag") and a.size > 300 and a.ndim != 2:
        raise Skip
    want = attempt(lambda: getattr(np, c.name)(a, **({} if k is None else {"k": k})))
    if isinstance(want, np.ndarray) and want.ndim > 8:
        raise Skip
    c.judge(want, lambda: getattr(c.ga, c.name)(a, k=k), named={"k": k})


@case("tri", "identity")
def triangle(c):
    rows, cols, k, dtype = c.r.randint(0, 8), c.r.randint(0, 8), c.r.randint(-9, 9), c.dtype()
    c.note("rows, cols, k, dtype", (rows, cols, k, dtype))
    if c.name == "identity":
        return c.judge(np.identity(rows, dtype), lambda: c.ga.identity(rows, dtype=dtype))
    c.judge(np.tri(rows, cols, k, dtype), lambda: c.ga.tri(rows, cols, k, dtype=dtype))


@case("tril_indices", "triu_indices", "diag_indices")
def triangle_indices(c):
    n, k, m = c.r.randint(0, 8), c.r.randint(-9, 9) if c.chance(0.7) else None, c.r.randint(0, 8) if c.chance(0.5) else None
    c.note("n, k, m", (n, k, m))
    if c.name == "diag_indices":
        return c.judge(np.array(np.diag_indices(n, 3)).reshape(3, n), lambda: c.ga.diag_indices(n, 3))
    want = np.stack(getattr(np, c.name)(n, k or 0, m))
    c.judge(want, lambda: getattr(c.ga, c.name)(n, k=k, m=m))


@case("fill_diagonal")
def fill_diagonal(c):
    n = c.r.randint(0, 6)
    shape = c.pick((n,) * c.r.randint(1, 4), (c.r.randint(1, 20), c.r.randint(1, 6)))
    a, wrap = c.array(shape=shape, repeat=False), c.chance(0.4)
    among = [d for d in INTS + FLOATS + [BOOL] if np.can_cast(d, a.dtype, "same_kind")] or [a.dtype]
    value = c.r.randint(0, 1) if c.chance(0.4) else c.array(c.dtype(among), (c.r.randint(1, 9),), "small", name="value")
    want = a.copy()
    c.note("value, wrap", (value, wrap))
    if isinstance(value, np.ndarray):
        v = saturating(value, a.dtype)
    else:
        v = value
    want = attempt(lambda: np.fill_diagonal(want, v, wrap)) or want
    c.judge(want, lambda: c.ga.fill_diagonal(a, value, wrap=wrap))


@case("vander")
def vander(c):
    x = c.array(shape=c.shape(c.pick(1, 1, 1, 2), 30), style="unit")
    if x.size > 60:
        raise Skip
    n, up = c.r.randint(0, 6) if c.chance(0.6) else None, c.chance(0.5)
    if n is None and x.size > 8:
        n = 4
    c.note("n, increasing", (n, up))
    want = attempt(lambda: np.vander(x, n, up))
    if isinstance(want, np.ndarray) and want.dtype.kind in "fc":
        w = np.vander(x.astype(wide(want.dtype)), n, up)
        return c.judge(w, lambda: c.ga.vander(x, n=n, increasing=up), lambda w, g: Close(8)(w, g, want.dtype))
    c.judge(want, lambda: c.ga.vander(x, n=n, increasing=up))


@case("trace")
def trace(c):
    a = c.array(style=c.pick("small", "unit"), shape=c.shape(c.pick(2, 2, 3, 3, 4, 1)))
    named = {"offset": c.r.randint(-4, 4)}
    if c.chance(0.5) and a.ndim:
        named["axis1"], named["axis2"] = (c.r.randrange(-a.ndim, a.ndim) for _ in range(2))
    want = attempt(lambda: np.trace(a, **named))
    check = exact
    if isinstance(want, np.generic):
        want = np.asarray(want)
    if isinstance(want, np.ndarray) and want.dtype.kind in "fc":
        dtype, want = want.dtype, np.asarray(np.trace(a.astype(wide(want.dtype)), **named))
        check = lambda w, g: Close(4, 1e-5 if dtype.itemsize in (4,) or dtype == "c8" else 1e-13)(w, g, dtype)
    c.judge(want, lambda: c.ga.trace(a, **named), check, named)


@case("argwhere", "flatnonzero")
def where_nonzero(c):
    a = c.array(style=c.pick("small", "any"))
    c.judge(getattr(np, c.name)(a), lambda: getattr(c.ga, c.name)(a))


@case("round")
def rounded(c):
    a = c.array(among=INTS + FLOATS + [np.dtype("c8"), np.dtype("c16")], style=c.pick("any", "tame", "small"))
    decimals = c.r.randint(-3, 4) if c.chance(0.8) else None
    with np.errstate(all="ignore"):
        want = np.round(a, decimals or 0)
        if a.dtype.kind in "iu" and (decimals or 0) < 0:
            want = saturating(np.round(a.astype("f8"), decimals), a.dtype)
    c.judge(want, lambda: c.ga.round(a, decimals=decimals), values_only, {"decimals": decimals})


@case("geomspace")
def geomspace(c):
    start, stop = (c.r.choice((1, 2, 1000, 0.1, 7.5, 1e10, 3)) for _ in range(2))
    sign, num, end = c.pick(1, 1, -1), c.r.choice((0, 1, 2, 3, 5, 50)), c.chance(0.7)
    if c.chance(0.03):
        start = 0
    c.note("start, stop, num, endpoint", (sign * start, sign * stop, num, end))
    want = attempt(lambda: np.geomspace(sign * start, sign * stop, num, end))
    c.judge(want, lambda: c.ga.geomspace(sign * start, sign * stop, num, endpoint=end),
            lambda w, g: Close(16)(w.astype(wide(w.dtype)), g, w.dtype))
