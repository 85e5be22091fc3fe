"""How the public functions are called: their arguments, results and options, a letter each."""
import ctypes as C

from .structs import Arg, Shape, f64, flag, i32, i64, ptr, text


def options(name, fields):
    """An options struct: its fields before and behind the bar, from which on they have no positions. i int, l int64, d double, b bool,
    s shape, a array, n operand, p pointer, t dtype."""
    kinds = {"i": i32, "l": i64, "u": C.c_uint64, "d": f64, "b": flag, "s": Shape, "a": ptr, "p": ptr, "t": i32, "c": text, "n": Arg}
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
    "y": options("apply", "a out | a where, p outs"),
    "I": options("eval", "| a out, a where, t dtype, c names"),
    "4": options("fft", "l n, i axis, i norm, a out |"),
    "5": options("fftn", "| s s, s axes, i norm, a out"),
    "6": options("fftfreq", "d d | i device"),
    "u": options("stencil", "| i border, d cval, l steps, a out"),
    "4": options("diagonal", "l k |"),
    "5": options("tri", "l k, l m | i device"),
    "6": options("fill", "b wrap |"),
    "7": options("vander", "l n, b increasing |"),
    "8": options("round", "i decimals, a out |"),
    "9": options("join", "| t dtype"),
    "0": options("trim", "c trim |"),
    "-": options("cumulative", "| i axis, t dtype, a out, b include_initial"),
    "<": options("diff", "i n, i axis, n prepend, n append |"),
    ">": options("ediff", "n to_end, n to_begin |"),
    "/": options("gradient", "| i axis, i edge_order, n spacing"),
    "_": options("trapezoid", "a x, d dx, i axis |"),
    "~": options("unwrap", "d discont, i axis | n period"),
    "%": options("average", "i axis, a weights | s axes, b keepdims, p sum_of_weights"),
    "&": options("cov", "a y, b rowvar | b bias, i ddof, a fweights, a aweights, t dtype"),
    "!": options("nan", "| d nan, d posinf, d neginf"),
    "(": options("histogramdd", "| p ranges, b density, a weights, p edges"),
    ")": options("searchsorted", "i side, a sorter |"),
    "[": options("digitize", "b right |"),
    "]": options("interp", "d left, d right, d period |"),
    "{": options("isin", "| b invert"),
    "}": options("intersect", "| p index_a, p index_b"),
    "$": options("ravel", "i mode |"),
    "β": options("binary", "a structure | l iterations, a mask, b border_value, s origin, a out"),
    "η": options("hit", "a structure1, a structure2, a out, s origin1, s origin2 |"),
    "δ": options("transform", "i metric | p sampling, p indices"),
    "σ": options("spline", "i order | i axis, i border, a out"),
    "ι": options("interpolation", "a out, i order, i border, d cval, b prefilter | p each, b grid_mode"),
    "α": options("affine", "| p offset, s output_shape, a out, i order, i border, d cval, b prefilter"),
    "ρ": options("rotate", "| s axes, b reshape, a out, i order, i border, d cval, b prefilter"),
    "γ": options("grey", "a footprint, a structure, a out, i border, d cval | s sizes, s origin"),
    "+": options("trace", "l offset, i axis1, i axis2, t dtype, a out |"),
}

# The functions that are not rows of the table. Arguments: a array, n operand (array or number), s shape, i int, l int64,
# d double, b bool, t dtype, c text, p pointer, k list of arrays (their number before them), m list of operands (likewise),
# x a kernel of tests/oracle_kernels.c by its name, q room for so many new arrays, S the site, and the options above.
# Before the colon the result: a array, b bool, d double, l int64, t dtype, c text, m text to be freed, y statistics.
FUNCTIONS = """
    where a:annM  isclose a:nnC  allclose b:nnC  array_equal b:nn=  copyto a:anY  copy a:aS  astype a:atS
    ascontiguous a:aS  var a:aR  std a:aR  nanmean a:aR  nanvar a:aR  nanstd a:aR  argmin a:aR  argmax a:aR
    nanargmin a:aR  nanargmax a:aR  median a:aO  nanmedian a:aO  describe y:ah  percentile a:anO  nanpercentile a:anO  quantile a:anO  nanquantile a:anO  cumsum a:aA
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
    load_from a:ccS  to_string m:aQ  random a:sZ  random_integers a:llsZ  random_normal a:ddsZ
    fft a:a4  ifft a:a4  rfft a:a4  irfft a:a4  hfft a:a4  ihfft a:a4  fft2 a:a5  ifft2 a:a5  rfft2 a:a5  irfft2 a:a5  fftn a:a5
    ifftn a:a5  rfftn a:a5  irfftn a:a5  fftfreq a:l6  rfftfreq a:l6  fftshift a:aX  ifftshift a:aX
    convolve a:aav  correlate a:aav  convolve2d a:aa2  correlate2d a:aa2  ndconvolve a:aa3  ndcorrelate a:aa3
    convolve1d a:aa1  correlate1d a:aa1
    gaussian_filter a:adg  gaussian_laplace a:adg  gaussian_gradient_magnitude a:adg  sobel a:ae  prewitt a:ae  laplace a:ae
    uniform_filter a:alf  minimum_filter a:alw  maximum_filter a:alw  median_filter a:alw  percentile_filter a:adlw
    cdist a:aaD  pdist a:aD  squareform a:aF
    atleast_1d a:aS  atleast_2d a:aS  atleast_3d a:aS  matrix_transpose a:aS  hstack_n a:k9  vstack_n a:k9  dstack_n a:k9
    column_stack_n a:k9  broadcast_arrays b:kqS  array_split b:aiqA  hsplit b:aiqS  vsplit b:aiqS  dsplit b:aiqS  unstack b:aiqA
    append a:anA  insert a:annA  delete a:anA  resize a:asS  trim_zeros a:a0  diag a:a4  diagflat a:a4  tril a:a4  triu a:a4
    identity a:lN  tri a:lllN  tril_indices a:l5  triu_indices a:l5  diag_indices a:liS  fill_diagonal a:an6  vander a:a7
    trace a:a+  argwhere a:aS  flatnonzero a:aS  round a:a8  geomspace a:ddlL
    nancumsum a:aA  nancumprod a:aA  cumulative_sum a:a-  cumulative_prod a:a-  diff a:a<  ediff1d a:a>  gradient a:a/
    trapezoid a:a_  unwrap a:a~  ptp a:aR  average a:a%  cov a:a&  corrcoef a:a&  nan_to_num a:a!  i0 a:aS  polyval a:anS
    searchsorted a:an)  digitize a:na[  interp a:naa]  isin a:na{  intersect1d a:aa}  union1d a:aaS  setdiff1d a:aaS
    setxor1d a:aaS  unique_all a:aqqqS  unique_values a:aS  unique_counts a:aqS  unique_inverse a:aqS  lexsort_n a:kS
    partition a:alA  argpartition a:alA  ravel_multi_index a:as$  unravel_index a:nsS  histogram_bin_edges a:alH
    histogramdd a:as(  histogram2d a:aas(
    poly a:aS  bartlett a:lN  blackman a:lN  hamming a:lN  hanning a:lN  kaiser a:ldN
    generate_binary_structure a:iiS  iterate_structure a:alS  binary_erosion a:aβ  binary_dilation a:aβ  binary_opening a:aβ
    binary_closing a:aβ  binary_propagation a:aβ  binary_fill_holes a:aβ  binary_hit_or_miss a:aη  grey_erosion a:alγ
    grey_dilation a:alγ  grey_opening a:alγ  grey_closing a:alγ  morphological_gradient a:alγ  morphological_laplace a:alγ
    white_tophat a:alγ  black_tophat a:alγ  distance_transform_edt a:aδ  distance_transform_cdt a:aδ  distance_transform_bf a:aδ
    spline_filter a:aσ  spline_filter1d a:aσ  map_coordinates a:aaι  shift a:adι  zoom a:adι  affine_transform a:aaα  rotate a:adρ
    rank_filter a:allw  apply_n a:xmy  reduce_n a:xmR  stencil_n a:xmu  eval_n a:cmI
""".split()
SIGNATURES = dict(zip(FUNCTIONS[::2], FUNCTIONS[1::2]))
ROW_SIGNATURES = {"UNARY": "a:aM", "ELEMENTARY": "a:aM", "BINARY": "a:nnM", "ELEMENTARY2": "a:nnM",
                  "TERNARY": "a:nnnM", "FOLD": "a:aR"}
