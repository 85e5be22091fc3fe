"""Timing in pairs: gpuarr's program and a peer in turn, so that whatever else slows this machine slows both."""
import math
import os
import subprocess
import tempfile
import threading
import time

import numpy as np

PROGRAMS = []  # the processes that may still be busy with what they did last


class Gpuarr:
    """The C program at the other end of a pipe."""
    def __init__(self, program, files=None):
        self.files = files or tempfile.TemporaryDirectory()
        self.pipe = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                     env={**os.environ, "GPUARR_BENCH_FILES": self.files.name})
        PROGRAMS.append(self.pipe.pid)

    def ask(self, line):
        self.pipe.stdin.write(line + "\n")
        self.pipe.stdin.flush()
        return self.pipe.stdout.readline().strip()

    def must(self, line):
        answer = self.ask(line)
        if answer != "ok":
            raise RuntimeError(f"{line}: {answer or 'the program ended'}")

    def prepare(self, row, inputs):
        self.must("forget")
        for name, array in inputs.items():
            path = os.path.join(self.files.name, name + ".npy")
            np.save(path, np.ascontiguousarray(array))
            self.must(f"load {name} {path}")
            os.remove(path)
        self.peak = memory_grown(self.pipe.pid, lambda: self.must("row " + row))

    def result(self):
        path = os.path.join(self.files.name, "result.npy")
        self.must("save " + path)
        return np.load(path)

    def seconds(self, calls):
        answer = self.ask(f"time {calls}")
        if not answer:
            raise RuntimeError("the program ended while it was timed")
        return float(answer)


def memory_grown(pid, call):
    """How many bytes of memory the process gets at most while the call runs, beyond what it has; NaN where Linux does not tell."""
    def line(word):
        with open(f"/proc/{pid}/status") as f:
            return next(int(text.split()[1]) * 1024 for text in f if text.startswith(word))
    try:
        with open(f"/proc/{pid}/clear_refs", "w") as f:
            f.write("5")  # the peak starts anew
        before = line("VmRSS")
        call()
        return line("VmHWM") - before
    except OSError:
        call()
        return math.nan


def peer_seconds(call, calls):
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def busy(pid):
    """Does a thread of that process run, apart from this one?"""
    me = threading.get_native_id()
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            if int(thread) != me:
                with open(f"/proc/{pid}/task/{thread}/stat") as f:
                    if f.read().rpartition(")")[2].split()[0] == "R":
                        return True
    except OSError:
        pass  # it has ended
    return False


def rest():
    """Waits until nobody here uses a processor: threads of OpenMP, OpenBLAS and OpenCV spin on after a call (25 ms, say), and would
    take the second processor from whoever is timed next."""
    if not os.path.exists("/proc/self/task"):
        return time.sleep(0.03)
    end = time.perf_counter() + 0.5
    while any(busy(pid) for pid in (os.getpid(), *PROGRAMS)) and time.perf_counter() < end:
        time.sleep(0.0002)


def practice(run, unit):
    """(how many calls take about `unit` seconds, the least time of one)"""
    once = run(1)
    if once < 1:  # long calls need no practice
        once = min(once, run(1), run(1))
    return max(1, min(20000, int(unit / max(once, 1e-9)))), once


FAR, FEW, LEAST_PAIRS, MOST_PAIRS = 1.5, 8, 15, 200


def in_pairs(ours, others, budget, unit=1e-3, judged=()):
    """Times ours(calls) -> seconds and each of the others in turn.

    Nobody follows himself, and where calls are few, both make as many: the first ones after a rest read memory, later ones the last cache.
    others: name -> function(calls) -> seconds. Returns (times of ours, {name: (its times, the ratios of pairs: its time / ours)}), all
    ordered. There are LEAST_PAIRS at least, and more until the budget (seconds, for each) is spent; three for those who practised with
    FAR times the time of the fastest, unless they are judged. Five must do where pairs are long and nobody is near,
    and after half a minute.
    """
    most, our_once = practice(ours, unit)
    our_calls, calls, once = {}, {}, {}
    for name, run in others.items():
        rest()
        calls[name], once[name] = practice(run, unit)
        our_calls[name] = most
        if max(most, calls[name]) <= FEW or 1 / FAR < once[name] / our_once < FAR:
            our_calls[name] = calls[name] = max(most, calls[name])
    rest()
    far = {name for name in others if once[name] > FAR * min(once.values()) and name not in judged}
    our_times, times, ratios = [], {name: [] for name in others}, {name: [] for name in others}
    start, rounds = time.perf_counter(), 0
    while rounds < MOST_PAIRS:
        spent = time.perf_counter() - start
        near = [r for name, all in ratios.items() if name not in far for r in all]
        if rounds >= LEAST_PAIRS and spent > budget * len(others) or rounds >= 5 and (spent > 3 and min(near) > 1.5 or spent > 30):
            break
        for name, run in others.items():
            if name in far and rounds >= 3:
                continue
            pair = {}
            for who, run_it, n in ("ours", ours, our_calls[name]), ("other", run, calls[name]):
                pair[who] = run_it(n)
                rest()
            our_times.append(pair["ours"])
            times[name].append(pair["other"])
            ratios[name].append(pair["other"] / pair["ours"])
        rounds += 1
    return sorted(our_times), {name: (sorted(times[name]), sorted(ratios[name])) for name in others}
