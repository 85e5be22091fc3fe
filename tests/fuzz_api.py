#!/usr/bin/env python3
"""Writes a C function that makes a random call of each public function of gpuarr.h, for tests/fuzz_api.c, which includes them.

    python3 tests/fuzz_api.py >build/fuzz_api_calls.h

The prototypes come from tools/prototypes.py, so a new function is called, and a new option given, without a change here. Only a type that no
function had before needs a line in VALUES, and a function for it in fuzz_api.c.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from prototypes import read  # noqa: E402

# The values of a type: `{name}` is the parameter's or the member's name, `{n}` how many there are of a list, `{count}` the enumerators.
VALUES = {
    "bool": "draw_bool({name})",
    "int": "draw_int({name})",
    "int64_t": "draw_int64({name})",
    "uint64_t": "draw_uint64({name})",
    "double": "draw_double({name})",
    "ga_device": "draw_device({name})",
    "ga_shape": "draw_shape({name})",
    "ga_arg": "draw_operand({name})",
    "ga_array *": "draw_array({name})",
    "const ga_array *": "draw_array({name})",
    "ga_array **": "draw_room({name})",
    "const ga_array *const *": "draw_arrays({name}, {n})",
    "const ga_arg *": "draw_operands({name}, {n})",
    "const char *": "draw_text({name})",
    "const char *const *": "draw_texts({name}, {n})",
    "const int64_t *": "draw_integers({name})",
    "const ga_dtype *": "draw_dtypes({name})",
    "const double *": "draw_doubles({name})",
    "int *": "draw_place({name})",
    "int64_t *": "draw_place({name})",
    "double *": "draw_place({name})",
    "void *": "draw_place({name})",
    "FILE *": "draw_file({name})",
    "ga_stream": "draw_stream({name})",
    "ga_event": "draw_event({name})",
    "const ga_graph *": "draw_graph({name})",
    "const ga_kernel *": "draw_kernel({name})",
    "const ga_reduction *": "draw_reduction({name})",
    "const ga_stencil_kernel *": "draw_stencil({name})",
    "const ga_progress *": "draw_progress({name})",
    "ga_error_handler": "draw_error_handler({name})",
    "ga_block_function": "draw_block_function({name})",
    "ga_window_function": "draw_window_function({name})",
    "ga_peaks *": "(ga_peaks *)(void *)draw_room({name})",
    "ga_progress_function": "draw_progress_function({name})",
    "void (*)(void *user)": "draw_function({name})",
    "enum": "({type})draw_enum({name}, {count})",
}

# Called by a function of that name in fuzz_api.c: what they are given must fit together, or more must be known of what they did.
BY_HAND = """
    ga_free ga_graph_free ga_graph_new ga_delayed_n ga_run ga_run_n ga_index ga_from ga_wrap ga_wrap_strided
    ga_to_dlpack ga_to_dlpack_unversioned ga_from_dlpack ga_from_dlpack_unversioned
""".split()

# What a random call cannot call sensibly.
NEVER = {
    "ga_set_allocator": "the memory of all that is alive would have another owner; tests/allocations.c",
    "ga_on_error": "an error would end the program; tests/ending.c",
    "ga_synchronize": "with a GPU it waits for all, without one it does nothing",
}
# What is called, but need not succeed.
MAY_FAIL = {"ga_as_strided": "the strides must fit the memory; tests/strided.c", "ga_affine": "the matrix must fit the array; tests/ndimage.c", "ga_index_": "indices lie within the axes", "ga_add_at": "likewise", "ga_take_along": "likewise", "ga_put_along": "likewise",
            "ga_select": "there are as many values as conditions", "ga_piecewise": "likewise", "ga_unpackbits": "of uint8 alone", "ga_imdecode": "the bytes are those of a picture; tests/exchange.c", "ga_imread": "likewise",
            "ga_from_dlpack": "a tensor may be on a GPU",
            "ga_cholesky": "a square matrix must be positive definite; tests/linear.c", "ga_solve_banded": "three shapes and two numbers must fit; tests/linear.c", "ga_unstack": "n is the length of the axis",
            "ga_random_multivariate": "mean (n,) and cov (n, n) must fit; tests/chance.c", "ga_sosfilt": "sos is (n, 6); tests/signals.c", "ga_watershed_ift": "of uint8 and uint16 alone", "ga_cuda_": "needs a GPU", "ga_stream_": "needs a GPU", "ga_event_": "needs a GPU", "ga_set_stream": "needs a GPU"}
# Members that are no option of the user's.
NOT_GIVEN = ("site", "gi_first", "by_name")
# False, or NULL, is an answer and no failure.
QUESTIONS = """
    ga_get_fsync ga_can_cast ga_is_contiguous ga_same_shape ga_may_share_memory ga_allclose ga_array_equal ga_is_chunked ga_progress_line ga_stream_query ga_isdtype
    ga_event_query ga_error ga_get_stream
""".split()


class Calls:
    def __init__(self, header):
        self.header = header
        self.defaults = {k.name: n for n, k in header.constants.items() if k.kind == "name" and n.endswith("_defaults")}

    def value(self, kind, name, function, counted):
        """The C expression of a random value."""
        text = str(kind)
        known, count = VALUES.get(text), 0
        if known is None and text in self.header.enums:
            known, count = VALUES["enum"], len(self.header.enums[text])
        if known is None:
            sys.exit(f"tests/fuzz_api.py: {function} takes a {text} ({name}): add its values to VALUES, and to tests/fuzz_api.c")
        return known.format(name=f'"{name}"', n="n" if counted else 1, count=count, type=text)

    def options(self, kind, function):
        """The struct `o`, of which some members are given."""
        yield f"    {kind.name} o = start_{kind.name}();"
        for member, name in self.header.structs[kind.name]:
            if name not in NOT_GIVEN:
                yield f'    if (given("{name}")) o.{name} = {self.value(member, name, function, False)};'
        yield "    o.site = site();"

    def start(self, name):
        """A C function that returns an options struct of which nothing is given."""
        defaults = self.defaults.get(name)
        yield f"static {name} start_{name}(void)"
        yield "{"
        if defaults:
            yield f"    return {defaults};"
        else:
            yield f"    {name} o;\n    memset(&o, 0, sizeof o);\n    return o;"
        yield "}"

    def call(self, name, function):
        """A C function that makes one call."""
        kinds = [(k, n or "argument") for k, n in function.parameters]
        lists = any(k.kind == "pointer" and str(k) not in ("const char *", "const ga_array *", "ga_array *", "void *") for k, _ in kinds)
        counted = lists and any(n == "n" and str(k) == "int" for k, n in kinds)
        yield f"static void call_{name}(void)"
        yield "{"
        arguments, writes, sited = [], False, False
        for kind, parameter in kinds:
            if kind.kind == "name" and kind.name.endswith("_options"):
                yield from self.options(kind, name)
                writes = any(n == "out" for _, n in self.header.structs[kind.name])
                sited = True
                arguments.append("o")
            elif parameter == "site":
                yield "    const char *where = site();"
                sited = True
                arguments.append("where")
            else:
                value = f'draw_count("{parameter}")' if counted and parameter == "n" else self.value(kind, parameter, name, counted)
                yield f"    {kind.declare(parameter)} = {value};"
                arguments.append(parameter)
        if not sited:
            yield "    site();"
        call = f"({name})({', '.join(arguments)})"
        result, question = str(function.of), "true" if name in QUESTIONS else "false"
        if result == "ga_array *":
            yield f"    ga_array *r = {call};"
            yield "    end_array(r);"
            if writes:
                yield f"    if (!again(r)) return;\n    o.out = draw_like(r);\n    o.site = site();\n    end_same(r, {call});"
        elif result == "bool":
            yield f"    end_bool({call}, {question});"
        elif result == "double":
            yield f"    end_double({call});"
        elif result == "char *":
            yield f"    char *r = {call};\n    end_pointer(r, {question});\n    free(r);"
        elif function.of.kind == "pointer" or result in ("ga_stream", "ga_event"):
            yield f"    end_pointer({call}, {question});"
        else:
            yield f"    {call};\n    end_call(true);" if result == "void" else f"    (void){call};\n    end_call(true);"
        yield "}"

    def all(self):
        names = [n for n in self.header.functions if n not in NEVER]
        unknown = [n for n in [*BY_HAND, *NEVER, *QUESTIONS] if n not in self.header.functions]
        if unknown:
            sys.exit("tests/fuzz_api.py: the header does not declare " + ", ".join(unknown))
        for name in dict.fromkeys(str(kind) for n in names for kind, _ in self.header.functions[n].parameters):
            if name.endswith("_options"):
                yield from self.start(name)
        for name in names:
            if name in BY_HAND:
                yield f"static void call_{name}(void);"
            else:
                yield from self.call(name, self.header.functions[name])
        yield "static const struct {\n    const char *name;\n    void (*call)(void);\n    bool may_fail;\n} functions[] = {"
        for name in names:
            yield f'    {{ "{name}", call_{name}, {"true" if name.startswith(tuple(MAY_FAIL)) else "false"} }},'
        yield "};"


if __name__ == "__main__":
    print("\n".join(Calls(read(ROOT / "gpuarr.h")).all()))
