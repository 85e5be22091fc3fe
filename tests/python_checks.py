"""What tests/python.py and its parts check with: gpuarr as `ga`, of the library that the command names, and NumPy as `np`."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
if len(sys.argv) > 1:
    os.environ["GPUARR_LIBRARY"] = os.path.abspath(sys.argv[1])
os.environ["PYTHONPATH"] = str(ROOT / "tools/python")  # for the processes, too
sys.path.insert(0, os.environ["PYTHONPATH"])
counts = {"passed": 0, "failed": 0, "skipped": 0}
try:
    import numpy as np
except ImportError:
    print("SKIP there is no NumPy here: tools/deps.sh test\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)
import gpuarr as ga  # noqa: E402


def check(ok, what):
    counts["passed" if ok else "failed"] += 1
    if not ok:
        print("FAIL", what, flush=True)


def same(got, want, what, close=False):
    """The same dtype, shape and elements, NaN for NaN; close: but for rounding."""
    got, want = np.asarray(got), np.asarray(want)
    equal = np.allclose if close else np.array_equal
    check(got.dtype == want.dtype and got.shape == want.shape and equal(got, want, equal_nan=want.dtype.kind in "fc"),
          f"{what}: {got!r}, not {want!r}")


def fails(call, kinds, words, what):
    """The call raises an error that is of all these kinds, and says these words."""
    try:
        check(False, f"{what}: no error, but {call()!r}")
    except Exception as e:
        check(all(isinstance(e, k) for k in kinds) and words in str(e), f"{what}: {e!r}")
