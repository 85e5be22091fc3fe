"""Files of NumPy, tables as text, raw files, and text as it prints it."""
import ctypes as C
import os
import tempfile
import warnings

import numpy as np

from ..case import case
from ..comparing import Mismatch, Skip, attempt, exact
from ..binding import GaError
from ..dtypes import DTYPES, NUMBER_OF
from ..structs import text

SCRATCH = None


def scratch(name):
    global SCRATCH
    if SCRATCH is None:
        SCRATCH = tempfile.TemporaryDirectory(prefix="oracle")
    return os.path.join(SCRATCH.name, name)


@case("save", "load", "savez", "load_from")
def files(c):
    a, path = c.array(), scratch("a.npy" if "z" not in c.name and c.name != "load_from" else "a.npz")
    if c.name == "save":
        def run():
            c.ga.save(path, a)
            return np.load(path)
        c.judge(a, run)
    elif c.name == "load":
        np.save(path, a.copy(order=c.pick("C", "F")).astype(a.dtype.newbyteorder(c.pick("<", "<", "<", ">"))))
        named = {"mmap": c.pick(None, True, True)}
        c.judge(a, lambda: c.ga.load(path, **named), named=named)
    elif c.name == "savez":
        b = c.array()

        def run():
            c.ga.savez(path, 2, (text * 2)(b"first", b"second"), [a, b])
            with np.load(path) as z:
                exact(b, z["second"])
                return z["first"]
        c.judge(a, run)
    else:
        np.savez(path, other=np.arange(3), a=a)
        c.judge(a, lambda: c.ga.load_from(path, "a"))


@case("to_string")
def to_string(c):
    a, named = c.array(shape=c.shape(largest=100)), {}
    if c.chance(0.4):
        some = {"precision": c.r.randint(1, 12), "threshold": c.pick(5, 50), "edgeitems": c.r.randint(1, 4),
                "linewidth": c.pick(40, 100), "suppress": True}
        named = {k: v for k, v in some.items() if c.chance(0.5)}
    full = c.chance(0.4)
    settings = dict(precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False)
    settings.update(named)
    if a.dtype.kind == "c" and c.chance(0.9):
        raise Skip
    with np.printoptions(**settings):
        want = repr(a) if full else str(a)
    if full:
        named["repr"] = True
    try:
        got = c.ga.to_string(a, **named)
    except GaError as e:
        raise Mismatch(str(e)) from None
    c.note("options", named)
    if got != want:
        raise Mismatch(f"want\n{want}\ngot\n{got}")


NUMBERS = "1 -2 +3 0 7.5 -.25 1e3 1E-3 nan -inf Infinity 1e999 5e-324 0.1 9007199254740993 123456789012345678901234567890 2.5e-310".split()


def a_number(c, dtype):
    if dtype.kind == "b":
        return c.pick("0", "1", "-3", "25")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return str(c.pick(limits.max, limits.min, 0, 1, 17))
    real = lambda: c.pick(*NUMBERS, repr(c.r.uniform(-1e6, 1e6)), f"{c.r.gauss(0, 1):.25e}", f"{c.r.randint(0, 10**30)}e{c.r.randint(-350, 320)}")
    if dtype.kind == "c" and c.chance(0.8):
        return c.pick("{}+2j", "({}-1.5j)", "{}j", "({}+-4e3j)", " {}+nanj").format(real())
    return real()


def a_table(c, dtype, delimiter, comments="#", gaps=()):
    rows, columns = c.r.randint(0, 6), c.r.randint(1, 5)
    lines = [(delimiter or c.pick(" ", "\t", "   ")).join(c.pick(*gaps) if gaps and c.chance(0.2) else a_number(c, dtype) for _ in range(columns))
             + c.pick("", "", f" {comments} said", "  ") for _ in range(rows)]
    for _ in range(c.r.randint(0, 3)):
        lines.insert(c.r.randint(0, len(lines)), c.pick("", comments + " a comment"))
    ending = c.pick("\n", "\r\n")
    return ending.join(lines) + c.pick("", ending), columns


def as_options(named):
    return {k: v.encode() if isinstance(v, str) else v for k, v in named.items()}


def written(text, name):
    path = scratch(name)
    with open(path, "w", newline="") as f:
        f.write(text)
    return path


@case("loadtxt", "loadtxt_n")
def loadtxt(c):
    dtype, delimiter, comments = np.dtype(c.pick(*DTYPES)), c.pick(None, ",", ";"), c.pick("#", "#", "//")
    text, columns = a_table(c, dtype, delimiter, comments)
    path, named = written(text, "table.txt"), {"delimiter": delimiter, "comments": comments}
    if c.chance(0.3):
        named["usecols"] = tuple(c.r.randint(-columns, columns - 1) for _ in range(c.r.randint(1, 4)))
    if c.chance(0.3):
        named["max_rows"] = c.r.randint(1, 4)
    if c.chance(0.3):
        named["skiprows"] = c.r.randint(0, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ndmin = 2 if c.name == "loadtxt_n" else c.r.randint(0, 2)
        want = np.loadtxt(path, dtype, ndmin=ndmin, **named)
    c.note("text", text)
    if c.name == "loadtxt":
        c.judge(want, lambda: c.ga.loadtxt(path, dtype=dtype, ndmin=ndmin, **as_options(named)))
    elif want.shape[0] > 0:
        n = want.shape[1]
        kinds = (C.c_int * n)(*[NUMBER_OF[dtype]] * n)
        c.judge(want, lambda: np.stack(c.ga.loadtxt_n(path, n, kinds, n, **as_options(named)), axis=1))


@case("genfromtxt", "genfromtxt_n")
def genfromtxt(c):
    dtype, delimiter = np.dtype(c.pick("f8", "f4", "i8", "i4", "c16")), c.pick(",", ";", ", ", "::", " | ")
    text, columns = a_table(c, dtype, delimiter, gaps=("", "NA", " ", "n/a", "x"))
    if "+-" in text:
        raise Skip  # Python's complex() takes no such numbers
    path, named = written(text, "gaps.txt"), {"delimiter": delimiter}
    if c.chance(0.4):
        named["filling_values"] = float(c.r.randint(-9, 9))
    even = " " not in delimiter  # else rows may differ, as those with an empty end are stripped, and NumPy goes its own ways with the two below
    if c.chance(0.3) and even:
        named["usecols"] = tuple(c.r.randint(-columns, columns - 1) for _ in range(c.r.randint(1, 4)))
    if c.chance(0.3) and even:
        named["skip_footer"] = c.r.randint(0, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ndmin = 2 if c.name == "genfromtxt_n" else c.r.randint(0, 2)
        want = attempt(lambda: np.genfromtxt(path, dtype, ndmin=ndmin, **named))
    if isinstance(want, Exception):  # a delimiter with blanks: those at the ends of a line are none, and lines differ
        return c.judge(want, lambda: c.ga.genfromtxt(path, dtype=dtype, ndmin=ndmin, **as_options(named)))
    if want.size == 0:
        raise Skip
    c.note("text", text)
    if c.name == "genfromtxt":
        c.judge(want, lambda: c.ga.genfromtxt(path, dtype=dtype, ndmin=ndmin, **as_options(named)))
    else:
        n = want.shape[1]
        kinds = (C.c_int * n)(*[NUMBER_OF[dtype]] * n)
        c.judge(want, lambda: np.stack(c.ga.genfromtxt_n(path, n, kinds, n, **as_options(named)), axis=1))


@case("savetxt")
def savetxt(c):
    a, named = c.array(shape=c.shape(largest=100)), {}
    if a.ndim not in (1, 2):
        raise Skip
    if c.chance(0.7):
        kinds = "%d %5d %+d %.3f %8.2e %-9.4g| %g %.15g %e %f %012.3f %G %.0f %.18e %.12f %s x%.2fy".split()
        if a.dtype.kind in "fc":
            kinds = [k for k in kinds if "d" not in k]
        if a.dtype.kind == "f" and a.dtype.itemsize == 4:
            kinds.remove("%s")
        named["fmt"] = c.pick(*kinds)
        numbers = (a.shape[1] if a.ndim == 2 else 1) * (2 if a.dtype.kind == "c" else 1)
        if 1 < numbers < 10 and c.chance(0.3):
            named["fmt"] = c.pick("; ", ",").join(c.pick(*kinds) for _ in range(numbers))
    some = {"delimiter": c.pick(",", "  "), "newline": "\r\n", "header": c.pick("x y", "two\nlines"), "footer": "end", "comments": "% "}
    named.update({k: v for k, v in some.items() if c.chance(0.2)})
    theirs, ours = scratch("theirs.txt"), scratch("ours.txt")
    np.savetxt(theirs, a, **named)
    c.ga.savetxt(ours, a, **as_options(named))
    c.note("options", named)
    want, got = (open(path, "rb").read() for path in (theirs, ours))
    if want != got:
        raise Mismatch(f"want\n{want}\ngot\n{got}")


@case("fromfile", "tofile")
def raw_files(c):
    a, path, swapped = c.array(), scratch("raw"), c.chance(0.4)
    other = a.astype(a.dtype.newbyteorder(">")) if swapped else a
    if c.name == "fromfile":
        other.tofile(path)
        count = c.r.randint(0, a.size) if c.chance(0.3) else -1
        c.judge(np.fromfile(path, other.dtype, count).astype(a.dtype), lambda: c.ga.fromfile(path, dtype=a.dtype, count=count, swapped=swapped))
    else:
        def run():
            c.ga.tofile(a, path, swapped=swapped)
            return np.fromfile(path, other.dtype).astype(a.dtype)
        c.judge(a.ravel(), run)
