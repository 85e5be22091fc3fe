"""Files of NumPy, and text as it prints it."""
import os
import tempfile

import numpy as np

from ..case import case
from ..comparing import Mismatch, Skip, exact
from ..binding import GaError
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
