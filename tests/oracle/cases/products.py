"""Norms and products of vectors and matrices."""
import math

import numpy as np

from ..case import case
from ..comparing import ERRORS, Close, Mismatch, Skip, exact
from ..dtypes import DTYPES, F64, FLOATS, LONG, finite, wide
from ..outputs import expect_success, put_result


@case("norm")
def norm(c):
    a = c.array(style=c.pick("small", "tame"), among=DTYPES + FLOATS * 4)
    order = c.pick(None, None, 1.0, 2.0, 3.0, 3.5, math.inf, -math.inf, 0.0, -1.0, -2.5)
    named = {"axis": c.axis(a.ndim), "keepdims": c.chance(0.3)}
    x = np.abs(a.astype(np.clongdouble if a.dtype.kind == "c" else LONG))
    result = a.real.dtype if a.dtype.kind in "fc" else F64
    p = LONG(2 if order is None else order)
    try:
        if math.isinf(p):
            want = np.max(x, initial=0, **named) if p > 0 else np.min(x, **named)  # of no elements 0, as NumPy 2.4
        elif p == 0:
            want = np.sum(x != 0, **named).astype(LONG)
        else:
            want = np.sum(x**p, **named)**(1 / p)  # of a 0 to a negative power: inf, and the norm is 0
    except ERRORS as e:
        want = e
    c.judge(want, lambda: c.ga.norm(a, ord=order, **named),
            lambda w, g: Close(2, (a.size + 8) * 2.0**-51 * finite(np.abs(w)))(w, g, result), dict(named, ord=order))


def judge_product(c, f, call, arrays, with_out=True):
    """f(*arrays) by NumPy, call(*arrays) by gpuarr. Floats: within the error of a sum in the dtype of the result."""
    arrays = [finite(a) for a in arrays]
    try:
        y = np.asarray(f(*arrays))
    except ERRORS as e:
        return c.judge(e, lambda: call(*arrays))
    if y.ndim > 8:
        raise Skip
    want, check = y.copy(), exact  # einsum may return a view
    if y.dtype.kind in "fc":
        exactly = [a.astype(y.dtype).astype(wide(y.dtype)) for a in arrays]
        terms = np.asarray(f(*(np.ones(a.shape) for a in arrays)))
        sizes = np.asarray(f(*(np.abs(a) for a in exactly))).real
        want = np.asarray(f(*exactly))
        check = Close(1, 4 * len(arrays) * (terms.max(initial=0) + 3) * np.finfo(y.dtype).eps * sizes)
    same = [a for a in arrays if a.shape == y.shape and a.dtype == y.dtype and a.flags.writeable and 0 not in a.strides]
    if same and with_out and c.chance(0.3):  # one of the operands is the result
        out = c.pick(*same)
        got = expect_success(lambda: call(*arrays, out=out))
        if not np.array_equal(got, out, equal_nan=out.dtype.kind in "fc"):
            raise Mismatch("the array returned is not .out")
        return check(want, got, y.dtype) if isinstance(check, Close) else check(want, got)
    if not with_out:
        return check(want, call(*arrays), y.dtype) if isinstance(check, Close) else check(want, call(*arrays))
    put_result(c, lambda a, **named: call(*a, **named), arrays, {}, want, y.dtype, check)


def factors(c, *shapes):
    dtype = c.dtype(DTYPES + FLOATS * 6)
    return [c.array(dtype if k == 0 or c.chance(0.7) else None, s, "tame", name="ab"[k]) for k, s in enumerate(shapes)]


def length(c):
    """Of an axis: often about the size of a tile, now and then of a block."""
    return c.r.choice((c.r.randint(1, 9), c.r.randint(1, 9), c.r.randint(1, 40), c.pick(1, 8, 16, 17, 32, 33, 64, 65), 0 if c.chance(0.2) else 3))


@case("matmul")
def matmul(c):
    m, k, n = (length(c) for _ in range(3))
    if c.chance(0.1):
        k = c.pick(255, 256, 257, 300, 600)
    if c.chance(0.03):
        n = c.pick(100, 257, 520)
    a, b = c.pick((m, k), (m, k), (k,)), c.pick((k, n), (k, n), (k,))
    if c.chance(0.02):
        a, b = c.pick((a, (k + 1, n)), ((), b), (a, ()), ((k + 2,), b))
    batch = tuple(c.r.randint(1, 4) for _ in range(c.r.choice((0, 0, 1, 1, 2))))
    if len(a) == 2:
        a = c.broadcast(batch) + a
    if len(b) == 2:
        b = c.broadcast(batch) + b
    judge_product(c, np.matmul, c.ga.matmul, factors(c, a, b))


@case("dot", "inner")
def dot(c):
    n = c.r.randint(0, 12)
    one = ((n,), (n,)), ((3, n), (n,)), ((), (n,)), ((n, 2), ()), ((n,), (n + 1,)), ((2, n), (3, n + 1)), ((2, 3, n), (n,))
    if c.name == "dot":
        shapes = c.pick(*one, ((n,), (n, 4)), ((5, n), (n, 2)), ((2, 3, n), (4, n, 2)), ((2, n), (3, n)), ((n,), (2, 3, n, 1)))
    else:
        shapes = c.pick(*one, ((n,), (4, n)), ((5, n), (2, n)), ((2, 3, n), (4, 2, n)), ((2, 3, n), (3, n)))
    if c.chance(0.1):
        shapes = (c.pick(1023, 1024, 3000, 70001),) * 2
        shapes = tuple((k,) for k in shapes)
    judge_product(c, getattr(np, c.name), getattr(c.ga, c.name), factors(c, *shapes))


@case("outer", "vdot")
def outer(c):
    shape = c.shape(c.pick(1, 1, 2), 20)
    other = shape if c.name == "vdot" and c.chance(0.9) else c.shape(c.pick(0, 1, 1, 2), 20)
    judge_product(c, getattr(np, c.name), getattr(c.ga, c.name), factors(c, shape, other), c.name == "outer")


@case("tensordot")
def tensordot(c):
    n = c.r.randint(0, 3)
    summed = [c.r.randint(0 if c.chance(0.03) else 1, 5) for _ in range(n)]
    a, b = ([c.r.randint(1, 5) for _ in range(c.r.randint(0, 3))] for _ in range(2))
    named, axes = {}, n
    if c.chance(0.5):
        a, b = a + summed, summed + b
    else:
        at = [c.r.sample(range(n + len(x)), n) for x in (a, b)]
        shapes = []
        for x, places in zip((a, b), at):
            full, rest = [0] * (n + len(x)), iter(x)
            for k, place in enumerate(places):
                full[place] = summed[k]
            shapes.append([full[d] if d in places else next(rest) for d in range(len(full))])
        a, b = shapes
        axes = [[d - len(x) if c.chance(0.2) else d for d in places] for x, places in zip((a, b), at)]
        named = {"axes_a": tuple(axes[0]), "axes_b": tuple(axes[1])} if n else {}
        axes = axes if n else 0
    if n and c.chance(0.03):
        a[0] += 1
    c.note("axes", axes)
    judge_product(c, lambda x, y: np.tensordot(x, y, axes), lambda x, y, **o: c.ga.tensordot(x, y, n, **named, **o),
                  factors(c, tuple(a), tuple(b)))


@case("einsum_n")
def einsum(c):
    r = c.r
    letters = r.sample("ijklABz", r.randint(1, 5))
    lengths = {x: r.randint(0, 2) if c.chance(0.02) else r.randint(1, 6) for x in letters}
    dots = [r.randint(1, 3) for _ in range(r.choice((0, 0, 0, 1, 2)))]
    terms, shapes = [], []
    for _ in range(r.choice((1, 1, 2, 2, 2, 2, 3, 4))):
        own = [r.choice(letters) for _ in range(r.randint(0, 4))]
        if not c.chance(0.15):
            own = list(dict.fromkeys(own))
        shape = [1 if c.chance(0.04) else lengths[x] + c.chance(0.01) for x in own]
        shape = [shape[own.index(x)] for x in own] if c.chance(0.95) else shape
        if dots and c.chance(0.7):
            at, some = r.randint(0, len(own)), dots[r.randint(0, len(dots)):]
            own.insert(at, "...")
            shape[at:at] = [1 if c.chance(0.2) else k for k in some]
        terms.append(own)
        shapes.append(tuple(shape))
    if sum(map(len, shapes)) > 16:
        raise Skip
    text = ",".join("".join(t) for t in terms)
    used = [x for x in letters if any(x in t for t in terms)]
    if c.chance(0.8):
        result = r.sample(used, r.randint(0, len(used)))
        if any("..." in t for t in terms) and c.chance(0.97):
            result.insert(r.randint(0, len(result)), "...")
        if c.chance(0.02):
            result.append(r.choice("iq"))
        text += "->" + "".join(result)
    if c.chance(0.1):
        text = "".join(x + " " * r.randint(0, 2) if x not in ".-" else x for x in text)
    if c.chance(0.02):
        text = c.pick(text + ",", text.replace("i", "1"), text + "->", text.replace("...", ".."), "," + text, text.replace(",", "", 1))
    if c.chance(0.02) and len(text) > 2:
        shapes[0] = shapes[0] + (2,)
    c.note("subscripts", text)
    dtype = c.dtype(DTYPES + FLOATS * 6)
    arrays = [c.array(dtype if c.chance(0.8) else None, s, "small" if len(shapes) > 2 else "tame", name=f"operand {k}") for k, s in enumerate(shapes)]
    judge_product(c, lambda *x: np.einsum(text, *x), lambda *x, **o: c.ga.einsum_n(text, x, **o), arrays)
