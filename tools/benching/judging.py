"""What the times say: medians and their noise, the bounds of this machine, who is behind, what fell, where a curve bends."""
import math

LEVEL = 0.97         # of a peer's speed: as fast
NEAR_BOUND = 0.85    # of what is physically possible: there is nothing left to gain
RISE, RISE_MORE = 1.25, 1.2


def middle(ordered):
    return ordered[len(ordered) // 2]


def quarters(ordered):
    """What a quarter of the numbers is below, and what a quarter is above."""
    return ordered[len(ordered) // 4], ordered[-1 - len(ordered) // 4]


def noise(ordered):
    """By how much the median may be wrong: three standard errors, from the spread of the middle half."""
    low, high = quarters(ordered)
    return 3 * 0.93 * (high - low) / math.sqrt(len(ordered))


def milliseconds(seconds):
    ms = seconds * 1e3
    return f"{ms:.5f}" if ms < 0.1 else f"{ms:.3f}" if ms < 100 else f"{ms:.0f}"


class Limits:
    """What this machine can do: operations per second, and bytes per second of data of a size, from the words that bench.c answers."""
    def __init__(self, words):
        numbers = [float(w) for w in words.split()]
        self.flops = {"float32": numbers[0], "float64": numbers[1]}
        self.rates = list(zip(numbers[2::3], numbers[3::3], numbers[4::3]))  # bytes, copied and read per second

    def rate(self, size, kind):
        """Bytes per second for data of that size (kind: 1 copied, 2 read), between those that were measured."""
        if size <= self.rates[0][0]:
            return self.rates[0][kind]
        for small, large in zip(self.rates, self.rates[1:]):
            if size <= large[0]:
                part = math.log(size / small[0]) / math.log(large[0] / small[0])
                return math.exp((1 - part) * math.log(small[kind]) + part * math.log(large[kind]))
        return self.rates[-1][kind]

    def least(self, dtype, moved=0, read=0, flops=0):
        """(the least seconds that such a call can take, what bounds it); (0, "") where nothing is known."""
        bounds = [(moved / self.rate(moved, 1), "copy")] if moved else []
        bounds += [(read / self.rate(read, 2), "read")] if read else []
        bounds += [(flops / self.flops.get(dtype, self.flops["float64"]), "fma")] if flops else []
        return max(bounds, default=(0, ""))


def status(ratio, target, share, also=()):
    """'behind' the best peer; 'short' of what is aimed at, beside it or (ratio, aim) of others; or ''. What is near its bound is neither."""
    if share >= NEAR_BOUND:
        return ""
    if ratio < min(LEVEL, target or LEVEL):
        return "behind"
    return "short" if any(there < LEVEL * aim for there, aim in [(ratio, target), *also]) else ""


def fell(ratios):
    """Is this tree slower than the other commit? ratios: of the times of pairs, this / other, ordered."""
    return quarters(ratios)[0] > 1 and middle(ratios) - 1 > max(0.03, noise(ratios))


def bends(ours, peers, bound=None):
    """Where ours, size -> time per element, rises though the fastest of the peers does not, and is not near its bound there: [(the smaller
    size, the larger one, by what ours rises, by what the peer's does, how many times as fast ours is there)]."""
    found = []
    sizes = sorted(ours)
    for small, large in zip(sizes, sizes[1:]):
        theirs = [p for p in peers if small in p and large in p]
        if theirs:
            before, after = (min(p[n] for p in theirs) for n in (small, large))
            rise, other = ours[large] / ours[small], after / before
            at_bound = (bound or {}).get(large, 0) >= NEAR_BOUND * ours[large]
            if rise > RISE and rise > RISE_MORE * other and not at_bound:
                found.append((small, large, rise, other, after / ours[large]))
    return found
