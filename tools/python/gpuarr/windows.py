"""The windows of spectra by what scipy.signal.get_window takes, where C has no name for them."""
import math

from .native import functions as ga


def number(x):
    """A number of Python's, also of NumPy's or of an array without dimensions."""
    return x.item() if getattr(x, "shape", None) == () and hasattr(x, "item") else x


def of_cosines(at, *weights):
    return sum(w * ga.cos(k * (at * math.pi)) for k, w in enumerate(weights))


def falling_at_the_ends(at, share, half):
    """Tukey's window: this share of it rises and falls."""
    if share <= 0:
        return at * 0 + 1
    share = min(share, 1)
    return ga.where(abs(at) <= 1 - share, 1.0, 0.5 + 0.5 * ga.cos(math.pi * (1 + (abs(at) - 1) / share)))


# SciPy's windows with parameters, of places `at` from -1 to 1, which are -half to half elements from the middle.
WINDOWS = {
    "tukey": lambda at, half, alpha=0.5: falling_at_the_ends(at, alpha, half),
    "gaussian": lambda at, half, std: ga.exp(-(at * half) ** 2 / (2 * std * std)),
    "general_gaussian": lambda at, half, p, sig: ga.exp(-0.5 * abs(at * half / sig) ** (2 * p)),
    "exponential": lambda at, half, center=None, tau=1.0: ga.exp(-abs(at * half - (0 if center is None else center - half)) / tau),
    "general_hamming": lambda at, half, alpha: of_cosines(at, alpha, 1 - alpha),
    "general_cosine": lambda at, half, weights: of_cosines(at, *weights),
}
OWN = {"kaiser", *WINDOWS} - {"tukey"}  # which C has not by their names


def window_values(window, n):
    """The values of a window of n points that C has no name for: one of WINDOWS, or Kaiser's, of a number or ("kaiser", beta). None if these are
    values."""
    known = isinstance(window, (list, tuple)) and len(window) > 0 and isinstance(window[0], str)
    name, *parameters = window if known else ("kaiser", window)
    if name == "kaiser" and len(parameters) == 1 and isinstance(number(parameters[0]), (int, float)):
        return ga.kaiser(n + 1, number(parameters[0]))[:-1] if n > 1 else ga.ones(n)
    if not known and hasattr(window, "__len__") and not isinstance(window, dict):
        return None
    try:
        at = (ga.arange(n) - n / 2) / (n / 2)
        return WINDOWS[name](at, n / 2, *parameters) if n > 1 else ga.ones(n)
    except (KeyError, TypeError):
        raise ValueError(f"a window is a name, one with its parameters ({', '.join(map(repr, ['kaiser', *WINDOWS]))}), or its values, not {window!r}") from None
