"""float16: computed in float32 and then rounded, as NumPy does, or nearer to the truth."""
import numpy as np

from ..case import case
from ..comparing import Close, Mismatch, Skip, attempt, values_only
from ..dtypes import BOOL, DTYPES, F16, F32, F64, saturating

EXACT1 = "negative absolute sqrt floor ceil trunc rint square reciprocal isnan isinf isfinite positive logical_not spacing".split()
EXACT2 = "add subtract multiply divide less less_equal greater equal not_equal logical_and logical_or maximum minimum fmax fmin nextafter".split()
NEAR1 = "exp exp2 expm1 log log2 log10 log1p sin cos tan arctan sinh tanh arcsinh cbrt".split()
NEAR2 = "power hypot arctan2".split()
TO = [BOOL] + [np.dtype(d) for d in "i1 u1 i2 u2 i4 i8 f4 f8".split()]


def close(want, got):
    Close(1, np.finfo(F16).smallest_subnormal)(np.asarray(want), got, F16)


@case("half_rows")
def half_rows(c):
    name = c.pick(*EXACT1, *EXACT2, *EXACT2, *NEAR1, *NEAR2)
    x = c.array(F16)
    xs = [x]
    if name in EXACT2 + NEAR2:
        other = c.pick(F16, F16, None, *(TO if name in EXACT2 else []))
        number = c.pick(0.1, -2.5, 3, 1e-7, 2049, 0.5)
        xs.append(number if other is None else c.array(other, x.shape))
    f, call = getattr(np, name), getattr(c.ga, name)
    want = attempt(lambda: np.asarray(f(*xs)))
    if name in NEAR1 + NEAR2:
        full = [np.full(x.shape, np.float16(v)) if np.isscalar(v) else v for v in xs]  # of a number 0.5 NumPy takes the square root
        wider = np.asarray(f(*(v.astype(F64) for v in full)))
        return c.judge(wider, lambda: call(*xs), close)
    c.judge(want, lambda: call(*xs), values_only)


@case("half_folds")
def half_folds(c):
    name = c.pick(*"sum mean max min prod var std argmax argmin any all count_nonzero nansum median sort argsort cumsum".split())
    x = c.array(F16, style=c.pick("small", "unit", "tame"))
    if x.ndim == 0 or x.size == 0 or np.isnan(x).any():
        raise Skip
    axis = c.r.randrange(x.ndim)
    f, call = getattr(np, name), getattr(c.ga, name)
    if name in ("max", "min", "argmax", "argmin", "any", "all", "count_nonzero", "sort"):
        return c.judge(f(x, axis=axis), lambda: call(x, axis=axis), values_only)
    if name == "argsort":
        return c.judge(np.argsort(x, axis=axis, kind="stable"), lambda: call(x, axis=axis))
    assert f(x, axis=axis).dtype == F16
    c.judge(f(x.astype(F64), axis=axis), lambda: call(x, axis=axis), close)


@case("half_casts")
def half_casts(c):
    if c.chance(0.5):
        x = c.array(among=DTYPES)
        want = x.real.astype(F16) if x.dtype.kind in "fc" else x.astype(F16)
        return c.judge(want, lambda: c.ga.astype(x, F16))
    x, dtype = c.array(F16), c.pick(*DTYPES)
    c.judge(saturating(x.astype(F32), dtype), lambda: c.ga.astype(x, dtype))


@case("half_moves")
def half_moves(c):
    x = c.array(F16, shape=c.shape(c.pick(1, 2, 3)))
    axis, n = c.r.randrange(x.ndim), c.r.randint(-5, 5)
    which = c.r.randrange(5)
    if which == 0:
        c.judge(np.roll(x, n, axis=axis), lambda: c.ga.roll(x, n, axis=axis))
    elif which == 1:
        c.judge(np.repeat(x, abs(n), axis=axis), lambda: c.ga.repeat(x, abs(n), axis=axis))
    elif which == 2:
        indices = np.array(c.g.integers(0, max(x.shape[axis], 1), 0 if x.shape[axis] == 0 else 4))
        c.judge(np.take(x, indices, axis=axis), lambda: c.ga.take(x, indices, axis=axis))
    elif which == 3:
        y, condition = c.array(c.pick(F16, F16, *TO), x.shape), c.array(BOOL, x.shape)
        c.judge(np.where(condition, x, y), lambda: c.ga.where(condition, x, y))
    else:
        y = np.where(np.isnan(x) | (x == 0), F16.type(1), x)  # which of 0 and -0 is left differs
        c.judge(np.unique(y), lambda: c.ga.unique(y))


@case("half_texts")
def half_texts(c):
    x, full = c.array(F16, style=c.pick("any", "small", "tame")), c.chance(0.4)
    with np.printoptions(precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False):
        want = repr(x) if full else str(x)
    got = c.ga.to_string(x, **({"repr": True} if full else {}))
    if got != want:
        raise Mismatch(f"want\n{want}\ngot\n{got}")
