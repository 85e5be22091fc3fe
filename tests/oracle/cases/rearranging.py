"""Arrays joined, split, rolled, repeated and padded."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Skip, same_view
from ..dtypes import DTYPES, INTS, ORDERED, saturating
from ..structs import i64


def arrays_alike(c, stack):
    shape, dtype, mixed = c.shape()[:7], c.dtype(), c.chance(0.3)
    axis, among = c.r.randrange(max(len(shape), 1)), c.pick(DTYPES, INTS, ORDERED)
    arrays = []
    for _ in range(c.r.randint(1, 4)):
        n = list(shape)
        if not stack and n:
            n[axis] = c.r.randint(0, 4)
        if n and c.chance(0.01):
            n[-1] += 1
        arrays.append(c.array(c.dtype(among) if mixed else dtype, tuple(n)))
    if not shape and not stack or c.chance(0.15) and axis == 0:
        return arrays, {}
    return arrays, {"axis": axis - len(shape) - stack if c.chance(0.3) else axis}


@case("concatenate_n", "stack_n", covers=("concatenate", "stack"))
def join(c):
    stack = c.name == "stack_n"
    arrays, named = arrays_alike(c, stack)
    f, call = np.stack if stack else np.concatenate, getattr(c.ga, c.name)
    if c.chance(0.15):
        named["dtype"] = c.dtype()
    try:
        want = f(arrays, **named)
        if "dtype" in named:
            want = f([saturating(a, want.dtype) for a in arrays], **named)
    except ERRORS as e:
        want = e
    c.judge(want, lambda: call(arrays, **named), named=named)


@case("split", "split_at")
def split(c):
    a = c.array()
    axis = c.r.randrange(-a.ndim, a.ndim) if a.ndim and c.chance(0.7) else None
    named = {} if axis is None else {"axis": axis}
    if c.name == "split":
        divisors = [k for k in range(1, 9) if a.ndim and a.shape[axis or 0] % k == 0] or [1]
        n = c.pick(*divisors) if c.chance(0.9) else c.r.randint(1, 5)
        cuts, call = n, lambda: c.ga.split(a, n, n, **named)
    else:
        cuts = sorted(c.r.randint(-3, 15) for _ in range(c.r.randint(0, 4)))
        call = lambda: c.ga.split_at(a, len(cuts) + 1, (i64 * max(len(cuts), 1))(*cuts), len(cuts) + 1, **named)
    c.note("cuts", cuts)
    try:
        want = np.split(a, cuts, **named)
    except ERRORS as e:
        want = e

    def check(want, got):
        for w, g, place in zip(want, got, c.ga.lies, strict=True):
            same_view(c, w, g, place)
    c.judge(want, call, check, named)


@case("roll")
def roll(c):
    a = c.array()
    c.compare(np.roll, c.ga.roll, a, c.r.randint(-9, 9), axis=c.axis(a.ndim, several=False))


@case("repeat")
def repeat(c):
    a = c.array()
    count, axis = -1 if a.size and c.chance(0.05) else c.r.randint(0, 4), c.axis(a.ndim, several=False)
    if c.chance(0.5):
        n = a.size if axis is None else a.shape[axis] if -a.ndim <= axis < a.ndim else 1
        n += c.chance(0.05)
        dtype = c.dtype([d for d in INTS if d != np.uint64])
        count = c.g.integers(-1 if dtype.kind == "i" and c.chance(0.05) else 0, 4, n).astype(dtype)
    c.compare(np.repeat, c.ga.repeat, a, count, axis=axis)


@case("tile")
def tile(c):
    a, reps = c.array(shape=c.shape(largest=50)), tuple(c.r.randint(0, 3) for _ in range(c.r.randint(1, 3)))
    c.note("reps", reps)
    c.compare(np.tile, c.ga.tile, a, reps)


@case("pad")
def pad(c):
    a, mode = c.array(shape=c.shape(c.r.randint(1, 3), 100)), c.r.randrange(5)
    if a.size > 3000:
        raise Skip
    each, named = c.chance(0.6), {"mode": mode}
    before = tuple(c.r.randint(0, 5) for _ in range(a.ndim if each else 1))
    after = tuple(c.r.randint(0, 5) for _ in range(len(before))) if c.chance(0.5) else None
    value = float(c.r.randint(0, 9)) if mode == 0 and c.chance(0.5) else None
    widths = [(x, y) for x, y in zip(before, after or before)]
    c.note("before, after, mode", (before, after, mode))
    name = ["constant", "edge", "reflect", "symmetric", "wrap"][mode]
    try:
        want = np.pad(a, widths, name, **({"constant_values": value or 0} if mode == 0 else {}))
    except ERRORS as e:
        want = e
    c.judge(want, lambda: c.ga.pad(a, before, after=after, value=value, **named))
