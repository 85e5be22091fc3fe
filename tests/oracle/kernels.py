"""The kernels of tests/oracle_kernels.c: what their parameters take, and formulas that several of them have."""
import numpy as np

from .comparing import Close
from .dtypes import BOOL, DTYPES, fits, in_dtype, wide

C_NAMES = {d: {"bool": "bool", "float32": "float", "float64": "double", "complex64": "ga_c64", "complex128": "ga_c128"}.get(d.name, d.name + "_t")
           for d in DTYPES}
KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def kind_of(v):
    return KINDS[np.dtype(type(v)).kind]


def takes(dtype, wanted):
    """May an array of the dtype be given for a parameter? Floats are rounded, integers never wrap."""
    return np.can_cast(dtype, wanted, "safe" if wanted.kind in "iu" else "same_kind")


def own_number(c, wanted):
    """Mostly one that a parameter of that dtype takes."""
    if c.chance(0.05):
        return c.number()
    v = c.pick(*[True, False, 1, 0], *[2, 3, 7, 100, -1 if wanted.kind != "u" else 5] * (wanted != BOOL),
               *[0.5, 2.0, -1.5, 0.1, 1e10] * (wanted.kind in "fc"), *[1j, 2 - 1j] * (wanted.kind == "c"))
    c.note("number", v)
    return v


def own_operands(c, wanted, style=None):
    """An operand for each parameter, mostly one that it takes."""
    shape, values = c.shape(), []
    for k, d in enumerate(wanted):
        if c.chance(0.2):
            values.append(own_number(c, d))
            continue
        castable = [x for x in DTYPES if takes(x, d)]
        dtype = d if c.chance(0.5) else c.dtype(castable if c.chance(0.97) else DTYPES)
        values.append(c.array(dtype, c.broadcast(shape) if c.chance(0.3) else shape, style, name=f"operand {k + 1}"))
    return values


def taken(v, wanted):
    """The operand in the dtype of its parameter."""
    if isinstance(v, np.ndarray):
        if not takes(v.dtype, wanted):
            raise TypeError(f"{v.dtype} for {wanted}")
        return v.astype(wanted)
    if kind_of(v) > KINDS[wanted.kind] and not (wanted == BOOL and v in (0, 1) and isinstance(v, int)):
        raise TypeError(f"{v} for {wanted}")
    if not fits(v, wanted):
        raise OverflowError(f"{v} for {wanted}")
    return in_dtype(v, wanted)


def of_parts(re, im, dtype):
    z = np.empty(re.shape, dtype)
    z.real, z.imag = re, im
    return z


def mix(x, y):
    three = x.dtype.type(0).real.dtype.type(3)
    if x.dtype == BOOL:
        return x & ~y
    return of_parts(x.real * three + y.real, x.imag * three - y.imag, x.dtype) if x.dtype.kind == "c" else x * three + y


def elementary(f, *xs):
    return f(*(x.astype(wide(x.dtype)) for x in xs)), Close(2, signed_zeros=True)


def stamp_of(family, generic):
    """The T of a kernel: the first of its family that holds the operands."""
    common = np.result_type(*generic)
    for d in [common] * (common in family) + family:
        if np.can_cast(common, d):
            return d
    raise TypeError(f"not for {common}")
