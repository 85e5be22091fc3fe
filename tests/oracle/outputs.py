"""Results that are written into a given array (.out), everywhere or at some elements (.where)."""
import numpy as np

from .comparing import Close, Mismatch, Skip, compare, same_bytes
from .dtypes import BOOL, DTYPES, saturating, wide
from .binding import GaError
from .structs import address


def expect_success(call):
    try:
        return call()
    except GaError as e:
        raise Mismatch(f"gpuarr fails, NumPy does not.\n  error: {e}") from None


def dtype_for_out(c, result):
    """Mostly one that the result can be cast to."""
    return c.dtype([d for d in DTYPES if np.can_cast(result, d, "same_kind")] if c.chance(0.95) else None)


def run_map(c, call, xs, want, result, check, dtype=None):
    """With or without .out and .where: want is what NumPy (or better) computes for every element."""
    out = where = None
    if c.chance(0.15):
        where = c.array(BOOL, c.broadcast(want.shape), name="where")
    if c.chance(0.2):
        out = c.target(want.shape, dtype_for_out(c, result), alike=c.pick(*xs))
    named = {k: v for k, v in (("out", out), ("where", where), ("dtype", dtype)) if v is not None}
    c.note("options", {k: v for k, v in named.items() if k == "dtype"})
    if where is not None:
        try:
            shape = np.broadcast_shapes(want.shape, where.shape)
        except ValueError as e:
            return c.judge(e, lambda: call(*xs, **named))
        if shape != want.shape:
            if out is not None:
                return c.judge(ValueError("out is too small"), lambda: call(*xs, **named))
            want = np.broadcast_to(want, shape)
    if out is None:
        if where is not None:
            want = np.where(where, want, want.dtype.type(0))
        got = expect_success(lambda: call(*xs, **named))
        return compare(check, want, got, result)
    if not np.can_cast(result, out.dtype, "same_kind"):
        return c.judge(TypeError(f"{result} does not go into {out.dtype}"), lambda: call(*xs, **named))
    base = out if out.base is None else out.base
    before, touched = base.copy(), np.zeros(base.shape, bool)
    mark = None
    if out.size and base.flags.c_contiguous and base.dtype == out.dtype:
        size = out.itemsize
        mark = np.ndarray(out.shape, bool, touched, (address(out) - address(base)) // size, [s // size for s in out.strides])
    chosen = np.broadcast_to(where, out.shape) if where is not None else np.ones(out.shape, bool)
    if mark is not None:
        mark[...] = chosen
    # what has been computed in `result` is cast to the dtype of out
    exactly = out.dtype == result
    got = expect_success(lambda: call(*xs, **named))
    if not np.array_equal(got, out, equal_nan=out.dtype.kind in "fc"):
        raise Mismatch("the array returned is not .out")
    if mark is not None and not same_bytes(before[~touched], base[~touched]):
        raise Mismatch("elements outside .out or .where were written")
    got = np.where(chosen, got, out.dtype.type(0))
    if isinstance(check, Close) and not exactly:
        if out.dtype.kind not in "fc" or result.kind not in "fc":
            raise Skip
        near = want.astype(result).astype(out.dtype)
        scale = np.finfo(result).eps * 8 * np.abs(np.where(np.isfinite(near), near, 0)).astype(wide(out.dtype))
        tiny = np.finfo(result).smallest_subnormal * 4
        return Close(2, scale + tiny + check.slack)(np.where(chosen, near, 0).astype(wide(out.dtype)), got, out.dtype)
    want = np.where(chosen, want, want.dtype.type(0))
    if isinstance(check, Close):
        return check(want, got, out.dtype)
    check(saturating(want, out.dtype), got)


def put_result(c, call, a, named, want, result, check):
    """Runs a reduction, in one of five cases with .out."""
    if c.chance(0.2):
        out = c.target(want.shape, dtype_for_out(c, result))
        if not np.can_cast(result, out.dtype, "same_kind"):
            return c.judge(TypeError(".out"), lambda: call(a, out=out, **named))
        got = expect_success(lambda: call(a, out=out, **named))
        if not np.array_equal(got, out, equal_nan=out.dtype.kind in "fc"):
            raise Mismatch("the array returned is not .out")
        if isinstance(check, Close):
            if out.dtype != result:
                raise Skip
            return check(want, got, result)
        return check(saturating(want, out.dtype), got)
    got = expect_success(lambda: call(a, **named))
    compare(check, want, got, result)
