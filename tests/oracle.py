#!/usr/bin/env python3
"""Compares gpuarr with NumPy and SciPy on random cases.

    python3 tests/oracle.py --lib build/libgpuarr.so --cases 10000 --seed 1 [--only sum,sort] [--case sum:17] [--table]

The library is made of tests/impl.c and tests/oracle_kernels.c; the cases and all the rest are in the folder tests/oracle.

Every case is drawn from (seed, operation, number), so what a failure prints after "again:" repeats just that case.
Exact results must be exact (bits of integers, basic float arithmetic, everything that only moves elements; a NaN is a NaN);
elementary functions must lie within 1 or 2 ulp of a value computed in a wider type; sums within their documented accuracy.
Where NumPy raises, gpuarr must fail with an error, and the other way round. No array may be left over.
With --device cuda (a library with the CUDA backend) every call runs on the CPU and on the GPU: the results must have the same bits, the
errors the same words, and the GPU's result is then judged like any other. The GPU sees the same strides, offsets and overlaps.

The last line printed is `N passed, N failed, N skipped`; the exit status is 1 if anything failed.
"""
import sys

from oracle.running import main  # the folder: Python takes a package before a module of the same name

if __name__ == "__main__":
    sys.exit(main())
