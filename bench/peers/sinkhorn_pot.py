"""Entropic transport by POT, one thread, float64, with the time of its matrix: a peer of Sinkhorn.

usage: sinkhorn_pot.py X Y EPSILON TOL plain|log|stabilized ROUNDS

X and Y are raw little-endian float32 files, three numbers a point; the cost is the
squared distance. The rounds that POT needs until the L1 errors of both marginals are
at most TOL are found first, outside the time: POT's own test looks at a different
norm. Prints one JSON object on one line: the cost of the plan, the larger error, the
CPU seconds of the best of ROUNDS calls, and those used before.
"""

import json
import math
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

# POT tests its rounds by tens; it is asked for ever more of them.
STEP, MOST, PATIENCE = 10, 100000, 120.0


def fail(why):
    print(json.dumps({"skip": why}))
    sys.exit(0)


def main():
    if len(sys.argv) != 7:
        fail("usage: sinkhorn_pot.py X Y EPSILON TOL plain|log|stabilized ROUNDS")
    try:
        import warnings

        import numpy
        import ot
    except Exception as e:  # a broken installation raises more than ImportError
        fail("POT cannot be imported: %s" % e)
    warnings.simplefilter("ignore")
    numpy.seterr(all="ignore")
    x, y = (numpy.fromfile(p, dtype="<f4").reshape(-1, 3).astype(float) for p in sys.argv[1:3])
    epsilon, tol, form = float(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
    method = {"plain": "sinkhorn", "log": "sinkhorn_log", "stabilized": "sinkhorn_stabilized"}[form]
    a, b = numpy.full(len(x), 1 / len(x)), numpy.full(len(y), 1 / len(y))

    def solve(rounds, stop=0.0):
        cost = ot.dist(x, y)
        return cost, ot.sinkhorn(a, b, cost, epsilon, method=method, numItermax=rounds, stopThr=stop, warn=False)

    def error(plan):
        e = max(abs(plan.sum(1) - a).sum(), abs(plan.sum(0) - b).sum())
        return e if math.isfinite(e) else math.inf

    begin = time.process_time()
    rounds, low, err = STEP, 0, math.inf
    while True:  # double, then halve what is between
        err = error(solve(rounds)[1])
        if err <= tol:
            break
        if not math.isfinite(err):
            fail("POT %s %s: numbers leave their range at this epsilon" % (ot.__version__, method))
        if rounds >= MOST or time.process_time() - begin > PATIENCE:
            fail("POT %s %s: the error is %.1e after %d rounds" % (ot.__version__, method, err, rounds))
        low, rounds = rounds, 2 * rounds
    while rounds - low > max(STEP, rounds // 16):
        middle = (low + rounds) // (2 * STEP) * STEP
        e = error(solve(middle)[1])
        if e <= tol:
            rounds, err = middle, e
        else:
            low = middle
    start, best, value = time.process_time(), math.inf, 0.0
    for _ in range(int(sys.argv[6])):
        t = time.process_time()
        cost, plan = solve(rounds)
        best = min(best, time.process_time() - t)
        value = float((cost * plan).sum())
    print(json.dumps({
        "value": value, "error": err, "cpu_seconds": best, "start_cpu_seconds": start, "memory_bytes": 0,
        "form": "POT %s %s, %d rounds, one thread" % (ot.__version__, method, rounds),
    }))


if __name__ == "__main__":
    main()
