"""The structs of gpuarr.h in ctypes, and NumPy's shapes and addresses in them."""
import ctypes as C

import numpy as np

CPU, CUDA = 1, 2

i32, i64, u32, f64, ptr, text, flag = C.c_int, C.c_int64, C.c_uint32, C.c_double, C.c_void_p, C.c_char_p, C.c_bool
Eight = i64 * 8


class Shape(C.Structure):
    _fields_ = [("ndim", i32), ("n", Eight)]


class Array(C.Structure):
    _fields_ = [("data", ptr), ("dtype", i32), ("device", i32), ("ndim", i32), ("shape", Eight), ("strides", Eight),
                ("size", i64), ("owner", ptr), ("alive", u32), ("scope", ptr), ("prev", ptr), ("next", ptr)]


class Arg(C.Structure):
    _fields_ = [("array", ptr), ("kind", i32), ("i", i64), ("re", f64), ("im", f64)]


class Statistics(C.Structure):
    _fields_ = [("count", i64)] + [(n, f64) for n in ("mean", "median", "std", "min", "max")]


class Memory(C.Structure):
    _fields_ = [(n, i64) for n in ("used_bytes", "peak_bytes", "total_bytes", "limit_bytes", "arrays")]


def as_shape(n):
    n = (n,) if isinstance(n, (int, np.integer)) else n
    return Shape(len(n), Eight(*n))


def address(a):
    return a.__array_interface__["data"][0]
