"""What the headers declare: the rows of the table, and the public functions, each of which must have cases."""
import pathlib
import re
import sys

from .dtypes import NAMES
from .signatures import ROW_SIGNATURES, SIGNATURES

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import prototypes  # noqa: E402

# Public functions that compute nothing that NumPy could check, or that another test covers.
NOT_HERE = set("""
    finfo iinfo item_complex item_complex_at free keep report_leaks error error_status ignore_error clear_error on_error shutdown isa now synchronize empty empty_n empty_like to
    wrap wrap_strided from data imsave render imshow fits_read fits_write print benchmark
    open store store_n chunked rechunk is_chunked chunks_of compute compute_n persist map_blocks map_blocks_n map_overlap visualize progress_line
    graph_new graph_free delayed_n run run_n graph_visualize rank ranks formula_c
""".split())
NOT_HERE_EITHER = ("memory_", "set_", "get_", "cuda_", "stream_", "event_")  # how their names begin

ROW = re.compile(rf"^GA_({'|'.join(ROW_SIGNATURES)})\(\s*(\w+),\s*(\w+)", re.M)


class Row:
    """A row of the table."""
    def __init__(self, family, name, group):
        self.family, self.name, self.group = family, name, group


def read_header(path):
    """The rows of the table by name, and the names of the public functions, of the gpuarr.h at `path`."""
    source = (pathlib.Path(path).parent / "gpuarr/rows/table.h").read_text()
    rows = {name: Row(family, name, group) for family, name, group in ROW.findall(source)}
    return rows, {name.removeprefix("ga_") for name in prototypes.read(path).functions}


class Words:
    """What a name in a formula means: calls (with the number of their operands), folds, dtypes, and other names for them."""

    def __init__(self, rows, source):
        self.calls = {n: {"UNARY": 1, "ELEMENTARY": 1, "TERNARY": 3}.get(r.family, 2) for n, r in rows.items() if r.family != "FOLD"}
        self.calls["where"], self.calls["round"] = 3, 1
        self.bitwise = [n for n, r in rows.items() if r.group in ("INT", "BITS")]
        self.folds = [n for n, r in rows.items() if r.family == "FOLD"]
        self.folds += [n for n in re.findall(r"GI_WORD_OF_(?:MOMENT|SPREAD|PLACE|ORDER|PERCENTILE)\((\w+)\)", source) if n != "name"]
        self.dtypes = list(NAMES)
        self.aliases = dict(re.findall(r'\{ "(\w+)", "(\w+)" \}', source))
        for name, meant in self.aliases.items():
            if meant in self.calls:
                self.calls[name] = self.calls[meant]
            for listed in self.folds, self.dtypes, self.bitwise:
                if meant in listed:
                    listed.append(name)

    def meant(self, name):
        return self.aliases.get(name, name)


def read_words(path, rows):
    """The words of formulas, of the gpuarr.h at `path`."""
    return Words(rows, (pathlib.Path(path).parent / "gpuarr/eval/words.h").read_text())


def coverage_faults(rows, public, covered):
    """Sentences: no case for a public function, or a name that the headers do not have."""
    uncovered = sorted(n for n in public - covered - NOT_HERE if not n.startswith(NOT_HERE_EITHER))
    unknown = sorted((NOT_HERE | SIGNATURES.keys()) - public)
    if uncovered:
        yield "no case covers " + ", ".join(uncovered) + ": add cases, or name them in NOT_HERE"
    if unknown:
        yield "the headers do not declare " + ", ".join(unknown)
    if not rows:
        yield "the headers have no table"
