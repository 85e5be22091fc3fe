"""The elementwise rows of the table."""
import numpy as np

from ..comparing import ERRORS, Close, Skip, exact, values_only
from ..dtypes import BOOL, C64, COMPLEX, DTYPES, F32, FLOATS, INTS, ORDERED, dtype_of, finite, in_dtype, is_complex, too_large_alone, wide
from ..outputs import run_map

# The groups of the table: which of these dtypes a row must accept (a smaller one is promoted).
ACCEPTS = {"ALL": DTYPES, "ARITH": DTYPES, "FLTC": DTYPES, "TRUTH": DTYPES, "CPX": DTYPES, "SWAP": DTYPES, "REAL": ORDERED, "ORDER": ORDERED, "FLT": ORDERED,
           "INT": [BOOL] + INTS, "BITS": [BOOL] + INTS}


ULPS = {n: 1 for n in "exp exp2 expm1 log log2 log10 log1p sin cos tan".split()}  # the other elementary functions: 2
NUMPY_NAME = {"conj": np.conjugate, "real": np.real, "imag": np.imag}
EXACT_ELEMENTARY = {"nextafter", "ldexp"}
EITHER_ZERO = {"maximum", "minimum", "fmax", "fmin", "clip"}  # of 0 and -0, NumPy takes one or the other
NO_BOOL = {"positive", "negative", "sign", "subtract", "gcd", "lcm"}  # NumPy refuses them; gpuarr computes in int8


COMPLEX_PRODUCTS = ("multiply divide square reciprocal multiply_add sign sqrt power exp exp2 expm1 log log2 log10 log1p sin cos tan "
                    "arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh").split()
BOOLEAN = ("equal", "not_equal", "less", "greater", "logical_")


def multiply_add(x, y, z, dtype=None):
    if dtype == BOOL:
        raise TypeError("not for bool")
    if dtype is None:
        dtype = np.result_type(x, y, z)
        dtype = np.dtype(np.int8) if dtype == BOOL else dtype
    return np.add(np.multiply(x, y, dtype=dtype), z, dtype=dtype)


def ldexp(x, y, dtype=None):
    """Of any integer: those of int64 alone have a loop of NumPy's on every system."""
    limited = [max(-(2**30), min(int(v), 2**30)) for v in np.asarray(y).flat]
    return np.ldexp(x, np.array(limited, dtype=np.int64).reshape(np.shape(y)), dtype=dtype)


def clip(x, low, high, dtype=None):
    """As numpy.clip: integers beyond the dtype do not bind."""
    dtype = np.dtype(dtype or np.result_type(x, low, high))
    if dtype.kind in "iu":
        low = max(low, int(np.iinfo(dtype).min)) if type(low) is int else low
        high = min(high, int(np.iinfo(dtype).max)) if type(high) is int else high
    return np.minimum(np.maximum(x, low, dtype=dtype), high, dtype=dtype)


def numpy_map(row, xs, dtype):
    """What NumPy makes of it, with float32 in place of float16, and 0 for an integer reciprocal of 0."""
    f = {"multiply_add": multiply_add, "clip": clip, "ldexp": ldexp}.get(row.name) or NUMPY_NAME.get(row.name) or getattr(np, row.name)
    if dtype is not None and row.name not in ("real", "imag"):
        y = f(*xs, dtype=dtype)
    else:
        y = f(*xs)
    if np.asarray(y).dtype == np.float16:
        y = f(*(in_dtype(x, F32) for x in xs))
    y = np.array(y)
    if row.name == "power" and y.dtype.kind == "f":  # of a number 0.5 NumPy takes the square root, which is another of -0 and -inf
        y = np.power(*(v[None].copy() for v in np.broadcast_arrays(*(in_dtype(x, y.dtype) for x in xs))))[0]
    if row.name == "reciprocal" and y.dtype.kind in "iu":
        y = np.where(np.broadcast_to(in_dtype(xs[0], y.dtype), y.shape) == 0, y.dtype.type(0), y)
    return y


def reference_map(row, xs, y):
    """The reference and how to compare with it. y: NumPy's result."""
    if row.family.startswith("ELEMENTARY") and row.name not in EXACT_ELEMENTARY and y.dtype.kind == "f":
        w = wide(y.dtype)
        xs = [in_dtype(x, y.dtype).astype(w) for x in xs]
        if row.name == "sinc":  # near whole numbers it is the error of pi x, which NumPy rounds, too
            t = (xs[0].astype(y.dtype) * y.dtype.type(np.pi)).astype(w)
            return np.where(t == 0, w.type(1), np.sin(t) / np.where(t == 0, w.type(1), t)), Close(2)
        want = np.asarray(getattr(np, row.name)(*xs))
        if row.name == "power":  # glibc's powl(-inf, -2**63) is wrong; such results are exact anyway
            want = np.where(np.isfinite(xs[0]) & (xs[0] != 0), want, y.astype(w))
        slack, signed_zeros = 0, True
        if row.name in ("logaddexp", "logaddexp2"):  # near 0 it is the small difference of the larger one and of what the other adds
            slack = 2 * np.spacing(np.abs(np.maximum(*xs)).astype(y.dtype)).astype(w)
            slack = np.where(np.isfinite(slack), slack, 0)
            signed_zeros = want == 0  # else it is one of two denormal numbers of opposite sign
        return want, Close(ULPS.get(row.name, 2), slack, signed_zeros)
    if y.dtype.kind == "c" and row.name not in ("positive", "negative", "conj", "add", "subtract", "maximum", "minimum"):
        xs = [in_dtype(x, y.dtype).astype(wide(y.dtype)) for x in xs]
        want = numpy_map(row, xs, None)
        slack, may_be_nan = 0, False
        if row.name == "multiply_add":
            slack = 4 * np.finfo(y.real.dtype).eps * (np.abs(xs[0] * xs[1]) + np.abs(xs[2]))
        with np.errstate(all="ignore"):
            if row.name == "power":  # the error of the logarithm is multiplied; whole powers are products
                overflows = np.isnan(want) & np.isfinite(xs[0]) & np.isfinite(xs[1]) & (xs[0] != 0)  # even in the wider dtype
                want = np.where(overflows, np.exp(xs[1] * np.log(np.where(overflows, xs[0], 1))), want)
                grown = np.abs(xs[1]) * (1 + np.abs(np.log(np.where(xs[0] == 0, 1, xs[0]))))
                slack = 4 * np.finfo(y.real.dtype).eps * np.nan_to_num(np.abs(want) * grown)
                tiny = np.abs(want) < np.finfo(y.real.dtype).tiny  # 1 / x**n, of which x**n overflows, in NumPy too
                slack, may_be_nan = slack + np.where(tiny, np.abs(want), 0), tiny & np.isnan(y) & (y.dtype != C64)
            if row.name == "exp2":  # and that of the product with log(2)
                slack = 4 * np.finfo(y.real.dtype).eps * np.nan_to_num(np.abs(want) * np.abs(xs[0]))
            if row.name == "log1p":  # NumPy's sum 1 + x
                slack = 4 * np.finfo(xs[0].real.dtype).eps
            if row.name in ("sqrt", "arcsinh", "arccosh", "log"):  # a part beside which the other one is tiny
                slack = np.nan_to_num(np.abs(want)) * np.finfo(y.real.dtype).eps
        return want, Close(4, slack, may_be_nan=may_be_nan)
    if row.name == "absolute" and is_complex(xs[0]):
        w = wide(y.dtype)
        return np.hypot(xs[0].real.astype(w), xs[0].imag.astype(w)), Close(2)
    return y, values_only if row.name in EITHER_ZERO else exact


def moderate(x):
    """Complex quotients by tiny numbers overflow on the way, in NumPy too."""
    x = finite(x)
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
        return np.where((x == 0) | (np.abs(x) > 1e-12) & (np.abs(x) < 1e12), x, x.dtype.type(1))
    return 1.0 if isinstance(x, float) and 0 < abs(x) <= 1e-12 else x


def barely_added(c, base2):
    """For logaddexp and logaddexp2: numbers so near 0 that the tiny exponential of the others is what counts."""
    dtype = c.dtype(FLOATS)
    lowest, highest, tiny = (-105, -66, 2.0**-90) if dtype == F32 else (-747, -619, 2.0**-820)
    if base2:
        lowest, highest = (-152, -95) if dtype == F32 else (-1078, -893)
    n = c.r.randint(1, 70)
    xs = [c.g.choice((0.0, -0.0, tiny, -tiny), n).astype(dtype), c.g.uniform(lowest, highest, n).astype(dtype)]
    c.r.shuffle(xs)
    for x in xs:
        c.note("operand", x)
    return xs


def numpy_row(row, xs, dtype=None):
    """NumPy's result of a row; the same in a wider dtype, and how to compare with that. Raises what NumPy raises, or Skip."""
    if too_large_alone(xs) or row.name.startswith("logical_") and any(type(x) is int and x >= 2**63 for x in xs):
        raise Skip
    complex_operand = any(is_complex(x) for x in xs) or dtype is not None and dtype.kind == "c"
    try:
        if complex_operand and C64 not in ACCEPTS[row.group]:
            raise TypeError("no complex function")
        y = numpy_map(row, xs, dtype)
    except ERRORS:
        if row.name in NO_BOOL and all(dtype_of(x) == BOOL for x in xs) and dtype in (None, BOOL):
            raise Skip from None
        raise
    if row.name == "power" and y.size == 0 and y.dtype.kind in "iu":
        raise Skip  # NumPy asks the elements for negative exponents, gpuarr the number
    return y, *reference_map(row, xs, y)


def elementwise(row):
    count = {"UNARY": 1, "ELEMENTARY": 1, "TERNARY": 3}.get(row.family, 2)

    def draw(c):
        accepted = ACCEPTS[row.group]
        among = DTYPES if c.chance(0.03) else accepted
        if among is not accepted or len(accepted) == len(DTYPES):
            among = among + COMPLEX if c.chance(0.3) else among
        if row.group in ("FLT", "FLTC") and c.chance(0.5):
            among = FLOATS
        tame = "tame" if set(among) & set(COMPLEX) and row.name in COMPLEX_PRODUCTS else None
        xs = c.operands(count, among, tame, numbers=0 if count == 1 else 0.3)
        if row.name in COMPLEX_PRODUCTS and any(is_complex(x) for x in xs):
            xs = [moderate(x) for x in xs]
        if row.name == "ldexp":  # a number alone says nothing of a dtype to NumPy: float16
            xs[0] = xs[0] if isinstance(xs[0], np.ndarray) else c.array(c.dtype(among))
            xs[1] = c.operands(1, [BOOL] + INTS, numbers=0)[0]
        if row.name in ("logaddexp", "logaddexp2") and c.chance(0.2):
            xs = barely_added(c, row.name == "logaddexp2")
        if not any(isinstance(x, np.ndarray) for x in xs) and count == 1:
            xs = [c.array()]
        dtype = c.dtype(accepted) if c.chance(0.1) and row.family != "UNARY" and row.name not in ("sinc", "ldexp") and not row.name.startswith(BOOLEAN) else None
        try:
            y, want, check = numpy_row(row, xs, dtype)
        except ERRORS as e:
            c.judge(e, lambda: getattr(c.ga, row.name)(*xs, dtype=dtype), named={"dtype": dtype})
            return
        run_map(c, getattr(c.ga, row.name), xs, want, y.dtype, check, dtype)
    return draw
