"""When is a result right? Every check raises Mismatch if it is not."""
import math

import numpy as np

from .dtypes import LONG
from .structs import address


class Mismatch(Exception):
    """gpuarr's answer is wrong."""


class Skip(Exception):
    """This case cannot be judged here."""


ERRORS = (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError)  # AxisError is a ValueError


def attempt(call):
    try:
        return call()
    except ERRORS as e:
        return e


def equal_bits(x, y):
    """The same bits; one NaN is as good as another."""
    if isinstance(x, list):
        return len(x) == len(y) and all(map(equal_bits, x, y))
    if isinstance(x, float):
        return x == y and math.copysign(1, x) == math.copysign(1, y) or x != x and y != y
    if not isinstance(x, np.ndarray):
        return x == y
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.tobytes() == y.tobytes():
        return True
    if x.dtype.kind == "c":
        return equal_bits(x.real, y.real) and equal_bits(x.imag, y.imag)
    return x.dtype.kind == "f" and np.where(np.isnan(x), 0, x).tobytes() == np.where(np.isnan(y), 0, y).tobytes() \
        and bool((np.isnan(x) == np.isnan(y)).all())


def first_bad(bad, want, got):
    i = np.unravel_index(np.argmax(bad), bad.shape)
    raise Mismatch(f"{np.count_nonzero(bad)} of {bad.size} elements differ, first at {tuple(map(int, i))}: "
                   f"want {want[i]!r}, got {got[i]!r}"
                   + (f"\n  want {want.tolist()}\n  got  {got.tolist()}" if want.size <= 40 else ""))


def same_form(want, got, dtype=None):
    if got.shape != want.shape:
        raise Mismatch(f"shape: want {want.shape}, got {got.shape}")
    if got.dtype != (dtype or want.dtype):
        raise Mismatch(f"dtype: want {dtype or want.dtype}, got {got.dtype}")


def exact(want, got, signed_zeros=True):
    same_form(want, got)
    if want.tobytes() == got.tobytes():
        return
    if want.dtype.kind == "c":
        part = want.real.dtype
        want, got = (np.ascontiguousarray(v).reshape(v.shape + (1,)).view(part) for v in (want, got))
    good = want == got
    if want.dtype.kind == "f":
        if signed_zeros:
            good &= np.signbit(want) == np.signbit(got)
        good |= np.isnan(want) & np.isnan(got)
    if not good.all():
        first_bad(~good, want, got)


def values_only(want, got):
    exact(want, got, signed_zeros=False)


def any_nan(want, got):
    """Of several complex NaNs, with a NaN in either part, any will do."""
    if want.dtype.kind == "c" and want.shape == got.shape:
        both = np.isnan(want) & np.isnan(got)
        want, got = np.where(both, 0, want), np.where(both, 0, got)
    values_only(want, got)


def same_bool(want, got):
    if bool(want) != bool(got):
        raise Mismatch(f"want {bool(want)}, got {bool(got)}")


def same_bytes(a, b):
    return np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def same_view(c, want, got, place):
    """The same elements in the same place."""
    exact(want, got)
    if want.base is None:  # NumPy made a scalar
        return
    if want.size and place[0] != address(want):
        raise Mismatch("this is a copy, or another part of the array")
    if want.size and any(s != t for s, t, n in zip(place[1], want.strides, want.shape) if n > 1):
        raise Mismatch(f"strides: want {want.strides}, got {place[1]}")


class Close:
    """Within `ulps` units in the last place of the result's dtype, and `slack` besides, of a reference in a wider dtype. signed_zeros: where
    the sign of a zero counts. may_be_nan: where a complex result may be nan instead."""

    def __init__(self, ulps, slack=0, signed_zeros=False, may_be_nan=False):
        self.ulps, self.slack, self.signed_zeros, self.may_be_nan = ulps, slack, signed_zeros, may_be_nan

    def __call__(self, want, got, dtype=None):
        same_form(want, got, dtype)
        if got.dtype.kind == "c":
            size = np.minimum(np.abs(want).astype(got.real.dtype), np.finfo(got.dtype).max * 0.75)  # the parts may be finite where it is not
            slack = self.ulps * np.spacing(np.where(np.isnan(size), 0, size)) + self.slack
            # which of nan and inf an overflowing complex product is differs between all libraries
            lost = ~(np.abs(want) < np.finfo(got.dtype).max / 8) & ~np.isfinite(got) | self.may_be_nan & np.isnan(got)
            for w, g in (want.real, got.real), (want.imag, got.imag):
                Close(0, slack)(np.where(lost, w.dtype.type(0), w), np.where(lost, g.dtype.type(0), g), g.dtype)
            return
        near = want.astype(got.dtype)
        good = (near == got) | (np.isnan(near) & np.isnan(got))
        if not good.all():
            top = np.finfo(got.dtype).max
            unit = np.spacing(np.minimum(np.abs(near), top)).astype(want.dtype)
            limit = np.where(np.isinf(got) & (np.abs(want) > top / 2), np.copysign(LONG(top), got), got).astype(want.dtype)
            aim = np.where(np.isinf(near) & np.isfinite(want), np.copysign(LONG(top), want), want).astype(want.dtype)
            finite = np.isfinite(want) & ~np.isnan(got)
            good |= finite & (np.abs(limit - aim) <= self.ulps * unit + self.slack)
        good &= (got != 0) | (np.signbit(want) == np.signbit(got)) | ~np.asarray(self.signed_zeros)  # last: no tolerance makes up for it
        if not good.all():
            first_bad(~good, near, got)


def compare(check, want, got, dtype):
    """A check, of which Close must be told the dtype."""
    if isinstance(check, Close):
        check(want, got, dtype)
    else:
        check(want, got)
