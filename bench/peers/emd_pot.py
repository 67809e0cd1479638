"""Exact transport by POT's network simplex, one thread, without the time of its matrix: the peer of EMD.

usage: emd_pot.py X Y ROUNDS

X and Y are raw little-endian float32 files, three numbers a point; X.w and Y.w,
where they are, hold their weights as float64. Prints one JSON object on one line:
the mean distance of the best plan, the CPU seconds of the best round, and those
used before.
"""

import json
import math
import os
import sys
import time


def fail(why):
    print(json.dumps({"skip": why}))
    sys.exit(0)


def main():
    if len(sys.argv) != 4:
        fail("usage: emd_pot.py X Y ROUNDS")
    try:
        import numpy
        import ot
        from scipy.spatial.distance import cdist
    except Exception as e:  # a broken installation raises more than ImportError
        fail("POT cannot be imported: %s" % e)
    clouds, weights = [], []
    for path in sys.argv[1:3]:
        c = numpy.fromfile(path, dtype="<f4").reshape(-1, 3).astype(float)
        clouds.append(c)
        if os.path.exists(path + ".w"):
            weights.append(numpy.fromfile(path + ".w", dtype="<f8"))
        else:
            weights.append(numpy.full(len(c), 1 / len(c)))
    cost = cdist(*clouds)
    start_cpu, best, value = time.process_time(), math.inf, 0.0
    for _ in range(int(sys.argv[3])):
        t = time.process_time()
        value = float(ot.emd2(weights[0], weights[1], cost, numItermax=10**9))
        best = min(best, time.process_time() - t)
    print(json.dumps({
        "value": value, "cpu_seconds": best, "start_cpu_seconds": start_cpu, "memory_bytes": 0,
        "form": "POT %s emd2, one thread" % ot.__version__,
    }))


if __name__ == "__main__":
    main()
