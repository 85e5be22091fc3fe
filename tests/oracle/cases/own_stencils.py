"""Stencils of one's own: formulas of neighbours, in NumPy."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Mismatch, exact
from ..dtypes import BOOL, C64, DTYPES, F64, saturating
from ..kernels import C_NAMES, elementary, mix, of_parts, own_number, taken, takes
from ..optional import ndimage
from ..outputs import put_result
from ..windows import BORDERS, bordered, draw_border


def around(at):
    x, y = at(-1, 2), at(1, -2)
    return x & ~y if x.dtype == BOOL else mix(x, y)


def life(at):
    n = sum(at(i, j).astype(int) for i in (-1, 0, 1) for j in (-1, 0, 1))
    return ((n == 3) | (n == 4) & (at(0, 0) != 0)).astype("u1")


def heat(at, a):
    return at(0, 0) + a * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * at(0, 0))


def seven(at, w, c):
    near = at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) + at(0, 0, -1) + at(0, 0, 1)
    return c.astype(F64) * at(0, 0, 0) + w * near


# Name: the reach, the dtype, those of the numbers, what it computes of neighbours; and the weights for SciPy's correlation, if it is one.
NEIGHBOURS = {
    "slope": ((3,), "f4", "f4", lambda at, h: (at(3) - at(-3)) / h),
    "binomial": ((2,), "i8", "", lambda at: at(-2) + 4 * at(-1) + 6 * at(0) + 4 * at(1) + at(2), lambda: [1, 4, 6, 4, 1]),
    "heat": ((1, 1), "f8", "f8", heat, lambda a: [[0, a, 0], [a, 1 - 4 * a, a], [0, a, 0]]),
    "life": ((1, 1), "u1", "", life),
    "far": ((4, 0), "f4", "i4", lambda at, down: at(down, 0)),
    "rough": ((0, 1), "f8", "", lambda at: elementary(np.tanh, at(0, 1) - at(0, -1))),
    "seven": ((1, 1, 1), "f8", "f8 f4", seven,
              lambda w, c: [[[0, 0, 0], [0, w, 0], [0, 0, 0]], [[0, w, 0], [w, c, w], [0, w, 0]], [[0, 0, 0], [0, w, 0], [0, 0, 0]]]),
    "most": ((1, 0, 2), "i2", "", lambda at: np.maximum(at(-1, 0, -2), at(1, 0, 2))),
    "swirl": ((0, 1, 1), "c8", "f4", lambda at, w: of_parts(w * at(0, 1, -1).imag, -at(0, -1, 1).real, C64)),
}
NEIGHBOURS.update({"around_" + C_NAMES[d]: ((1, 2), d.str, "", around) for d in DTYPES})


def stencil_array(c, name, ndim, dtype):
    r = c.r
    shape = c.shape(ndim)
    if c.chance(0.1) and ndim < 4:  # several tiles of a GPU, or several units of work
        shape = ((r.randint(1000, 6000),), (r.randint(10, 60), r.randint(100, 300)), (r.randint(3, 14), r.randint(5, 20), r.randint(20, 70)))[ndim - 1]
    castable = [d for d in DTYPES if takes(d, dtype)]
    a = c.array(dtype if c.chance(0.6) else c.dtype(castable if c.chance(0.97) else DTYPES), shape, "small" if name == "binomial" else None)
    return np.clip(a, -9, 9) if name == "binomial" and a.dtype.kind != "b" else a


@case("stencil_n")
def own_stencil(c):
    name = c.pick(*NEIGHBOURS)
    reach, dtype, takes, formula, *weights = NEIGHBOURS[name]
    dtype, takes, ndim = np.dtype(dtype), [np.dtype(t) for t in takes.split()], len(reach)
    a = stencil_array(c, name, c.r.randint(1, 4) if c.chance(0.02) else ndim, dtype)
    numbers = [c.r.randint(-4, 4 + c.chance(0.2)) if name == "far" else own_number(c, t) for t in takes]
    named = {"steps": c.pick(None, None, 1, 2, 3, 5, 11) if name not in ("rough", "binomial") else c.pick(None, 1)}
    if c.chance(0.01):
        named["steps"] = -1
    named["border"], named["cval"] = draw_border(c, dtype)
    c.note("stencil", (name, *numbers))
    call = lambda **more: c.ga.stencil_n(name, [a, *numbers], **named, **more)
    try:
        taken(a, dtype)
        values = [taken(v, t) for v, t in zip(numbers, takes)]
        if a.ndim != ndim or named["steps"] == -1 or name == "far" and abs(int(values[0])) > 4 and a.size:
            raise ValueError("not possible")
    except ERRORS as e:
        return c.judge(e, call, named=named)
    values = [v[()] if name != "far" else int(v) for v in values]
    cval = saturating(np.asarray(named["cval"] or 0.0), dtype)[()]
    want, check = taken(a, dtype), exact
    for _ in range((named["steps"] or 1) if a.size else 0):
        one, u = want, bordered(want, reach, reach, named["border"], cval)
        at = lambda *offsets: u[tuple(slice(r + i, r + i + n) for r, i, n in zip(reach, offsets, a.shape))]
        want = formula(at, *values)
        want, check = want if isinstance(want, tuple) else (want, check)
    if weights and a.size and np.isfinite(one).all() and np.abs(one).max() < 1e100 and all(abs(float(v)) < 1e100 for v in values):
        w = np.array(weights[0](*map(float, values)))
        scipys = ndimage().correlate(one.astype(F64), w, mode=BORDERS[named["border"]], cval=float(cval))
        if not np.allclose(scipys, want, 1e-9, 1e-9 * max(1.0, np.abs(one).max() * np.abs(w).max())):
            raise Mismatch(f"the reference is not SciPy's: {scipys!r}, {want!r}")
    c.note("options", {k: v for k, v in named.items() if v is not None})
    put_result(c, lambda _, **more: call(**more), None, {}, want, dtype, check)
