"""Entropic transport by GeomLoss, one thread, float32, all pairs at once: a peer of Sinkhorn.

usage: sinkhorn_geomloss.py X Y EPSILON TOL ROUNDS

X and Y are raw little-endian float32 files, three numbers a point; the cost is the
squared distance, so that its blur is the root of EPSILON / 2. GeomLoss ends with its
schedule, whatever the error: of some ratios of successive blurs the first that meets
TOL counts. Prints one JSON object on one line: the cost of the plan, the larger L1
error of both marginals, the CPU seconds of the best of ROUNDS calls, and those used
before.
"""

import json
import math
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

# No further ratio is tried when one has taken so many seconds.
PATIENCE = 20.0
SCALINGS = (0.5, 0.7, 0.9, 0.95, 0.98, 0.99)


def fail(why):
    print(json.dumps({"skip": why}))
    sys.exit(0)


def main():
    if len(sys.argv) != 6:
        fail("usage: sinkhorn_geomloss.py X Y EPSILON TOL ROUNDS")
    try:
        from importlib.metadata import version

        import numpy
        import torch
        from geomloss import SamplesLoss
    except Exception as e:  # a broken installation raises more than ImportError
        fail("GeomLoss cannot be imported: %s" % e)
    torch.set_num_threads(1)
    x, y = (torch.from_numpy(numpy.fromfile(p, dtype="<f4").reshape(-1, 3).copy()) for p in sys.argv[1:3])
    epsilon, tol = float(sys.argv[3]), float(sys.argv[4])
    start, err = time.process_time(), math.inf
    for scaling in SCALINGS:
        loss = SamplesLoss("sinkhorn", p=2, blur=math.sqrt(epsilon / 2), scaling=scaling, debias=False, potentials=True,
                           backend="tensorized")
        with torch.no_grad():
            f, g = (v.double().reshape(-1) for v in loss(x, y))
            cost = ((x.double()[:, None] - y.double()[None]) ** 2).sum(-1)
            plan = torch.exp((2 * f[:, None] + 2 * g[None] - cost) / epsilon) / (len(x) * len(y))
            rows, cols = plan.sum(1) - 1 / len(x), plan.sum(0) - 1 / len(y)
            err = max(float(rows.abs().sum()), float(cols.abs().sum()))
            value = float((plan * cost).sum())
        if err <= tol or time.process_time() - start > PATIENCE:
            break
    name = "GeomLoss %s, tensorized, scaling %g" % (version("geomloss"), scaling)
    if not err <= tol:
        fail("%s: its schedule ends at an error of %.1e after %.1f s" % (name, err, time.process_time() - start))
    best = math.inf
    for _ in range(int(sys.argv[5])):
        t = time.process_time()
        with torch.no_grad():
            loss(x, y)
        best = min(best, time.process_time() - t)
    print(json.dumps({
        "value": value, "error": err, "cpu_seconds": best, "start_cpu_seconds": start, "memory_bytes": 0,
        "form": name + ", one thread",
    }))


if __name__ == "__main__":
    main()
