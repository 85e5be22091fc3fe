"""How the public functions are called: their arguments, results and options, a letter each."""
import ctypes as C
import re

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
    "R": options("reduce", "i axis, t dtype, a out | s axes, b keepdims, i ddof, a where, n initial"),
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
    "U": options("unique", "p index, p inverse, p counts, i axis | b equal_nan"),
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
    "D": options("distance", "i metric | d p, a V, a VI, a w, a out"),
    "F": options("squareform", "| b checks"),
    "g": options("gaussian", "| p sigmas, s order, d truncate, s radius, i border, d cval, a out, i axis"),
    "e": options("edge", "i axis, a out, i border, d cval |"),
    "f": options("uniform", "a out, i border, d cval | s sizes, s origin"),
    "w": options("window", "a footprint, a out, i border, d cval | s sizes, s origin"),
    "o": options("product", "a out |"),
    "j": options("tensordot", "| s axes_a, s axes_b, a out"),
    "y": options("apply", "a out | a where, p outs"),
    "I": options("eval", "| a out, a where, t dtype, c names"),
    "u": options("stencil", "| i border, d cval, l steps, a out"),
}

# Of these a signature says {name}.
NAMED = {
    "cholesky": options("cholesky", "| b upper"),
    "triangular": options("triangular", "i trans, b lower, b unit_diagonal |"),
    "qr": options("qr", "i mode |"),
    "eigh": options("eigh", "| b upper"),
    "svd": options("svd", "b full_matrices |"),
    "matrix_norm": options("matrix_norm", "| b keepdims, d ord"),
    "vector_norm": options("vector_norm", "| i axis, s axes, b keepdims, d ord"),
    "cond": options("cond", "d p |"),
    "rank": options("rank", "d tol | d rtol"),
    "pinv": options("pinv", "d rcond |"),
    "lstsq": options("lstsq", "d rcond | p residuals, p rank, p s"),
    "permutation": options("permutation", "i axis | u seed, u stream"),
    "choice": options("choice", "b replace, a p, i axis | u seed, u stream"),
    "polyfit": options("polyfit", "d rcond | a w, p cov, b unscaled, p rank"),
    "cross": options("cross", "i axisa, i axisb, i axisc, i axis |"),
    "vecdot": options("vecdot", "| i axis"),
    "tensorsolve": options("tensorsolve", "s axes |"),
    "tensorinv": options("tensorinv", "i ind |"),
    "fft": options("fft", "l n, i axis, i norm, a out |"),
    "fftn": options("fftn", "| s s, s axes, i norm, a out"),
    "fftfreq": options("fftfreq", "d d | i device"),
    "diagonal": options("diagonal", "l k |"),
    "tri": options("tri", "l k, l m | i device"),
    "fill": options("fill", "b wrap |"),
    "vander": options("vander", "l n, b increasing |"),
    "round": options("round", "i decimals, a out |"),
    "join": options("join", "| t dtype"),
    "trim": options("trim", "c trim |"),
    "cumulative": options("cumulative", "| i axis, t dtype, a out, b include_initial"),
    "diff": options("diff", "i n, i axis, n prepend, n append |"),
    "ediff": options("ediff", "n to_end, n to_begin |"),
    "gradient": options("gradient", "| i axis, i edge_order, n spacing"),
    "trapezoid": options("trapezoid", "a x, d dx, i axis | d initial"),
    "unwrap": options("unwrap", "d discont, i axis | n period"),
    "average": options("average", "i axis, a weights | s axes, b keepdims, p sum_of_weights"),
    "cov": options("cov", "a y, b rowvar | b bias, i ddof, a fweights, a aweights, t dtype"),
    "nan": options("nan", "| d nan, d posinf, d neginf"),
    "histogramdd": options("histogramdd", "| p ranges, b density, a weights, p edges"),
    "searchsorted": options("searchsorted", "i side, a sorter |"),
    "digitize": options("digitize", "b right |"),
    "interp": options("interp", "d left, d right, d period |"),
    "isin": options("isin", "| b invert"),
    "intersect": options("intersect", "| p index_a, p index_b"),
    "angle": options("angle", "b deg |"),
    "along": options("along", "i axis |"),
    "mode": options("mode", "i mode |"),
    "bits": options("bits", "i axis | i bitorder, l count"),
    "binary": options("binary", "a structure | l iterations, a mask, b border_value, s origin, a out"),
    "hit": options("hit", "a structure1, a structure2, a out, s origin1, s origin2 |"),
    "transform": options("transform", "i metric | p sampling, p indices"),
    "spline": options("spline", "i order | i axis, i border, a out"),
    "interpolation": options("interpolation", "a out, i order, i border, d cval, b prefilter | p each, b grid_mode"),
    "affine": options("affine", "| p offset, s output_shape, a out, i order, i border, d cval, b prefilter"),
    "rotate": options("rotate", "| s axes, b reshape, a out, i order, i border, d cval, b prefilter"),
    "grey": options("grey", "a footprint, a structure, a out, i border, d cval | s sizes, s origin"),
    "lfilter": options("lfilter", "i axis, a zi | p zf"),
    "detrend": options("detrend", "i axis, i type, a bp |"),
    "savgol": options("savgol", "i deriv, d delta, i axis, i border, d cval |"),
    "spectrum": options("spectrum", "d fs, c window | a values, l nperseg, l noverlap, l nfft, i detrend, b return_onesided, i scaling, i average, i mode, i axis, p frequencies, p times"),
    "peaks": options("peaks", "d height, d threshold, d distance, d prominence, d width, l wlen, d rel_height, d plateau_size | "
                     "d height_max, d threshold_max, d prominence_max, d width_max, d plateau_size_max, p found"),
    "fftconvolve": options("fftconvolve", "i mode | i axis, s axes, a out"),
    "load": options("load", "| b mmap"),
    "to_dlpack": options("to_dlpack", "| i copy, b read_only, p stream"),
    "from_dlpack": options("from_dlpack", "| i copy, b read_only"),
    "loadtxt": options("loadtxt", "t dtype, c comments, c delimiter | l skiprows, l max_rows, s usecols, i ndmin, c quotechar"),
    "genfromtxt": options("genfromtxt", "t dtype, c comments, c delimiter, l skip_header, l skip_footer | c missing_values, d filling_values, "
                          "s usecols, b names, l max_rows, b loose, c widths, i ndmin"),
    "savetxt": options("savetxt", "c fmt, c delimiter, c newline, c header, c footer, c comments |"),
    "fromfile": options("fromfile", "t dtype, l count | l offset, b swapped"),
    "tofile": options("tofile", "| b swapped"),
    "index": options("index", "| c index"),
    "trace": options("trace", "l offset, i axis1, i axis2, t dtype, a out |"),
}
LETTERS = {name: chr(0xE000 + k) for k, name in enumerate(NAMED)}
OPTIONS |= {LETTERS[name]: struct for name, struct in NAMED.items()}

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
    meshgrid_n b:kqbS  meshgrid b:aaqqbS  indices a:sN  mgrid a:cN  tile a:asS  repeat a:anA  item d:aS  item_int l:aS
    item_at d:asS  item_int_at l:asS  index a:Sac  view a:aS  view_as a:atS  reshape a:asS  ravel a:aS  flatten a:aS
    transpose a:aX  swapaxes a:aiiS  moveaxis a:aiiS  squeeze a:aX  expand_dims a:aiS  broadcast_to a:asS  diagonal a:alS
    flip a:aX  fliplr a:aS  flipud a:aS  rot90 a:aiX  sliding_window_view a:asX  as_strided a:assS  concatenate_n a:kA  stack_n a:kA  split b:aiqA  split_at b:aipqA
    roll a:alA  pad a:asP  sort a:aA  argsort a:aA  unique a:aU  nonzero a:aS  compress a:aaA  extract a:aaS  take a:aaT
    histogram a:alH  bincount a:aB  label a:aE  sum_labels a:aaaS  mean_labels a:aaaS  min_labels a:aaaS
    max_labels a:aaaS  size_labels a:aaS  center_of_mass a:aaaJ  sigma_clip a:aG  save b:caS  load a:c{load}  imencode a:aS  imdecode a:aS  imread a:cS  savez b:cipkS
    matmul a:aao  dot a:aao  inner a:aao  outer a:aao  vdot a:aaS  tensordot a:aaij  einsum_n a:cko
    solve a:aaS  inv a:aS  det a:aS  slogdet b:aqqS  cholesky a:a{cholesky}  solve_triangular a:aa{triangular}
    solve_banded a:llaaS  expm a:aS  matrix_norm a:a{matrix_norm}  vector_norm a:a{vector_norm}  cond a:a{cond}  matrix_rank a:a{rank}  pinv a:a{pinv}  lstsq a:aa{lstsq}  svd b:aqqq{svd}  svdvals a:aS  eig b:aqqS  eigvals a:aS  roots a:aS  polyfit a:aal{polyfit}  eigh b:aqq{eigh}  eigvalsh a:a{eigh}  qr b:aqq{qr}  matrix_power a:alS  matrix_transpose a:aS  multi_dot_n a:ko  kron a:aaS  cross a:aa{cross}  vecdot a:aa{vecdot}
    tensorsolve a:aa{tensorsolve}  tensorinv a:a{tensorinv}
    load_from a:ccS  loadtxt a:c{loadtxt}  genfromtxt a:c{genfromtxt}  savetxt b:ca{savetxt}  fromfile a:c{fromfile}  tofile b:ac{tofile}
    loadtxt_n b:cipq{loadtxt}  genfromtxt_n b:cipq{genfromtxt}  to_string m:aQ  random a:sZ  random_integers a:llsZ  random_normal a:ddsZ
    random_exponential a:dsZ  random_gamma a:ddsZ  random_beta a:ddsZ  random_binomial a:ldsZ  random_poisson a:dsZ  random_multivariate_normal a:aasZ
    random_permutation a:n{permutation}  random_shuffle a:a{permutation}  random_choice a:ns{choice}
    fft a:a{fft}  ifft a:a{fft}  rfft a:a{fft}  irfft a:a{fft}  hfft a:a{fft}  ihfft a:a{fft}  fft2 a:a{fftn}  ifft2 a:a{fftn}  rfft2 a:a{fftn}  irfft2 a:a{fftn}  fftn a:a{fftn}
    ifftn a:a{fftn}  rfftn a:a{fftn}  irfftn a:a{fftn}  fftfreq a:l{fftfreq}  rfftfreq a:l{fftfreq}  fftshift a:aX  ifftshift a:aX
    convolve a:aav  correlate a:aav  convolve2d a:aa2  correlate2d a:aa2  ndconvolve a:aa3  ndcorrelate a:aa3
    convolve1d a:aa1  correlate1d a:aa1
    gaussian_filter a:adg  gaussian_laplace a:adg  gaussian_gradient_magnitude a:adg  sobel a:ae  prewitt a:ae  laplace a:ae
    uniform_filter a:alf  minimum_filter a:alw  maximum_filter a:alw  median_filter a:alw  percentile_filter a:adlw
    cdist a:aaD  pdist a:aD  squareform a:aF
    atleast_1d a:aS  atleast_2d a:aS  atleast_3d a:aS  matrix_transpose a:aS  hstack_n a:k{join}  vstack_n a:k{join}  dstack_n a:k{join}
    column_stack_n a:k{join}  broadcast_arrays b:kqS  array_split b:aiqA  hsplit b:aiqS  vsplit b:aiqS  dsplit b:aiqS  unstack b:aiqA
    append a:anA  insert a:annA  delete a:anA  resize a:asS  trim_zeros a:a{trim}  diag a:a{diagonal}  diagflat a:a{diagonal}  tril a:a{diagonal}  triu a:a{diagonal}
    identity a:lN  tri a:lllN  tril_indices a:l{tri}  triu_indices a:l{tri}  diag_indices a:liS  fill_diagonal a:an{fill}  vander a:a{vander}
    trace a:a{trace}  argwhere a:aS  flatnonzero a:aS  round a:a{round}  geomspace a:ddlL
    nancumsum a:aA  nancumprod a:aA  cumulative_sum a:a{cumulative}  cumulative_prod a:a{cumulative}  diff a:a{diff}  ediff1d a:a{ediff}  gradient a:a{gradient}
    trapezoid a:a{trapezoid}  unwrap a:a{unwrap}  ptp a:aR  average a:a{average}  cov a:a{cov}  corrcoef a:a{cov}  nan_to_num a:a{nan}  i0 a:aS  polyval a:anS
    searchsorted a:an{searchsorted}  digitize a:na{digitize}  interp a:naa{interp}  isin a:na{isin}  intersect1d a:aa{intersect}  union1d a:aaS  setdiff1d a:aaS
    setxor1d a:aaS  unique_all a:aqqqS  unique_values a:aS  unique_counts a:aqS  unique_inverse a:aqS  lexsort_n a:kS
    partition a:alA  argpartition a:alA  ravel_multi_index a:as{mode}  unravel_index a:nsS  histogram_bin_edges a:alH
    histogramdd a:as{histogramdd}  histogram2d a:aas{histogramdd}
    poly a:aS  bartlett a:lN  blackman a:lN  hamming a:lN  hanning a:lN  kaiser a:ldN
    float_power a:nnM  divmod a:nnqS  modf a:nqS  frexp a:nqS  angle a:n{angle}
    set_at b:ansS  index_take_n a:ak{index}  index_put_n a:akn{index}  add_at_n a:akn{index}  take_along_axis a:aa{along}  put_along_axis a:aan{along}
    put a:aan{mode}  place a:aanS  choose_n a:am{mode}  select_n a:kmnS  piecewise_n a:akmS  sort_complex a:aS
    packbits a:a{bits}  unpackbits a:a{bits}  result_type_n t:mS  isdtype b:tcS
    generate_binary_structure a:iiS  iterate_structure a:alS  binary_erosion a:a{binary}  binary_dilation a:a{binary}  binary_opening a:a{binary}
    binary_closing a:a{binary}  binary_propagation a:a{binary}  binary_fill_holes a:a{binary}  binary_hit_or_miss a:a{hit}  grey_erosion a:al{grey}
    grey_dilation a:al{grey}  grey_opening a:al{grey}  grey_closing a:al{grey}  morphological_gradient a:al{grey}  morphological_laplace a:al{grey}
    white_tophat a:al{grey}  black_tophat a:al{grey}  distance_transform_edt a:a{transform}  distance_transform_cdt a:a{transform}  distance_transform_bf a:a{transform}
    spline_filter a:a{spline}  spline_filter1d a:a{spline}  map_coordinates a:aa{interpolation}  shift a:ad{interpolation}  zoom a:ad{interpolation}  affine_transform a:aa{affine}  rotate a:ad{rotate}
    gaussian_filter1d a:adg  uniform_filter1d a:al1  minimum_filter1d a:al1  maximum_filter1d a:al1  generic_filter a:applw
    minimum_position a:aaaS  maximum_position a:aaaS  extrema b:aaaqqqqS  variance a:aaaS  standard_deviation a:aaaS  find_objects a:alS
    value_indices a:aqqS  watershed_ift a:aa{binary}
    cumulative_trapezoid a:a{trapezoid}  simpson a:a{trapezoid}  fftconvolve a:aa{fftconvolve}  lfilter a:aaa{lfilter}  sosfilt a:aa{lfilter}  medfilt a:asS
    hilbert a:a{fft}  resample a:alA  detrend a:a{detrend}  savgol_filter a:ali{savgol}  periodogram a:a{spectrum}  welch a:a{spectrum}  spectrogram a:a{spectrum}  find_peaks a:a{peaks}
    rank_filter a:allw  apply_n a:xmy  reduce_n a:xmR  stencil_n a:xmu  eval_n a:cmI
""".split()
SIGNATURES = {name: re.sub(r"{(\w+)}", lambda said: LETTERS[said[1]], form) for name, form in zip(FUNCTIONS[::2], FUNCTIONS[1::2])}
ROW_SIGNATURES = {"UNARY": "a:aM", "ELEMENTARY": "a:aM", "BINARY": "a:nnM", "ELEMENTARY2": "a:nnM",
                  "TERNARY": "a:nnnM", "FOLD": "a:aR"}
