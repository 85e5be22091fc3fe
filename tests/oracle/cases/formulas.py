"""Formulas given as text, node by node.

Python's own parser reads the text. Every node is computed by gpuarr and by NumPy from what gpuarr made of the nodes below it, so that
roundings do not add up. The whole text must then give the bits of its last node.
"""
import ast
import contextlib
import math
import re

import numpy as np

from ..binding import GaError
from ..comparing import ERRORS, Close, Mismatch, Skip, attempt, compare, exact
from ..dtypes import DTYPES, F32, F64, FLOATS, INTS, dtype_of, fits, in_dtype, is_complex, saturating, too_large_alone, wide
from ..formula_text import FormulaText
from ..outputs import put_result, run_map
from .elementwise import COMPLEX_PRODUCTS, numpy_row
from .order import near_order
from .reductions import MOMENTS, SUMS, numpy_moment, numpy_reduction

CONSTANTS = {"pi": np.pi, "e": np.e, "euler_gamma": np.euler_gamma, "inf": np.inf, "nan": np.nan, "newaxis": None}
SIGNS = {ast.UAdd: ("+", "positive"), ast.USub: ("-", "negative"), ast.Invert: ("~", "invert"),
         ast.Add: ("+", "add"), ast.Sub: ("-", "subtract"), ast.Mult: ("*", "multiply"), ast.Div: ("/", "divide"),
         ast.FloorDiv: ("//", "floor_divide"), ast.Mod: ("%", "remainder"), ast.Pow: ("**", "power"),
         ast.BitAnd: ("&", "bitwise_and"), ast.BitOr: ("|", "bitwise_or"), ast.BitXor: ("^", "bitwise_xor"),
         ast.LShift: ("<<", "left_shift"), ast.RShift: (">>", "right_shift"),
         ast.Lt: ("<", "less"), ast.Gt: (">", "greater"), ast.LtE: ("<=", "less_equal"), ast.GtE: (">=", "greater_equal"),
         ast.Eq: ("==", "equal"), ast.NotEq: ("!=", "not_equal")}
LARGEST = 100_000  # elements


class Fails(Exception):
    """A node fails, in gpuarr and in NumPy: so must the whole."""


def is_whole(numbers):
    return all(isinstance(v, int) for v in numbers)


def within_int64(*numbers):
    return all(not isinstance(v, int) or -2**63 <= v < 2**63 for v in numbers)


def python_number(sign, xs):
    """Python's arithmetic, but without integers beyond 126 bits, and how to compare with it."""
    if sign == "**" and any(isinstance(x, complex) for x in xs):
        raise Skip  # the rows' cases compare complex powers, whose errors grow with them
    if sign in ("**", "<<") and is_whole(xs) and abs(xs[0]) > (sign == "**") and xs[1] > 128:
        raise OverflowError
    if any(isinstance(x, complex) for x in xs) and (sign in ("<", ">", "<=", ">=") or not all(map(is_moderate, xs))):
        raise Skip  # NumPy orders them, and limits are another matter
    if any(abs(x) > 2**53 for x in xs) and (sign == "/" or any(isinstance(x, float) for x in xs)):
        raise Skip  # Python rounds and compares as if the integer had been exact
    try:
        value = eval(f"x {sign} y" if len(xs) == 2 else sign + "x", {"x": xs[0], "y": xs[-1]})
    except OverflowError:
        raise Skip from None  # a float
    if isinstance(value, int) and not -2**63 <= value < 2**64 and abs(value) <= 2**126:
        raise Skip  # other numbers may be made of it, but no array
    if isinstance(value, int) and abs(value) > 2**126 or isinstance(value, complex) and not any(isinstance(x, complex) for x in xs):
        raise OverflowError("or a root of a negative number")
    if isinstance(value, complex) or sign == "**" and isinstance(value, float):
        return np.asarray(value, wide(dtype_of(value))), dtype_of(value), Close(4)
    return np.asarray(value), dtype_of(value), exact


def is_moderate(x):
    """Do complex products and quotients keep far from overflow?"""
    size = np.abs(x)
    return bool(np.all((size == 0) | (size > 1e-12) & (size < 1e12)))


def near_limits(name, a, dtype):
    """Do sums or products come near the limits of the dtype, which one order of them reaches and another does not?"""
    dtype = np.promote_types(dtype or a.dtype, a.dtype)
    if dtype.kind not in "fc" or name not in SUMS + MOMENTS or a.size == 0:
        return False
    size = np.abs(a.astype(wide(dtype)))
    if dtype.kind == "c" and not np.isfinite(size).all():
        return True
    size = size[np.isfinite(size) & (size > 0)]
    if "prod" in name:
        return np.abs(np.log2(size)).sum() > 500
    return size.sum() > 1e300 if name in SUMS else bool(size.size) and not 1e-140 < size.max() <= size.sum() < 1e140


def numpy_fold(rows, name, a, named, q):
    """NumPy's result of a fold, its dtype, and how to compare. Raises what NumPy raises, or Skip."""
    if near_limits(name, a, named.get("dtype")):
        raise Skip
    if a.ndim == 0 and named.get("axis") in (0, -1, (0,)) or a.size == 0 and a.ndim > 1 and ("min" in name or "max" in name):
        raise Skip  # some functions of NumPy take axis 0 of a 0-d array; and some fail where the result is empty
    if name in MOMENTS:
        if name.startswith("nan") and a.dtype.kind == "c":
            raise TypeError("no complex")
        return numpy_moment(name, a, named)
    if name in rows:
        return numpy_reduction(rows[name], a, named)
    f = getattr(np, name)
    if "arg" in name:
        y = np.asarray(f(a, **named))
        if a.dtype.kind == "c" or name.startswith("nan") and np.isinf(a).any():  # of NaN and inf NumPy finds the NaN
            raise Skip
        return y, y.dtype, exact
    if a.dtype.kind not in "iuf" or a.size == 0 or np.isinf(a).any() or np.isnan(a).any() and "nan" in name:
        raise Skip
    if q is None:
        y = np.asarray(f(a, **named))
    else:
        y = np.asarray(f(a.astype(F64) if a.dtype.kind in "iu" else a, q, **named))  # NumPy's integers overflow
    return y, y.dtype, near_order(a)


def size_of(xs):
    """How many elements they broadcast to."""
    shape = attempt(lambda: np.broadcast_shapes(*(np.shape(x) for x in xs)))
    return 0 if isinstance(shape, Exception) else math.prod(shape)


class Formula:
    """Computes the nodes of a formula, and judges each."""

    def __init__(self, c, rows, words, names, operands):
        self.c, self.rows, self.words, self.operands = c, rows, words, operands
        self.scope = {name: (lambda v=v: v) for name, v in zip(names, operands)}

    def run(self, text):
        """The value of the last statement, and whether a fold makes it."""
        node = None
        for statement in ast.parse(re.sub(r"\$(\d+)", r"operand_\1", text)).body:
            node, scope = statement.value, dict(self.scope)
            self.check(node)
            if isinstance(statement, ast.Assign):
                self.scope[statement.targets[0].id] = self.once(node, scope)
        fold = node
        while isinstance(fold, ast.Name) and hasattr(scope.get(fold.id), "node"):
            fold, scope = scope[fold.id].node, scope[fold.id].scope
        fold = isinstance(fold, ast.Call) and self.words.meant(fold.func.id) in self.words.folds
        return self.value(node, self.scope), fold

    def check(self, statement):
        """What fails when the text is read, used or not."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Compare) and len(node.ops) > 1:
                raise Fails("comparisons do not chain")
            if isinstance(node, ast.Call) and node.func.id in self.scope:
                raise Fails("an operand is no function")

    def once(self, node, scope):
        """Computes a named node when it is first needed."""
        def value():
            if not hasattr(value, "made"):
                value.made = self.value(node, scope)
            return value.made
        value.node, value.scope = node, scope
        return value

    def value(self, node, scope):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.named(node.id, scope)
        if isinstance(node, ast.UnaryOp):
            return self.operator(node.op, self.value(node.operand, scope))
        if isinstance(node, ast.BinOp):
            return self.operator(node.op, self.value(node.left, scope), self.value(node.right, scope))
        if isinstance(node, ast.Compare):
            return self.operator(node.ops[0], self.value(node.left, scope), self.value(node.comparators[0], scope))
        if isinstance(node, ast.Subscript):
            return self.index(self.value(node.value, scope), node.slice, scope)
        return self.call(node, scope)

    def named(self, name, scope):
        if name.startswith("operand_"):
            return self.operands[int(name.removeprefix("operand_")) - 1]
        if name in scope:
            return scope[name]()
        return CONSTANTS[name]

    def operator(self, op, *xs):
        sign, name = SIGNS[type(op)]
        text = f"{sign}$1" if len(xs) == 1 else f"$1 {sign} $2"
        if not any(isinstance(x, np.ndarray) for x in xs):
            with contextlib.suppress(ArithmeticError, TypeError, ValueError):
                python_number(sign, xs)  # may say that this number alone is no result
            return self.judge(text, xs, lambda: python_number(sign, xs)).item()
        if sign == "**" and isinstance(xs[0], np.ndarray) and not isinstance(xs[1], (np.ndarray, bool, complex)) and xs[1] == 2 \
                and (type(xs[1]) is int or xs[0].dtype.kind in "fc"):
            return self.judge(text, xs, lambda: self.row("square", xs[:1]))
        return self.judge(text, xs, lambda: self.row(name, xs))

    def row(self, name, xs):
        """NumPy's result of a row, its dtype, and how to compare."""
        if name in COMPLEX_PRODUCTS and any(map(is_complex, xs)) and not all(map(is_moderate, xs)):
            raise Skip
        if name == "ldexp" and not (isinstance(xs[0], np.ndarray) and np.asarray(xs[1]).dtype.kind in "biu"):
            raise Skip  # of numbers, and of floats as exponents, NumPy's dtypes are others
        y, want, check = numpy_row(self.rows[name], xs if len(xs) > 1 else [np.asarray(xs[0])])
        return want, y.dtype, check

    def index(self, x, items, scope):
        """Elements; operands that an index names are integers."""
        text, numbers = ast.unparse(ast.Subscript(ast.Name("_"), items))[1:], {"newaxis": None}
        for name in {n.id for n in ast.walk(items) if isinstance(n, ast.Name)} - {"newaxis"}:
            numbers[name] = self.named(name, scope)
            text = re.sub(rf"\b{name}\b", f"({numbers[name]})" if type(numbers[name]) is int else name, text)

        def reference():
            if any(v is not None and type(v) is not int for v in numbers.values()):
                raise TypeError("an index is an integer")
            want = np.asarray(eval("x" + text, {"x": x, "newaxis": None}))
            return want, want.dtype, exact
        return self.judge("$1" + text.replace("(", "").replace(")", ""), [x], reference)

    def call(self, node, scope):
        name = node.func.id
        meant = self.words.meant(name)
        if meant in self.words.folds:
            return self.fold(name, meant, node, self.value(node.args[0], scope))
        if meant == "round":
            return self.rounding(name, node, self.value(node.args[0], scope))
        xs = [self.value(x, scope) for x in node.args]
        if meant in self.words.dtypes:
            return self.judge(f"{name}($1)", xs, lambda: self.conversion(xs[0], np.dtype(meant)))
        text = f"{name}({', '.join(f'${k + 1}' for k in range(len(xs)))})"
        return self.judge(text, xs, lambda: self.choice(*xs) if meant == "where" else self.alias(name, meant, xs))

    def alias(self, name, meant, xs):
        """A row by its name, or by another one that NumPy has for it."""
        want, dtype, check = self.row(meant, xs)
        if name != meant and hasattr(np, name) and attempt(lambda: getattr(np, name)(*xs).dtype) not in (dtype, np.float16):
            raise Mismatch(f"NumPy's {name} is not its {meant} here")
        return want, dtype, check

    def conversion(self, x, dtype):
        if type(x) is int and np.dtype(dtype).kind in "iu" and not np.iinfo(dtype).min <= x <= np.iinfo(dtype).max:
            raise OverflowError(f"{x} does not fit {dtype}")  # as NumPy 2
        if type(x) is complex and np.dtype(dtype).kind in "iuf":
            raise OverflowError(f"{x} is complex, {dtype} is not")  # a TypeError of Python's
        return saturating(np.asarray(x), dtype), dtype, exact

    def rounding(self, name, node, x):
        given = [*node.args[1:], *node.keywords]
        decimals = [ast.literal_eval(v.value if isinstance(v, ast.keyword) else v) for v in given] or [0]

        def reference():
            a = np.asarray(x)
            if a.dtype.kind == "b":  # NumPy's are float16
                a = a.astype(F64 if decimals[0] else F32)
            wide_enough = a.astype(F64) if a.dtype.kind in "iu" and decimals[0] < 0 else a
            want = saturating(np.round(wide_enough, decimals[0]), a.dtype)
            return want, want.dtype, exact
        return self.judge(f"{name}({', '.join(['$1', *map(ast.unparse, given)])})", [x], reference)

    def choice(self, condition, x, y):
        if too_large_alone((x, y)) or not all(fits(v, dtype_of(w)) for v, w in ((x, y), (y, x))):
            raise Skip  # NumPy wraps it, gpuarr refuses
        want = np.where(condition, x, y)
        return want, want.dtype, exact

    def fold(self, name, meant, node, x):
        given, named = node.args[1:], {}
        q = float(given.pop(0).value) if "percentile" in meant else None
        for key, v in [("axis", v) for v in given] + [(k.arg, k.value) for k in node.keywords]:
            named[key] = np.dtype(self.words.meant(v.id)) if key == "dtype" else ast.literal_eval(v)
        text = ", ".join(["$1"] + [ast.unparse(v) for v in [*node.args[1:], *node.keywords]])
        return self.judge(f"{name}({text})", [x], lambda: numpy_fold(self.rows, meant, np.asarray(x), named, q))

    def judge(self, text, xs, reference):
        """gpuarr's result of one operation."""
        if size_of(xs) > LARGEST:
            raise Skip
        try:
            want, dtype, check = reference()
        except Skip:
            want = None
        except ERRORS as e:
            want = e
        if isinstance(want, np.ndarray) and want.ndim > 8:
            want = ValueError("so many dimensions")
        try:
            got = self.c.ga.eval_n(text, list(xs))
        except GaError as e:
            if want is None or isinstance(want, Exception):
                raise Fails(str(e)) from None
            raise self.wrong(text, xs, f"gpuarr fails, NumPy does not.\n  error: {e}\n  want: {want!r}") from None
        if isinstance(want, Exception):
            raise self.wrong(text, xs, f"NumPy raises {type(want).__name__}: {str(want)[:200]}\n  gpuarr gives {got!r}")
        if want is None:
            return got
        try:
            compare(check, want, got, dtype)
        except Mismatch as e:
            raise self.wrong(text, xs, str(e)) from None
        return got

    def wrong(self, text, xs, what):
        inputs = "".join(f"\n    ${k + 1}: {getattr(x, 'dtype', '')} {getattr(x, 'shape', '')} {x!r}" for k, x in enumerate(xs))
        return Mismatch(f"the node {text}: {what}{inputs}\n")


def draw_operands(c):
    """Arrays of a few dtypes that broadcast, and numbers."""
    shape, operands = c.pick((700,), (2500,), (3, 900), (40, 30)) if c.chance(0.15) else c.shape(), []
    style, among = c.pick("small", "small", "unit", "tame", "any"), c.pick(FLOATS, FLOATS, INTS, DTYPES, DTYPES)
    for _ in range(c.r.randint(2, 5)):
        if operands and c.chance(0.2):
            operands.append(c.number())
        else:
            operands.append(c.array(among=among, shape=c.broadcast(shape) if c.chance(0.4) else shape, style=style))
    return operands


def formulas(rows, words):
    def draw(c):
        operands = draw_operands(c)
        names = c.r.sample(["x", "y", "z", "a1", "_b", "pi", "sum", "x2", "E"], len(operands))
        places = [name for name, v in zip(names, operands) if type(v) is int and within_int64(v)]
        text = FormulaText(c, names, places, words).formula()
        c.note("formula", text)
        c.note("names", names)

        def whole(*xs, **named):
            return c.ga.eval_n(text, list(xs), names=", ".join(names).encode(), **named)
        try:
            value, fold = Formula(c, rows, words, names, operands).run(text)
        except Fails as e:
            return c.judge(ValueError(str(e)), lambda: whole(*operands))
        want = np.array(value)  # .out may share memory with an operand
        if fold:  # into an .out of another dtype it is not rounded before
            check = Close(0, signed_zeros=True) if want.dtype.kind in "fc" else exact
            return put_result(c, lambda _, **named: whole(*operands, **named), want, {}, want, want.dtype, check)
        if want.ndim == 0:  # numbers adopt the dtype of .out
            return c.judge(want, lambda: whole(*operands))
        run_map(c, whole, operands, want, want.dtype, exact)
    return draw
