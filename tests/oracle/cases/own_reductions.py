"""Reductions of one's own: whole lines, folded along the documented tree."""
import math

import numpy as np

from ..case import case
from ..comparing import ERRORS, Mismatch, Skip, exact
from ..dtypes import BOOL, C128, F32, F64, FLOATS, I64, INTS, REALS, too_large_alone
from ..kernels import of_parts, own_operands, stamp_of, taken
from ..outputs import put_result


def tree(accs, join):
    """Folds lines of accumulators (a tuple of arrays with these along the last axis) along the documented tree."""
    folded = []
    for start in range(0, accs[0].shape[-1], 1024):
        part = [a[..., start:start + 1024] for a in accs]
        n, h = part[0].shape[-1], 1
        while h < n:
            h *= 2
        while h > 1:
            h //= 2
            both = join([a[..., :n - h] for a in part], [a[..., h:n] for a in part])
            part = [np.concatenate([x, a[..., n - h:h]], -1) for x, a in zip(both, part)]
            n = h
        folded.append(part)
    accs = [np.concatenate(same, -1) for same in zip(*folded)]
    return tree(accs, join) if len(folded) > 1 else [a[..., 0] for a in accs]


def adds(a, b):
    return [x + y for x, y in zip(a, b)]


def larger(a, b):
    second = (b[0] > a[0]) | (b[0] == a[0]) & (b[1] < a[1])
    return [np.where(second, y, x) for x, y in zip(a, b)]


def join_moments(a, b):
    n, d = a[0] + b[0], b[1] - a[1]
    return [n, a[1] + d * (b[0] / n), a[2] + b[2] + d * d * (a[0] * b[0] / n)]


class Folding:
    """The parameters' dtypes (T: one of the family), the start, the accumulator of elements and their numbers, join, finish; and what NumPy says of a line."""

    def __init__(self, takes, start, of, join, finish, numpys, family=None):
        self.takes, self.start, self.of, self.join, self.finish, self.numpys, self.family = takes.split(), start, of, join, finish, numpys, family


FOLDINGS = {
    "dot": Folding("f8 f8", [F64.type(0)], lambda i, x, y: [x * y], adds, lambda a, n: a[0], lambda x, y: (x * y).sum(-1)),
    "magnitude": Folding("f4", [F64.type(0)], lambda i, x: [x.astype(F64) * x], adds, lambda a, n: np.sqrt(a[0]).astype(F32),
                         lambda x: np.sqrt((x.astype(F64)**2).sum(-1)).astype(F32)),
    "isum": Folding("i8", [I64.type(0)], lambda i, x: [x], adds, lambda a, n: a[0], lambda x: x.sum(-1)),
    "parity": Folding("?", [BOOL.type(True)], lambda i, x: [x], lambda a, b: [a[0] != b[0]], lambda a, n: a[0], lambda x: x.sum(-1) % 2 == 1),
    "xored": Folding("u1 u1", [np.uint8(7)], lambda i, x, y: [x + y], lambda a, b: [a[0] ^ b[0]], lambda a, n: a[0],
                     lambda x, y: np.bitwise_xor.reduce(x + y, -1)),
    "weighted": Folding("f8 f4 i4", [F64.type(0)], lambda i, x, w, k: [x * w + k], adds,
                        lambda a, n: a[0] * F64.type(0.1) + F64.type(1) / F64.type(n), lambda x, w, k: (x * w + k).sum(-1) * 0.1 + 1 / x.shape[-1]),
    "last": Folding("?", [I64.type(-1)], lambda i, x: [np.where(x, i, -1)], lambda a, b: [np.maximum(a[0], b[0])], lambda a, n: a[0],
                    lambda x: np.where(x.any(-1), x.shape[-1] - 1 - x[..., ::-1].argmax(-1), -1)),
    "csum": Folding("c16", [F64.type(0)] * 2, lambda i, x: [x.real, x.imag], adds, lambda a, n: of_parts(-a[1], a[0], C128), lambda x: x.sum(-1) * 1j),
    "argmost": Folding("f4 f4", [F32.type(-np.inf), I64.type(-1)], lambda i, x, y: [x - y, np.broadcast_to(i, x.shape)], larger, lambda a, n: a[1],
                       lambda x, y: (x - y).argmax(-1)),
    "turned": Folding("f8 f8", [F64.type(1)] * 2, lambda i, x, y: [x * y + x, x * y - x],
                      lambda a, b: [a[0] * F64.type(0.5) + b[0], a[1] * F64.type(0.5) - b[1]], lambda a, n: of_parts(*a, C128), None),
    "variance": Folding("f8", [F64.type(0)] * 3, lambda i, x: [np.ones(x.shape), x, np.zeros(x.shape)], join_moments, lambda a, n: a[2] / a[0],
                        lambda x: x.var(-1)),
    "total": Folding("T", [np.int8(0)], lambda i, x: [x], adds, lambda a, n: a[0], None, REALS),
    "smallest": Folding("T T", [np.int8(77)], lambda i, x, y: [np.where(x > y, x - y, y - x)], lambda a, b: [np.minimum(a[0], b[0])], lambda a, n: a[0],
                        lambda x, y: np.where(x > y, x - y, y - x).min(-1), INTS),
    "energy": Folding("T i1", [F64.type(0)], lambda i, x, k: [x.astype(F64) * x * k], adds, lambda a, n: a[0] / F64.type(n), None, FLOATS),
}


@case("reduce_n")
def own_reduction(c):
    name = c.pick(*FOLDINGS)
    f = FOLDINGS[name]
    drawn = c.dtype(f.family) if f.family else None
    xs = own_operands(c, [drawn if t == "T" else np.dtype(t) for t in f.takes], "small" if f.family is REALS or f.family is INTS else c.pick("tame", "small", None))
    c.note("reduction", name)
    ndim = max(np.ndim(x) for x in xs)
    named = {"axis": c.axis(ndim), "keepdims": c.chance(0.3)}
    if c.chance(0.01):
        named["dtype"] = F64
    c.note("options", named)
    call = lambda _, **named: c.ga.reduce_n(name, xs, **named)
    try:
        if f.family and too_large_alone(xs):
            raise Skip
        t = stamp_of(f.family, [x for x, d in zip(xs, f.takes) if d == "T"]) if f.family else None
        operands = [taken(x, t if d == "T" else np.dtype(d)) for x, d in zip(xs, f.takes)]
        shape = np.broadcast_shapes(*(x.shape for x in operands))
        shape_of_result = np.zeros(shape, bool).any(named["axis"], keepdims=named["keepdims"]).shape
        if "dtype" in named:
            raise TypeError("its definition has the dtype")
    except ERRORS as e:
        return c.judge(e, lambda: call(None, **named))
    axis = named["axis"]
    reduced = sorted(d % ndim for d in (range(ndim) if axis is None else axis if isinstance(axis, tuple) else [axis]))
    kept = [d for d in range(ndim) if d not in reduced]
    n, lines = math.prod(shape[d] for d in reduced), math.prod(shape[d] for d in kept)
    operands = [np.broadcast_to(x, shape).transpose(kept + reduced).reshape(lines, n) for x in operands]
    if n == 0:
        want = f.finish([np.full(lines, s) for s in f.start], 0)
    else:
        want = f.finish(tree(f.of(np.arange(n), *operands), f.join), n)
        if not f.numpys or not all(np.isfinite(x).all() for x in operands):  # without one, the order matters
            numpys = want
        else:
            numpys = np.asarray(f.numpys(*operands))
        scale = max((float(np.abs(x).max(initial=0)) for x in operands if x.dtype.kind in "fc"), default=0)
        if not np.allclose(want, numpys, 1e-6, 1e-9 * min(scale * scale, 1e300), equal_nan=True) and np.isfinite(numpys).all():
            raise Mismatch(f"the reference is not NumPy's: {numpys!r}, {want!r}")
    want = want.reshape(shape_of_result).astype(t if f.family else want.dtype)
    put_result(c, call, None, {k: v for k, v in named.items() if v is not None}, want, want.dtype, exact)
