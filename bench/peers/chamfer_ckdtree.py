"""Nearest neighbours both ways by scipy's cKDTree, one thread, no gradients: the peer of Chamfer.

usage: chamfer_ckdtree.py X Y ROUNDS

X and Y are raw little-endian float32 files, three numbers a point. Prints one
JSON object on one line: the Chamfer value, the CPU seconds of the best round
of building both trees and asking both ways, and those used before.
"""

import json
import math
import sys
import time


def fail(why):
    print(json.dumps({"skip": why}))
    sys.exit(0)


def main():
    if len(sys.argv) != 4:
        fail("usage: chamfer_ckdtree.py X Y ROUNDS")
    try:
        import numpy
        import scipy
        from scipy.spatial import cKDTree
    except Exception as e:  # a broken installation raises more than ImportError
        fail("scipy cannot be imported: %s" % e)
    x, y = (numpy.fromfile(path, dtype="<f4").reshape(-1, 3) for path in sys.argv[1:3])
    start_cpu, best, value = time.process_time(), math.inf, 0.0
    for _ in range(int(sys.argv[3])):
        t = time.process_time()
        a, _ = cKDTree(y).query(x, workers=1)
        b, _ = cKDTree(x).query(y, workers=1)
        best = min(best, time.process_time() - t)
        value = float((a**2).mean() + (b**2).mean())
    print(json.dumps({
        "value": value, "cpu_seconds": best, "start_cpu_seconds": start_cpu, "memory_bytes": 0,
        "form": "scipy %s cKDTree, one thread" % scipy.__version__,
    }))


if __name__ == "__main__":
    main()
