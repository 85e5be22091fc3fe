/* The formulas of formula_c.c: name, formula, parameters of the kernel, and the operands. */
#define MAPS(X)                                                                                                                \
    X(bell, "exp(-(d - 3)**2 / 100**2 - (e - 0.1)**2 / 7)", "double d, double e", d, e)                                        \
    X(bell_f, "exp(-(f - 3)**2 / 100**2 - (g - 0.1)**2 / 7)", "float f, float g", f, g)                                        \
    X(horner, "((f*2 + 0.1)*f - 1e10)*f + 16777217", "float f", f)                                                             \
    X(choice, "where((f > 1.3) & (g < 0.5), sqrt(f), abs(g))", "float f, float g", f, g)                                       \
    X(waves, "s = sin(d)**2; c = cos(e); (s + c) / (1 + s*c) + s", "double d, double e", d, e)                                 \
    X(mixed, "f * e + b - i", "float f, double e, uint8_t b, int i", f, e, b, i)                                               \
    X(whole, "i*i*i - 7*i + ~i | (i & 3) ^ 12", "int i", i)                                                                    \
    X(wraps, "l*l - l", "int64_t l", l)                                                                                        \
    X(bytes, "b*b + 200", "uint8_t b", b)                                                                                      \
    X(truth, "~(m | (d > 4)) ^ (d == d)", "bool m, double d", m, d)                                                            \
    X(others, "arctan2(f, g) + hypot(f, 3) - floor(f / 3) * remainder(f, 4) + maximum(f, -2)", "float f, float g", f, g)       \
    X(powers, "(g + 1)**2.7 + clip(f, -1, 3.5) + rint(f) - 1 / (g + 3)", "float f, float g", f, g)                             \
    X(rounded, "round(d / 3) + round(i, 2) * around(m)", "double d, int i, bool m", d, i, m)                                   \
    X(endless, "where(d > 3, inf, where(d < 0, -inf, d)) * 0 + where(isnan(d), 0, d)", "double d", d)                          \
    X(converted, "float32(d) * 3 + float32(i)", "double d, int i", d, i)                                                       \
    X(divided, "b / 7 + i / b", "uint8_t b, int i", b, i)                                                                      \
    X(names, "u = d*t1; u*u + t1 + t2 + t3", "double d, double t1, double t2, double t3", d, t1, t2, t3)                       \
    X(either, "logical_xor(d, 2) | logical_and(i, 0)", "double d, int i", d, i)                                                \
    X(zeros, "(d + -0.0) * -0.0", "double d", d)                                                                               \
    X(quotient, "where(d > 1, 1.0, 2.0) / where(d > 2, 3.0, 4.0) + 0.5*d", "double d", d)                                      \
    X(nested,                                                                                                                  \
      "-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-(-(2-d*7)))))))))))))))))))))))))))))))" \
      "))",                                                                                                                    \
      "double d", d)
#define FOLDS(X)                                                                                                               \
    X(chi2, "sum(((f - g) / 3)**2)", "float f, float g", f, g)                                                                 \
    X(chi2_d, "sum(((d - e) / 3)**2)", "double d, double e", d, e)                                                             \
    X(total, "sum(b * i)", "uint8_t b, int i", b, i)                                                                           \
    X(average, "mean(f * g)", "float f, float g", f, g)                                                                        \
    X(product, "prod(1 + e / 1000)", "double e", e)                                                                            \
    X(wrapping, "sum(l*l)", "int64_t l", l)                                                                                    \
    X(wrapped, "prod(l)", "int64_t l", l)
