"""How the public functions are called: their arguments, results and options, a letter each."""
import ctypes as C

from .structs import Shape, f64, flag, i32, i64, ptr, text


def options(name, fields):
    """An options struct: its fields before and behind the bar, from which on they have no positions. i int, l int64, d double, b bool,
    s shape, a array, p pointer, t dtype."""
    kinds = {"i": i32, "l": i64, "u": C.c_uint64, "d": f64, "b": flag, "s": Shape, "a": ptr, "p": ptr, "t": i32, "c": text}
    listed = [[f.split() for f in part.split(",") if f.strip()] for part in fields.split("|")]
    members = [[(member, kinds[letter]) for letter, member in part] for part in listed]

    @classmethod
    def defaults(cls, lib, site):
        """The options of a call that gives none."""
        o = cls.from_buffer_copy(cls.in_dll(lib, f"ga_{name}_defaults"))
        o.site = site
        return o

    return type("Options", (C.Structure,), {"_fields_": [*members[0], ("by_name", C.c_char), *members[1], ("site", text)],
                                            "kinds": {member: letter for part in listed for letter, member in part},
                                            "defaults": defaults})


OPTIONS = {
    "N": options("new", "t dtype | i device, b pinned, b managed, s chunks"),
    "K": options("to", "| a out, p stream, b async"),
    "M": options("map", "a out | a where, t dtype"),
    "R": options("reduce", "i axis, t dtype, a out | s axes, b keepdims, i ddof"),
    "O": options("order", "i axis, a out | s axes, b keepdims, i method"),
    "A": options("axis", "i axis, t dtype, a out |"),
    "X": options("axes", "i axis | s axes"),
    "L": options("linspace", "b endpoint | d base, t dtype, i device, s chunks"),
    "W": options("wrap", "| i device, p release, p user"),
    "C": options("close", "d rtol, d atol, b equal_nan |"),
    "=": options("equal", "b equal_nan |"),
    "Y": options("copyto", "| a where"),
    "V": options("norm", "d ord, i axis, b keepdims | s axes"),
    "P": options("pad", "i mode | d value, s after"),
    "U": options("unique", "p index, p inverse, p counts | b equal_nan"),
    "T": options("take", "i axis | i mode"),
    "H": options("histogram", "| d low, d high, a weights, b density, p edges"),
    "B": options("bincount", "a weights, l minlength |"),
    "h": options("describe", "| i ddof, b skip_nan"),
    "ev": options("eval", "| a out, a where, t dtype, c names"),
    "E": options("label", "| i connectivity, p count, t dtype, d above"),
    "J": options("center", "| p sums"),
    "G": options("sigma", "d sigma, d sigma_low, d sigma_high, i maxiters | i rule, b mean, p mask, p passes, p low, p high"),
    "Q": options("print", "| i precision, i threshold, i edgeitems, i linewidth, b suppress, b repr"),
    "Z": options("random", "t dtype | i device, u seed, u stream, s chunks"),
    "v": options("convolve", "i mode, i method | a out"),
    "2": options("convolve2d", "i mode, i boundary, d fillvalue | i method, a out"),
    "3": options("ndconvolve", "a out, i border, d cval | s origin, i method"),
    "1": options("convolve1d", "i axis, a out, i border, d cval, l origin | i method"),
    "D": options("distance", "i metric | a out"),
    "F": options("squareform", "| b checks"),
    "g": options("gaussian", "| p sigmas, s order, d truncate, s radius, i border, d cval, a out"),
    "e": options("edge", "i axis, a out, i border, d cval |"),
    "f": options("uniform", "a out, i border, d cval | s sizes, s origin"),
    "w": options("window", "a footprint, a out, i border, d cval | s sizes, s origin"),
    "o": options("product", "a out |"),
    "j": options("tensordot", "| s axes_a, s axes_b, a out"),
    "!": options("cholesky", "| b upper"),
    "@": options("triangular", "i trans, b lower, b unit_diagonal |"),
    "#": options("qr", "i mode |"),
    "?": options("eigh", "| b upper"),
    "~": options("svd", "b full_matrices |"),
    "(": options("matrix_norm", "| b keepdims, d ord"),
    ")": options("vector_norm", "| i axis, s axes, b keepdims, d ord"),
    "[": options("cond", "d p |"),
    "]": options("rank", "d tol | d rtol"),
    "{": options("pinv", "d rcond |"),
    "}": options("lstsq", "d rcond | p residuals, p rank, p s"),
    "$": options("cross", "i axisa, i axisb, i axisc, i axis |"),
    "%": options("vecdot", "| i axis"),
    "&": options("tensorsolve", "s axes |"),
    "*": options("tensorinv", "i ind |"),
    "y": options("apply", "a out | a where, p outs"),
    "I": options("eval", "| a out, a where, t dtype, c names"),
    "u": options("stencil", "| i border, d cval, l steps, a out"),
}

# The functions that are not rows of the table. Arguments: a array, n operand (array or number), s shape, i int, l int64,
# d double, b bool, t dtype, c text, p pointer, k list of arrays (their number before them), m list of operands (likewise),
# x a kernel of tests/oracle_kernels.c by its name, q room for so many new arrays, S the site, and the options above.
# Before the colon the result: a array, b bool, d double, l int64, t dtype, c text, m text to be freed, y statistics.
FUNCTIONS = """
    where a:annM  isclose a:nnC  allclose b:nnC  array_equal b:nn=  copyto a:anY  copy a:aS  astype a:atS
    ascontiguous a:aS  var a:aR  std a:aR  nanmean a:aR  nanvar a:aR  nanstd a:aR  argmin a:aR  argmax a:aR
    nanargmin a:aR  nanargmax a:aR  median a:aO  nanmedian a:aO  describe y:ah  percentile a:anO  nanpercentile a:anO  cumsum a:aA
    cumprod a:aA  norm a:aV  dtype_name c:t  itemsize l:t  promote t:tt  can_cast b:tt  is_contiguous b:a
    same_shape b:aa  may_share_memory b:aa  zeros a:sN  ones a:sN  full a:snN  zeros_n a:ipN  zeros_like a:aN
    ones_like a:aN  full_like a:anN  scalar a:nN  arange a:nnnN  linspace a:ddlL  logspace a:ddlL  eye a:lllN
    meshgrid_n b:kqbS  meshgrid b:aaqqbS  indices a:sN  mgrid a:cN  tile a:asS  repeat a:alA  item d:aS  item_int l:aS
    item_at d:asS  item_int_at l:asS  index a:Sac  view a:aS  view_as a:atS  reshape a:asS  ravel a:aS  flatten a:aS
    transpose a:aX  swapaxes a:aiiS  moveaxis a:aiiS  squeeze a:aX  expand_dims a:aiS  broadcast_to a:asS  diagonal a:alS
    flip a:aX  fliplr a:aS  flipud a:aS  rot90 a:aiS  concatenate_n a:kA  stack_n a:kA  split b:aiqA  split_at b:aipqA
    roll a:alA  pad a:asP  sort a:aA  argsort a:aA  unique a:aU  nonzero a:aS  compress a:aaA  extract a:aaS  take a:aaT
    histogram a:alH  bincount a:aB  label a:aE  sum_labels a:aaaS  mean_labels a:aaaS  min_labels a:aaaS
    max_labels a:aaaS  size_labels a:aaS  center_of_mass a:aaaJ  sigma_clip a:aG  save b:caS  load a:cS  savez b:cipkS
    matmul a:aao  dot a:aao  inner a:aao  outer a:aao  vdot a:aaS  tensordot a:aaij  einsum_n a:cko
    solve a:aaS  inv a:aS  det a:aS  slogdet b:aqqS  cholesky a:a!  solve_triangular a:aa@
    solve_banded a:llaaS  expm a:aS  matrix_norm a:a(  vector_norm a:a)  cond a:a[  matrix_rank a:a]  pinv a:a{  lstsq a:aa}  svd b:aqqq~  svdvals a:aS  eigh b:aqq?  eigvalsh a:a?  qr b:aqq#  matrix_power a:alS  matrix_transpose a:aS  multi_dot_n a:ko  kron a:aaS  cross a:aa$  vecdot a:aa%
    tensorsolve a:aa&  tensorinv a:a*
    load_from a:ccS  to_string m:aQ  random a:sZ  random_integers a:llsZ  random_normal a:ddsZ
    convolve a:aav  correlate a:aav  convolve2d a:aa2  correlate2d a:aa2  ndconvolve a:aa3  ndcorrelate a:aa3
    convolve1d a:aa1  correlate1d a:aa1
    gaussian_filter a:adg  gaussian_laplace a:adg  gaussian_gradient_magnitude a:adg  sobel a:ae  prewitt a:ae  laplace a:ae
    uniform_filter a:alf  minimum_filter a:alw  maximum_filter a:alw  median_filter a:alw  percentile_filter a:adlw
    cdist a:aaD  pdist a:aD  squareform a:aF
    rank_filter a:allw  apply_n a:xmy  reduce_n a:xmR  stencil_n a:xmu  eval_n a:cmI
""".split()
SIGNATURES = dict(zip(FUNCTIONS[::2], FUNCTIONS[1::2]))
ROW_SIGNATURES = {"UNARY": "a:aM", "ELEMENTARY": "a:aM", "BINARY": "a:nnM", "ELEMENTARY2": "a:nnM",
                  "TERNARY": "a:nnnM", "FOLD": "a:aR"}
