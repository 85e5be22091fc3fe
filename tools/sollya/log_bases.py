#!/usr/bin/env python3
"""Coefficients of gi_log2_series_f32 and gi_log10_series_f32 in log.h. Needs NumPy and SciPy.  Run: python3 log_bases.py

log_b(1+f) = c f + h f^2 + f^3 p(f) for 1+f in [sqrt(1/2), sqrt(2)], c = 1 / log b, h = -c/2 rounded to float32. p minimises the largest error in
units in the last place of the result, which is what counts near 1/2; a relative error does not. Its coefficients are rounded to float32 one after
the other, the lowest first, and those that are left are fitted again. (sollya's fpminimax has no such weight, and finds a singular matrix for base 10.)
"""
import numpy as np
from scipy.optimize import linprog

POINTS, DEGREE = 1500, 8


def least_maximum(powers, goal):
    """The coefficients of the columns of powers with the least largest |powers @ coefficients - goal|."""
    n = powers.shape[1]
    ones = np.ones((len(goal), 1))
    above, below = np.hstack([powers, -ones]), np.hstack([-powers, -ones])
    found = linprog(np.eye(n + 1)[n], A_ub=np.vstack([above, below]), b_ub=np.concatenate([goal, -goal]),
                    bounds=[(None, None)] * n + [(0, None)], method="highs")
    return found.x[:n]


def fit(base):
    low, high = 2**-0.5 - 1, 2**0.5 - 1
    f = (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)
    f = f[abs(f) > 1e-3]
    c = 1 / np.log(base)
    h = float(np.float32(-0.5 * c))
    wanted = np.log1p(f) * c
    last_place = 2.0 ** (np.floor(np.log2(abs(wanted))) - 23)
    rest = (wanted - c * f - h * f * f) / last_place
    powers = np.stack([f ** (3 + k) for k in range(DEGREE)], 1) / last_place[:, None]
    fixed = []
    for k in range(DEGREE):
        done = powers[:, :k] @ np.array(fixed) if k else 0
        fixed.append(float(np.float32(least_maximum(powers[:, k:], rest - done)[0])))
    return h, fixed, abs(rest - powers @ np.array(fixed)).max()


for base in (2, 10):
    h, coefficients, error = fit(base)
    print(f"log{base} f32 {2}: {h.hex()}")
    for k, value in enumerate(coefficients):
        print(f"log{base} f32 {3 + k}: {value.hex()}")
    print(f"log{base} f32: largest error {error:.3f} units in the last place")
