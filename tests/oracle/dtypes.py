"""gpuarr's dtypes and NumPy's, and what a value becomes in one of them."""
import math

import numpy as np

LONG = np.longdouble

# In the order of gpuarr.h's enumeration, from 1.
NAMES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128".split()
DTYPES = [np.dtype(n) for n in NAMES]
F16 = np.dtype("f2")  # not among those that cases draw: cases/halves.py
KNOWN = DTYPES + [F16]
NUMBER_OF = {d: i + 1 for i, d in enumerate(KNOWN)}
BOOL, F32, F64, C64, C128, I64 = (np.dtype(n) for n in ("bool", "f4", "f8", "c8", "c16", "i8"))
INTS = [d for d in DTYPES if d.kind in "iu"]
REALS = [d for d in DTYPES if d.kind in "iuf"]
ORDERED = [BOOL] + REALS
FLOATS, COMPLEX = [F32, F64], [C64, C128]


def wide(dtype):
    """A dtype that is much more exact."""
    return {F32: F64, F64: np.dtype(LONG), C64: C128, C128: np.dtype(np.clongdouble)}.get(np.dtype(dtype), np.dtype(LONG))


def is_complex(v):
    return isinstance(v, complex) or isinstance(v, np.ndarray) and v.dtype.kind == "c"


def dtype_of(v):
    return v.dtype if isinstance(v, np.ndarray) else np.result_type(v)


def in_dtype(v, dtype):
    return np.asarray(v, dtype) if isinstance(v, int) else np.asarray(v).astype(dtype)


def fits(v, dtype):
    return type(v) is not int or dtype.kind not in "iu" or np.iinfo(dtype).min <= v <= np.iinfo(dtype).max


def too_large_alone(xs):
    """An int beyond int64 among numbers and bools: an error in NumPy, where Python's int is an int64 then."""
    return any(type(x) is int and x >= 2**63 for x in xs) and all(not isinstance(x, np.ndarray) or x.dtype == BOOL for x in xs)


def finite(x):
    """Overflow and NaN of complex products differ between all libraries."""
    if isinstance(x, np.ndarray):
        if x.dtype.kind not in "fc" or np.isfinite(x).all():
            return x
        return np.where(np.isfinite(x), x, x.dtype.type(1))
    return x if not isinstance(x, float) or math.isfinite(x) else 1.0


def saturating(a, dtype):
    """astype, but floats saturate and NaN gives 0 when they become integers."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu" or a.dtype.kind not in "fc":
        return a.astype(dtype)
    limits, x = np.iinfo(dtype), a.real
    inside = (x > float(limits.min)) & (x < float(limits.max))
    y = np.where(inside, x, 0).astype(dtype)
    y[x >= float(limits.max)] = limits.max
    y[x <= float(limits.min)] = limits.min
    return y
