"""Elementwise kernels of one's own: the formulas of tests/oracle_kernels.c once more, in NumPy."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, Mismatch, Skip, equal_bits, exact
from ..dtypes import BOOL, C128, DTYPES, F64, FLOATS, I64, INTS, LONG, REALS, saturating, too_large_alone
from ..kernels import C_NAMES, elementary, mix, of_parts, own_operands, stamp_of, taken
from ..outputs import dtype_for_out, expect_success, run_map


def fused(a, x, y):
    product = a.astype(LONG) * x
    return product + y, Close(1, np.where(np.isfinite(product), np.abs(product), 0) * 2.0**-62)


def divided(x, y):
    x, y = x.astype("i4"), y.astype("i4")
    quotient = np.where(y == 0, 0, np.sign(x) * np.sign(y) * (np.abs(x) // np.maximum(np.abs(y), 1))).astype("i4")
    return [quotient, (x - quotient * y).astype("i2"), x % 2 == 0]


# Name: the dtypes of the parameters (T: one of the family), the family, what it computes of arrays with one axis: a result or a list of
# them, each an array or the reference in a wider dtype and how to compare with it; and the dtypes of the results, where those are wider.
FORMULAS = {
    "axpy": ("f4 f4 f4", None, lambda a, x, y: a * x + y),
    "fused": ("f8 f4 f8", None, fused, "f8"),
    "place": ("?", None, lambda x: np.arange(x.size) * 2 + x),
    "divisor": ("u8 u8", None, np.gcd),
    "eight": ("? i1 u2 i4 u4 i8 f4 c8", None,
              lambda a, b, c, d, e, f, g, h: a + b * F64.type(2) + c * F64.type(3) + d * F64.type(4) + e * F64.type(5) + f + g + h.imag),
    "polar": ("f8 f8", None, lambda x, y: [elementary(np.hypot, x, y), elementary(np.arctan2, y, x)], "f8 f8"),
    "divided": ("i2 i1", None, divided),
    "spun": ("c16 f8", None, lambda z, w: of_parts(z.real * w + z.imag, z.imag * w - z.real, C128)),
    "parts": ("c8", None, lambda z: [of_parts(z.real * F64.type(2), z.imag * F64.type(2), C128), z.real, z.imag, ((z.real < 0) + 2 * (z.imag < 0)).astype("u1")]),
    "clamp": ("T T T", REALS, lambda x, low, high: np.where(x < low, low, np.where(x > high, high, x))),
    "scramble": ("T T", INTS, lambda x, y: [x ^ (y + (y < 0) >> 1), x & y]),
    "squashed": ("T", FLOATS, lambda x: elementary(np.tanh, x), "T"),
    "halves": ("T", FLOATS, lambda x: [np.floor(x / x.dtype.type(2)), -(x < 0).astype("i1")]),
}
FORMULAS.update({"mix_" + C_NAMES[d]: (f"{d.str} {d.str}", None, mix) for d in DTYPES})


@case("apply_n")
def own_elementwise(c):
    name = c.pick(*FORMULAS)
    takes, family, formula, *wide_results = FORMULAS[name]
    drawn = c.dtype(family) if family else None
    xs = own_operands(c, [drawn if t == "T" else np.dtype(t) for t in takes.split()])
    c.note("kernel", name)
    call = lambda *xs, **named: c.ga.apply_n(name, xs, **named)
    try:
        if family and too_large_alone(xs):
            raise Skip
        t = stamp_of(family, [x for x, d in zip(xs, takes.split()) if d == "T"]) if family else None
        operands = [taken(x, t if d == "T" else np.dtype(d)) for x, d in zip(xs, takes.split())]
        shape = np.broadcast_shapes(*(x.shape for x in operands))
    except ERRORS as e:
        return c.judge(e, lambda: call(*xs))
    results = formula(*(np.broadcast_to(x, shape).reshape(-1) for x in operands))
    results = [r if isinstance(r, tuple) else (r, exact) for r in (results if isinstance(results, list) else [results])]
    dtypes = [t if d == "T" else np.dtype(d) for d in wide_results[0].split()] if wide_results else [r.dtype for r, _ in results]
    results = [(r.reshape(shape), d, reshaped(check, shape)) for (r, check), d in zip(results, dtypes)]
    if len(results) > 1:
        return own_results(c, call, xs, results)
    want, dtype, check = results[0]
    if name == "place":  # a mask may make the result larger
        named = {"out": c.target(shape, I64)} if c.chance(0.3) else {}
        return c.judge(want, lambda: call(*xs, **named))
    run_map(c, call, xs, want, dtype, check)


def reshaped(check, shape):
    if isinstance(check, Close) and isinstance(check.slack, np.ndarray):
        check.slack = check.slack.reshape(shape)
    return check


def own_results(c, call, xs, results):
    """A call with several results, some of them written into given arrays."""
    shape, where = results[0][0].shape, None
    outs = [None] * len(results)
    if c.chance(0.15):
        where = c.array(BOOL, c.broadcast(shape), name="where")
    for k, (_, dtype, _) in enumerate(results):
        if c.chance(0.3):
            outs[k] = c.target(shape, dtype_for_out(c, dtype), c.pick(*xs) if not any(o is not None for o in outs) else None)
    given = [o for o in outs if o is not None]
    run = lambda: call(*xs, outs=outs, where=where)
    try:
        whole_shape = shape if where is None else np.broadcast_shapes(shape, where.shape)
        if given and whole_shape != shape:
            raise ValueError("the given arrays are too small")
        if not all(o is None or np.can_cast(d, o.dtype, "same_kind") for o, (_, d, _) in zip(outs, results)):
            raise TypeError("a result does not go into its array")
    except ERRORS as e:
        return c.judge(e, run)
    before = [None if o is None else o.copy() for o in outs]
    first, *new = expect_success(run)
    if outs[0] is not None and not equal_bits(np.ascontiguousarray(first), np.ascontiguousarray(outs[0])):
        raise Mismatch("the array returned is not the first of .outs")
    mask = np.broadcast_to(True if where is None else where, whole_shape)
    for k, (want, dtype, check) in enumerate(results):
        got = outs[k] if outs[k] is not None else first if k == 0 else new.pop(0)
        want = np.broadcast_to(want, whole_shape)
        if isinstance(check, Close) and got.dtype != dtype:
            continue
        if got is outs[k]:
            want = want if isinstance(check, Close) else saturating(want, got.dtype)
            check(np.where(mask, want, before[k].astype(want.dtype)), got, *[dtype] * isinstance(check, Close))
        else:
            check(np.where(mask, want, want.dtype.type(0)), got, *[dtype] * isinstance(check, Close))
    if new:
        raise Mismatch("there are more results")
