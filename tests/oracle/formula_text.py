"""Random texts of formulas, which Python can read too: `$1` stands for an operand, all else is its grammar."""

CONSTANTS = "pi e euler_gamma inf nan True False".split()
WHOLE_NUMBERS = "0 1 2 3 5 7 10 63 100 300 0xff 0b101 0o17 1_000 0X1F 9007199254740993 9223372036854775807".split()
NUMBERS = WHOLE_NUMBERS + "0.5 2. .25 1.5 3.0 1e-3 2.5E2 1e300 1e-310 2j 1.5j 0J".split()
ARITHMETIC = "+ - * / + - * / // % **".split()
BITWISE = "& | ^ << >>".split()
COMPARISONS = "< > <= >= == !=".split()
INDICES = ("...", "..., ::-1", "..., newaxis", "1:", "..., :2", "-1", "::2", "0", "None", "..., 0", ":1, ...", "::-2", "..., None, :", "-3:-1")
AXES = ("0", "-1", "0", "-1", "None", "1", "-2")
DECIMALS = "0 1 2 -1 -2 decimals=0 decimals=2 decimals=-1".split()
LISTS_OF_AXES = ("(0, -1)", "(0,)", "()")


class FormulaText:
    """Draws the parts of a text, over operands of these names; `places`: of those that are integers."""

    def __init__(self, c, names, places, words):
        self.c, self.r, self.names, self.operands, self.places, self.words = c, c.r, list(names), len(names), places, words

    def formula(self):
        statements = []
        for k in range(self.c.pick(0, 0, 0, 1, 1, 2, 3)):
            name = self.c.pick(f"t{k}", f"t{k}", "e", "sum", self.names[0])
            statements.append(f"{name} = {self.expression(2)}")
            self.names += [name, name]
            self.places = [place for place in self.places if place != name]  # an index knows operands alone
        result = self.expression(self.r.randint(1, 4))
        if statements and self.c.chance(0.4):  # what is needed whole, and in parts
            result = f"{name} {self.c.pick(*ARITHMETIC)} {self.c.pick(name, self.leaf())}[{self.index()}]"
        return "; ".join([*statements, result])

    def expression(self, depth):
        how = self.r.random()
        if depth <= 0 or how < 0.08:
            return self.leaf()
        if how < 0.44:
            return self.operator(depth)
        if how < 0.47:
            return self.chain()
        if how < 0.51:
            return self.twins(depth)
        if how < 0.57:
            return self.c.pick("-", "-", "-", "+") + self.inside(self.expression(depth - 1), 0.6)
        if how < 0.77:
            return self.call(depth)
        if how < 0.86:
            return self.fold(depth)
        if how < 0.93:
            inner = self.name() if self.c.chance(0.4) else self.inside(self.expression(depth - 1), 0.95)
            return f"{inner}[{self.index()}]"
        return f"{self.c.pick(*self.words.dtypes)}({self.expression(depth - 1)})"

    def whole(self, depth):
        """Mostly integers or bool, which bitwise operations are for."""
        how = self.r.random()
        if depth <= 0 or how < 0.1:
            return self.c.pick(*WHOLE_NUMBERS) if how < 0.5 else f"{self.c.pick('int8', 'uint16', 'int32', 'bool', 'uint')}({self.name()})"
        if how < 0.3:
            return f"({self.expression(depth - 1)} {self.c.pick(*COMPARISONS)} {self.leaf()})"
        if how < 0.5:
            return f"{self.c.pick(*(d for d in self.words.dtypes if 'int' in d))}({self.expression(depth - 1)})"
        if how < 0.6:
            return "~" + self.inside(self.whole(depth - 1), 0.5)
        if how < 0.7:
            return self.name() if self.c.chance(0.3) else self.c.pick("argmax", "argmin", "count_nonzero", "any") + f"({self.name()}, 0)"
        return self.bitwise(depth)

    def bitwise(self, depth):
        left, right = self.whole(depth - 1), self.whole(depth - 1)
        return f"{self.inside(left, 0.3)} {self.c.pick(*BITWISE)} {self.inside(right, 0.3)}"

    def name(self):
        k = self.r.randrange(len(self.names))
        return f"${k + 1}" if k < self.operands and self.c.chance(0.15) else self.names[k]

    def leaf(self):
        how = self.r.random()
        return self.name() if how < 0.75 else self.c.pick(*NUMBERS) if how < 0.95 else self.c.pick(*CONSTANTS)

    def inside(self, text, chance):
        return f"({text})" if self.c.chance(chance) else text

    def operator(self, depth):
        how = self.r.random()
        if how < 0.2:
            return self.inside(self.bitwise(depth), 0.3)
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        if how < 0.32:  # mostly apart: comparisons do not chain
            return self.inside(f"{self.inside(left, 0.5)} {self.c.pick(*COMPARISONS)} {self.inside(right, 0.5)}", 0.9)
        sign, blank = self.c.pick(*ARITHMETIC), self.c.pick("", " ", " ", "  ")
        if sign == "**" and self.c.chance(0.6):
            right = self.c.pick("2", "2", "3", "2.0", "0.5", "-1", "1.5")
        return self.inside(f"{self.inside(left, 0.25)}{blank}{sign}{blank}{self.inside(right, 0.25)}", 0.15)

    def chain(self):
        """Operators that bind alike, or nearly, without parentheses."""
        signs = self.c.pick(["**"], ["**"], ["+", "-"], ["*", "/", "//", "%"], ["-", "*", "**"])
        text = self.name()
        for _ in range(self.r.randint(2, 3)):
            text += self.c.pick(*signs) + self.c.pick("", "", "-", "+") + self.c.pick(self.name(), "2", "3", "0.5")
        return text

    def twins(self, depth):
        """The same twice, but for an index or the options of a fold."""
        inner, sign = f"({self.expression(depth - 1)})", self.c.pick(*ARITHMETIC)
        if self.c.chance(0.5):
            return f"{inner}[{self.c.pick('0', '1:', '...')}] {sign} {inner}[{self.c.pick('-1', ':1', 'None')}]"
        name = self.c.pick("sum", "max", "mean", "std", "argmin")
        options = self.r.sample(["axis=0, keepdims=True", "axis=-1, keepdims=True", "keepdims=True", "axis=0", "axis=-1"], 2)
        return f"{name}({inner}, {options[0]}) {sign} {name}({inner}, {options[1]})"

    def call(self, depth):
        name, operands = self.c.pick(*self.words.calls.items(), *[("where", 3)] * 4)
        draw = self.whole if name in self.words.bitwise and self.c.chance(0.9) else self.expression
        decimals = [self.c.pick(*DECIMALS)] if self.words.meant(name) == "round" and self.c.chance(0.6) else []
        return f"{name}({', '.join([draw(depth - 1) for _ in range(operands)] + decimals)})"

    def fold(self, depth):
        name = self.c.pick(*self.words.folds)
        options = []
        if "percentile" in name:
            options.append(self.c.pick("50", "0", "33.3", "100", "99"))
        if self.c.chance(0.6):
            axis = self.c.pick(*AXES, *(() if "arg" in name else LISTS_OF_AXES))
            options.append(self.c.pick(f"axis={axis}", axis) if "percentile" not in name else f"axis={axis}")
        if self.c.chance(0.3):
            options.append(self.c.pick("keepdims=True", "keepdims=False"))
        if self.c.chance(0.5) and name in ("var", "std", "nanvar", "nanstd"):
            options.append("ddof=1")
        if self.c.chance(0.3) and name in ("sum", "prod", "mean", "nansum", "nanprod"):
            options.append("dtype=" + self.c.pick(*self.words.dtypes))
        return f"{name}({', '.join([self.expression(depth - 1)] + options)})"

    def index(self):
        if self.places and self.c.chance(0.2):
            return self.c.pick("%s", "%s:", "..., :%s", "::%s, ...") % self.c.pick(*self.places)
        return self.c.pick(*INDICES)
