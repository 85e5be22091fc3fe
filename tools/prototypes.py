#!/usr/bin/env python3
"""What gpuarr.h declares: the public functions, structs, enums, callbacks and constants, with their types. As a program it prints them.

    python3 tools/prototypes.py [gpuarr.h]

The C preprocessor reads the header first, so the rows of the table and the lists of dtypes are here like all the rest. What has a body,
is static, or is not called ga_... is left out; structs are here whatever their name.
"""
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\w+|\.\.\.|[^\s\w]')
QUALIFIERS = {"const", "volatile", "restrict", "extern", "struct", "enum", "union"}
WORDS_OF_NUMBERS = {"unsigned", "signed", "char", "short", "int", "long", "float", "double"}


@dataclass
class Type:
    """A type of C. kind: name, pointer, array or function; `of` is what it points to, holds or returns."""
    kind: str
    name: str = ""  # int64_t, bool, ga_array
    const: bool = False
    of: "Type" = None
    length: int = 0  # of an array
    parameters: list = field(default_factory=list)  # of a function: (type, name)
    variadic: bool = False

    def __str__(self):
        return self.declare("")

    def declare(self, name):
        """The C text of a declaration of `name`."""
        if self.kind == "name":
            return ("const " if self.const else "") + self.name + (" " + name if name else "")
        if self.kind == "pointer":
            name = "*" + ("const " if self.const and name else "const" if self.const else "") + name
            return self.of.declare(f"({name})" if self.of.kind in ("array", "function") else name)
        if self.kind == "array":
            return self.of.declare(f"{name}[{self.length}]")
        inside = [t.declare(n) for t, n in self.parameters] + ["..."] * self.variadic
        return self.of.declare(f"{name}({', '.join(inside) or 'void'})")


@dataclass
class Header:
    functions: dict = field(default_factory=dict)  # name -> function type
    structs: dict = field(default_factory=dict)  # name -> [(type, member)], in their order
    unions: dict = field(default_factory=dict)
    enums: dict = field(default_factory=dict)  # name -> [enumerator]
    typedefs: dict = field(default_factory=dict)  # name -> type: callbacks and opaque handles
    constants: dict = field(default_factory=dict)  # name -> type


class Parser:
    def __init__(self, text):
        self.tokens, self.at, self.header = TOKEN.findall(text), 0, Header()

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *expected):
        token = self.peek()
        if expected and token not in expected:
            raise SyntaxError(f"'{token}' in place of {expected}: ... {' '.join(self.tokens[max(0, self.at - 12):self.at + 4])}")
        self.at += 1
        return token

    def skip(self, opening, closing):
        """What stands in brackets."""
        depth = 0
        while True:
            token = self.take()
            depth += (token == opening) - (token == closing)
            if not token:
                raise SyntaxError(f"no '{closing}'")
            if depth == 0:
                return

    def attributes(self):
        while self.peek() in ("__attribute__", "__extension__", "__asm__", "_Alignas"):
            if self.take() != "__extension__":
                self.skip("(", ")")

    def header_of(self):
        while self.peek():
            self.top_level()
        return self.header

    def top_level(self):
        self.attributes()
        if self.peek() == "_Static_assert":
            self.take()
            self.skip("(", ")")
        if self.peek() == ";":
            self.take()
            return
        words = set()
        while self.peek() in ("typedef", "extern", "static", "inline", "__inline", "__inline__", "_Noreturn"):
            words.add(self.take())
            self.attributes()
        base = self.base_type()
        while self.peek() != ";":
            kind, name = self.declarator(base)
            self.attributes()
            if self.peek() == "{":  # a function with a body
                self.skip("{", "}")
                return
            if self.peek() == "=":
                while self.peek() not in (";", ","):
                    self.skip("{", "}") if self.peek() == "{" else self.skip("(", ")") if self.peek() == "(" else self.take()
            self.declared(words, kind, name)
            if self.peek() != ";":
                self.take(",")
        self.take(";")

    def declared(self, words, kind, name):
        h = self.header
        if "typedef" in words:
            named = kind.kind == "name"
            for known in (h.structs, h.unions, h.enums):
                if named and kind.name in known and kind.name != name:
                    known[name] = known[kind.name]
                    named = None
            if not (named and kind.name == name):
                h.typedefs[name] = kind
        elif not name.startswith("ga_"):
            return
        elif kind.kind == "function":
            if "static" not in words:
                h.functions[name] = kind
        else:
            h.constants[name] = kind

    def base_type(self):
        """The type before the declarators."""
        const, names = False, []
        while True:
            self.attributes()
            token = self.peek()
            if token in ("struct", "union", "enum"):
                names = [self.tagged(self.take())]
            elif token in QUALIFIERS:
                const |= self.take() == "const"
            elif re.match(r"[A-Za-z_]", token) and (not names or (token in WORDS_OF_NUMBERS and set(names) <= WORDS_OF_NUMBERS)):
                names.append(self.take())
            else:
                break
        if not names:
            raise SyntaxError(f"no type before '{self.peek()}': {' '.join(self.tokens[max(0, self.at - 12):self.at + 4])}")
        name = " ".join(names)
        return Type("name", "bool" if name == "_Bool" else name, const)

    def tagged(self, word):
        """After struct, union or enum: the name, or one of our own for what has none."""
        self.attributes()
        name = self.take() if self.peek() != "{" else f"{word}@{self.at}"
        if self.peek() != "{":
            return f"{word} {name}"
        self.take("{")
        if word == "enum":
            items = self.header.enums[name] = []
            while self.peek() != "}":
                items.append(self.take())
                while self.peek() not in (",", "}"):
                    self.take()
                if self.peek() == ",":
                    self.take()
            self.take("}")
            return name
        members = []
        while self.peek() != "}":
            base = self.base_type()
            while self.peek() != ";":
                members.append(self.declarator(base))
                if self.peek() == ",":
                    self.take()
            self.take(";")
        self.take("}")
        (self.header.structs if word == "struct" else self.header.unions)[name] = members
        return name

    def declarator(self, base):
        """(type, name) of one declarator behind the type `base`."""
        while self.peek() == "*":
            self.take()
            base = Type("pointer", of=base)
            while self.peek() in QUALIFIERS:
                base.const |= self.take() == "const"
        self.attributes()
        inner = None
        if self.peek() == "(" and self.tokens[self.at + 1] in ("*", "(") or (
                self.peek() == "(" and re.match(r"ga_|gi_", self.tokens[self.at + 1]) and self.tokens[self.at + 2] == ")"):
            self.take("(")
            start = self.at
            self.at -= 1
            self.skip("(", ")")  # what stands inside belongs to what comes behind it
            inner, name = start, ""
        else:
            name = self.take() if re.match(r"[A-Za-z_]", self.peek()) else ""
        base = self.suffixes(base)
        if inner is None:
            return base, name
        end, self.at = self.at, inner
        result = self.declarator(base)
        self.take(")")
        self.at = end
        return result

    def suffixes(self, base):
        if self.peek() == "[":
            self.take()
            length = ""
            while self.peek() != "]":
                length += self.take()
            self.take("]")
            if not re.fullmatch(r"[\d+*() -]*", length):
                raise SyntaxError(f"the length of an array: {length}")
            return Type("array", of=self.suffixes(base), length=eval(length) if length else 0)
        if self.peek() == "(":
            self.take()
            function = Type("function", of=base)
            while self.peek() != ")":
                if self.peek() == "...":
                    self.take()
                    function.variadic = True
                else:
                    function.parameters.append(self.declarator(self.base_type()))
                if self.peek() == ",":
                    self.take()
            self.take(")")
            if [(t.kind, t.name) for t, _ in function.parameters] == [("name", "void")]:
                function.parameters = []
            return function
        return base


def preprocessed(path):
    """The lines of the header and of its folder, without those of the system's headers."""
    folder = pathlib.Path(path).resolve().parent
    compiler = os.environ.get("CC", "cc").split()
    run = subprocess.run([*compiler, "-std=c11", "-E", "-x", "c", "-I", str(folder), str(path)], capture_output=True, text=True)
    if run.returncode != 0:
        raise SyntaxError(run.stderr)
    kept, ours = [], False
    for line in run.stdout.splitlines():
        place = re.match(r'# \d+ "(.*)"', line)
        if place:
            ours = pathlib.Path(place[1]).resolve().is_relative_to(folder)
        elif ours and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def read(path):
    """The Header that gpuarr.h at `path` declares."""
    return Parser(preprocessed(path)).header_of()


def main():
    header = read(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / "gpuarr.h")
    for name, items in header.enums.items():
        print(f"enum {name} {{ {', '.join(items)} }}")
    for word, kinds in ("struct", header.structs), ("union", header.unions):
        for name, members in kinds.items():
            print(f"{word} {name} {{ {' '.join(t.declare(n) + ';' for t, n in members)} }}")
    for name, kind in header.typedefs.items():
        print(f"typedef {kind.declare(name)};")
    for known in header.constants, header.functions:
        for name, kind in known.items():
            print(f"{kind.declare(name)};")


if __name__ == "__main__":
    main()
