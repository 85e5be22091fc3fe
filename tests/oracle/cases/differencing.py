"""Differences, gradients, running sums, averages, covariances, polynomials and windows."""
import numpy as np

from ..case import case
from ..comparing import Close, Mismatch, Skip, any_nan, attempt, exact, values_only
from ..dtypes import BOOL, C128, C64, F32, F64, FLOATS, I64, INTS, REALS, wide


def near(c, f, call, dtype, ulps=4, slack=0.0, named=None):
    """f of arrays in a wider dtype, against call(); dtype: of the result."""
    with np.errstate(all="ignore"):
        want = attempt(f)
    c.judge(want, call, lambda w, g: Close(ulps, slack)(w, g, dtype), named)


def widened(a):
    return a.astype(wide(a.dtype)) if a.dtype.kind in "fc" else a


@case("diff")
def diff(c):
    a = c.array(style=c.pick("small", "tame", "any"))
    axis = c.axis(a.ndim, several=False)
    named = {"n": c.r.randint(0, 3) if c.chance(0.6) else None, "axis": axis}
    for end in ("prepend", "append"):
        if c.chance(0.25) and a.ndim and (axis is None or -a.ndim <= axis < a.ndim):
            shape = list(a.shape)
            shape[-1 if axis is None else axis] = c.r.randint(0, 3)
            named[end] = c.pick(0, 1, 2.5) if c.chance(0.4) else c.array(a.dtype, tuple(shape), "small", name=end)
    given = {k: v for k, v in named.items() if v is not None}
    with np.errstate(all="ignore"):
        want = attempt(lambda: np.diff(a, **given))
    c.judge(want, lambda: c.ga.diff(a, **named), any_nan, named)


@case("ediff1d")
def ediff1d(c):
    a = c.array(style=c.pick("small", "tame"))
    named = {}
    for end in ("to_end", "to_begin"):
        if c.chance(0.3):
            named[end] = c.array(a.dtype if c.chance(0.7) else None, (c.r.randint(0, 3),), "small", name=end)
    with np.errstate(all="ignore"):
        want = attempt(lambda: np.ediff1d(a, **named))
    if isinstance(want, TypeError) and a.size < 2:
        raise Skip  # NumPy does not subtract then
    c.judge(want, lambda: c.ga.ediff1d(a, **named), any_nan, {})


@case("gradient")
def gradient(c):
    a = c.array(among=FLOATS + INTS + [C64, C128], style="unit", shape=c.shape(c.pick(1, 1, 2, 2, 3)))
    order, axis = c.pick(None, 1, 2), c.axis(a.ndim, several=False, given=0.7)
    named = {"edge_order": order, "axis": axis}
    given = []
    if axis is not None and -a.ndim <= axis < a.ndim and c.chance(0.4):
        n = a.shape[axis]
        x = np.cumsum(c.g.integers(1, 9, n)) / 4.0 if c.chance(0.7) else np.arange(n) * 0.25
        given, named["spacing"] = [x], x
    elif c.chance(0.4):
        given = [c.pick(0.5, 2.0, 0.1)]
        named["spacing"] = given[0]
    c.note("spacing", given)
    kept = {k: v for k, v in named.items() if v is not None and k != "spacing"}
    def f():
        out = np.gradient(widened(a), *given, **kept)
        return np.stack(out) if isinstance(out, tuple) else out
    dtype = a.dtype if a.dtype.kind in "fc" else F64
    near(c, f, lambda: c.ga.gradient(a, **named), dtype, 16, 1e-4 if dtype in (F32, C64) else 1e-12, {k: v for k, v in named.items() if k != "spacing"})


@case("trapezoid")
def trapezoid(c):
    y = c.array(among=FLOATS + INTS, style="unit")
    named = {"axis": c.axis(y.ndim, several=False), "dx": c.pick(None, 0.5, 3.0)}
    axis = -1 if named["axis"] is None else named["axis"]
    if y.ndim and -y.ndim <= axis < y.ndim and c.chance(0.4):
        shape = y.shape if c.chance(0.5) else (y.shape[axis],)
        named["x"] = np.cumsum(c.g.integers(0, 9, shape) / 4.0, -1 if len(shape) == 1 else axis)
        c.note("x", named["x"])
    given = {k: v for k, v in named.items() if v is not None}
    dtype = F32 if y.dtype == F32 and "x" not in named else F64
    near(c, lambda: np.asarray(np.trapezoid(widened(y), **given)), lambda: c.ga.trapezoid(y, **named), dtype, 8,
         1e-2 if y.dtype == F32 else 1e-9, {"axis": named["axis"]})


@case("unwrap")
def unwrap(c):
    p = c.array(among=FLOATS + [I64, np.dtype("i4")], shape=c.shape(c.pick(1, 1, 2, 3)))
    p = (c.g.standard_normal(p.shape) * c.pick(2, 10, 300)).astype(p.dtype)
    c.note("p", p)
    named = {"axis": c.axis(p.ndim, several=False), "discont": c.pick(None, None, 4.0), "period": c.pick(None, 360, 4, 7, 2.5)}
    given = {k: v for k, v in named.items() if v is not None}
    want = attempt(lambda: np.unwrap(p, **given))
    if isinstance(want, Exception) or want.dtype.kind == "i":
        return c.judge(want, lambda: c.ga.unwrap(p, **named), exact, named)
    c.judge(want, lambda: c.ga.unwrap(p, **named),
            lambda w, g: Close(8, 0.05 if want.dtype == F32 else 1e-9)(w.astype(wide(w.dtype)), g, w.dtype), named)


@case("cumulative_sum", "cumulative_prod")
def cumulative(c):
    a = c.array(style="unit", among=INTS + [BOOL, F64], shape=c.shape(c.pick(None, 1, 2), 40))
    if a.size > 400 and c.name.endswith("prod"):
        raise Skip
    named = {"axis": c.axis(a.ndim, several=False), "include_initial": c.chance(0.5) or None}
    given = {k: v for k, v in named.items() if v is not None}
    want = attempt(lambda: getattr(np, c.name)(a, **given))
    if isinstance(want, np.ndarray) and want.dtype.kind == "f":
        return near(c, lambda: getattr(np, c.name)(widened(a), **given), lambda: getattr(c.ga, c.name)(a, **named), F64, 64, 1e-10, named)
    c.judge(want, lambda: getattr(c.ga, c.name)(a, **named), exact, named)


@case("nancumsum", "nancumprod")
def nan_cumulative(c):
    a = c.array(style="unit", among=FLOATS + INTS + [BOOL], shape=c.shape(c.pick(None, 1, 2), 40))
    if a.size > 400 and c.name.endswith("prod"):
        raise Skip
    if a.dtype.kind == "f" and c.chance(0.7):
        a = a.copy()
        a[c.g.random(a.shape) < 0.2] = np.nan
        c.note("with NaN", a)
    named = {"axis": c.axis(a.ndim, several=False)}
    want = attempt(lambda: getattr(np, c.name)(a, **named))
    if isinstance(want, np.ndarray) and want.dtype.kind == "f":
        return near(c, lambda: getattr(np, c.name)(widened(a), **named), lambda: getattr(c.ga, c.name)(a, **named), a.dtype, 64,
                    1e-3 if a.dtype == F32 else 1e-10, named)
    c.judge(want, lambda: getattr(c.ga, c.name)(a, **named), exact, named)


@case("ptp")
def ptp(c):
    a = c.array(among=INTS + FLOATS)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    with np.errstate(all="ignore"):
        want = attempt(lambda: np.asarray(np.ptp(a, **named)))
    c.judge(want, lambda: c.ga.ptp(a, **named), values_only, named)


@case("average")
def average(c):
    a = c.array(among=INTS + FLOATS + [BOOL], style="unit")
    named = {"axis": c.axis(a.ndim, several=c.chance(0.5)), "keepdims": c.chance(0.3)}
    axis, weights, given = named["axis"], None, {}
    if c.chance(0.6):
        shape = a.shape
        if isinstance(axis, int) and -a.ndim <= axis < a.ndim and c.chance(0.5):
            shape = (a.shape[axis],)
        weights = c.g.integers(0, 5, shape).astype(c.pick(I64, F64, F32))
        c.note("weights", weights)
        given["weights"] = weights
    if a.size == 0:
        raise Skip  # NumPy divides by the size of the result, or asks for weights that no element has
    want = attempt(lambda: np.average(a, **named, returned=True, **given))
    if isinstance(want, Exception):
        return c.judge(want, lambda: c.ga.average(a, **named, **given), exact, named)
    if np.asarray(want[0]).size == 0 or a.size == 0:
        raise Skip
    dtype = np.asarray(want[0]).dtype
    wider = [np.asarray(v) for v in np.average(widened(a), **named, returned=True, **{k: v.astype(F64) for k, v in given.items()})]
    got = c.ga.average(a, **named, **given, sum_of_weights=True)
    for w, g in zip(wider, got, strict=True):
        if weights is None and g is got[1]:
            w = np.broadcast_to(w, wider[0].shape)
        Close(8, 1e-4 if dtype == F32 else 1e-12)(np.asarray(w).astype(wide(dtype)), g, dtype)


@case("cov", "corrcoef")
def covariance(c):
    n, k = c.r.randint(2, 12), c.r.randint(1, 4)
    shape = c.pick((k, n), (k, n), (n,))
    m = c.array(among=INTS[2:] + FLOATS + [C128], shape=shape, style="unit", name="m")
    named = {"rowvar": c.pick(None, None, False)}
    if len(shape) == 1 and named["rowvar"] is False:
        named["rowvar"] = None
    if c.chance(0.3):
        other = (c.r.randint(1, 3), n) if named["rowvar"] is None else (k, c.r.randint(1, 3))
        if other[0] > 1 or named["rowvar"] is None:
            named["y"] = c.array(c.pick(F64, I64), other, "unit", name="y")
    if c.name == "cov" and c.chance(0.6):
        observations = n if named["rowvar"] is None else k
        named["bias"], named["ddof"] = c.pick(None, True), c.pick(None, 0, 1)
        if c.chance(0.4):
            named["fweights"] = c.g.integers(1, 5, observations)
        if c.chance(0.4):
            named["aweights"] = c.g.integers(1, 5, observations) / 2
        c.note("weights", (named.get("fweights"), named.get("aweights")))
    given = {key: v for key, v in named.items() if v is not None}
    with np.errstate(all="ignore"):
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = attempt(lambda: np.asarray(getattr(np, c.name)(m, **given)))
    if not isinstance(want, Exception) and not np.isfinite(want).all():
        raise Skip
    if c.name == "corrcoef" and not np.all(np.abs(np.diag(np.atleast_2d(np.cov(m, **given)))) > 1e-9):
        raise Skip  # of what is constant, but for rounding, nothing can be said
    c.judge(want, lambda: getattr(c.ga, c.name)(m, **named),
            lambda w, g: Close(64, 1e-9)(w.astype(wide(w.dtype)), g, w.dtype), {})


@case("nan_to_num")
def nan_to_num(c):
    a = c.array()
    named = {"nan": c.pick(None, 1.5, -2.0) if c.chance(0.5) else None, "posinf": c.pick(None, 9.0), "neginf": c.pick(None, -9.0)}
    given = {k: v for k, v in named.items() if v is not None}
    c.judge(np.nan_to_num(a, **given), lambda: c.ga.nan_to_num(a, **named), exact, named)


@case("i0")
def i0(c):
    a = c.array(among=FLOATS + INTS, style="tame")
    a = np.clip(a, -700, 700) if a.dtype.kind == "f" else np.clip(a, -100 if a.dtype.kind == "i" else 0, 100)
    a = a.astype(a.dtype)
    c.note("clipped", a)
    import scipy.special
    dtype = a.dtype if a.dtype.kind == "f" else F64
    with np.errstate(all="ignore"):
        want = scipy.special.i0(a.astype(F64))
    c.judge(want.astype(wide(dtype)), lambda: c.ga.i0(a), lambda w, g: Close(16)(w, g, dtype))


@case("polyval", "poly")
def polynomial(c):
    p = c.array(shape=(c.r.randint(0, 6),), style="unit", among=REALS + [C64, C128], name="p")
    if c.name == "poly":
        if p.dtype.kind == "c" and c.chance(0.5):
            p = np.concatenate((p, p.conj()))
            c.note("conjugate", p)
        want = np.atleast_1d(np.poly(p))
        if want.dtype.kind in "iu" or p.size == 0:
            raise Skip
        return c.judge(want, lambda: c.ga.poly(p), lambda w, g: Close(64, 1e-2 if w.dtype in (F32, C64) else 1e-9)(w.astype(wide(w.dtype)), g, w.dtype))
    x = c.array(style="unit", among=REALS + [C64, C128], name="x") if c.chance(0.7) else c.pick(2, 0.5, 3)
    want = np.asarray(np.polyval(p, x))
    if want.dtype.kind in "iu":
        return c.judge(want, lambda: c.ga.polyval(p, x))
    c.judge(want, lambda: c.ga.polyval(p, x),
            lambda w, g: Close(64, 1e-3 if w.dtype in (F32, C64) else 1e-9)(w.astype(wide(w.dtype)), g, w.dtype))


@case("bartlett", "blackman", "hamming", "hanning", "kaiser")
def window(c):
    m, beta = c.r.choice((0, 1, 2, 3, 4, 10, 51, 100, -1)), c.pick(0.0, 5.0, 14.0)
    c.note("m, beta", (m, beta))
    given = (m, beta) if c.name == "kaiser" else (m,)
    c.judge(getattr(np, c.name)(*given), lambda: getattr(c.ga, c.name)(*given), lambda w, g: Close(64, 1e-15)(w.astype(wide(w.dtype)), g, F64))
