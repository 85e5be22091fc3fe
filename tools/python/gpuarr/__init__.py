"""gpuarr from Python: every public function of gpuarr.h, called as in NumPy, on arrays that share memory with NumPy.

    import gpuarr as ga
    x = ga.linspace(0, 1, 5)
    print(ga.sin(x) + 1)
"""
from . import as_numpy as _as_numpy, calls as _calls
from .arrays import array, asarray
from .native import DTYPES, ERRORS, Error, dtype
from math import e, inf, nan, pi  # noqa: F401

globals().update(_calls.calls)
from .composed import names as _composed  # noqa: E402
globals().update(_composed)
from .exchange import from_dlpack, to_dlpack, to_dlpack_unversioned  # noqa: E402, in place of the C functions, which have addresses
from_dlpack_unversioned = from_dlpack
from_ = _calls.calls["from"]
globals().update({"bool_" if name == "bool" else name: kind for name, kind in DTYPES.items()})
globals().update({kind.__name__: kind for kind in ERRORS.values()})
newaxis = None
__all__ = ["array", "asarray", "from_dlpack", "dtype", "Error", "newaxis", *DTYPES.keys() - {"bool"}, *_calls.calls.keys() - {"from", "print"}, *_composed]
