"""Copies, into another dtype or another array."""
import numpy as np

from ..case import case
from ..comparing import ERRORS, Skip
from ..dtypes import BOOL, DTYPES, saturating


@case("astype")
def astype(c):
    a, dtype = c.array(), c.dtype()
    c.judge(saturating(a, dtype), lambda: c.ga.astype(a, dtype), named={"dtype": dtype})


@case("copy", "ascontiguous")
def copy(c):
    a = c.array()
    c.judge(a.copy(), lambda: getattr(c.ga, c.name)(a))


@case("copyto")
def copyto(c):
    dst = c.array(repeat=False, name="dst")
    if c.chance(0.15) and dst.ndim:
        src = dst[tuple(slice(None, None, c.pick(1, -1)) for _ in dst.shape)]
        c.note("src (overlaps)", src)
    else:
        src = c.number() if c.chance(0.3) else c.array(shape=c.broadcast(dst.shape), name="src", among=DTYPES + [dst.dtype] * 8)
    mask = c.array(BOOL, c.broadcast(dst.shape), name="where") if c.chance(0.4) else None
    before = dst.copy()
    given = src
    if type(src) is int and src in (0, 1) and dst.dtype == BOOL:  # true is an int in C11
        src = bool(src)
    try:
        want = dst.copy()
        np.copyto(want, src.copy() if isinstance(src, np.ndarray) else src, where=True if mask is None else mask)
        if isinstance(src, np.ndarray):
            want = before.copy()
            np.copyto(want, saturating(np.broadcast_to(src, want.shape), want.dtype), where=True if mask is None else mask)
    except ERRORS as e:
        want = e
    c.judge(want, lambda: c.ga.copyto(dst, given, where=mask))
