"""Numbers of other libraries, for apmlgpu/losstest/testdata/transport.json: each with the tool, its version and the call.

usage: goldens.py > ../../apmlgpu/losstest/testdata/transport.json

The clouds are whole numbers by a formula, over 64, so that every program has the same
bits: coordinate c of point i of cloud s is (37 i² + (101 + 13 c) i + 57 c + 911 s) mod
257 / 64; the weight of point i, where there are weights, is 1 + (7 i + 3 s) mod 5, over
the sum.
"""

import json

import numpy as np


def points(n, s):
    i, c = np.arange(n)[:, None], np.arange(3)[None, :]
    return ((37 * i * i + (101 + 13 * c) * i + 57 * c + 911 * s) % 257) / 64


def weights(n, s, on):
    w = 1.0 + (7 * np.arange(n) + 3 * s) % 5 if on else np.ones(n)
    return w / w.sum()


def main():
    import jax
    import ot
    import ott
    import scipy
    import torch
    from geomloss import SamplesLoss
    from importlib.metadata import version
    from jax import numpy as jnp
    from ott.geometry import geometry
    from ott.problems.linear import linear_problem
    from ott.solvers.linear import sinkhorn
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    jax.config.update("jax_enable_x64", True)
    rows = []

    def add(tool, call, loss, n, m, weighted, key, value, rtol, **options):
        rows.append({"tool": tool, "call": call, "loss": loss, "n": n, "m": m, "weighted": weighted, "key": key,
                     "value": float(value), "rtol": rtol, "options": options})

    x, y = points(60, 1), points(60, 2)
    c = cdist(x, y)
    add("scipy " + scipy.__version__, "linear_sum_assignment(cdist(x, y))", "emd", 60, 60, False, "value",
        c[linear_sum_assignment(c)].mean(), 1e-12, cost="euclidean")
    for n, m, on in ((60, 60, False), (60, 45, False), (60, 45, True)):
        x, y, a, b = points(n, 1), points(m, 2), weights(n, 1, on), weights(m, 2, on)
        for cost, power in (("euclidean", 1), ("sqeuclidean", 2)):
            add("POT " + ot.__version__, "ot.emd2(a, b, cdist(x, y)**%d)" % power, "emd", n, m, on, "value",
                ot.emd2(a, b, cdist(x, y) ** power), 1e-10, cost=cost)
        d = cdist(x, y) ** 2
        for reg in (0.5, 5.0):
            p = ot.sinkhorn(a, b, d, reg, method="sinkhorn_log", stopThr=1e-14, numItermax=100000)
            add("POT " + ot.__version__, "(ot.sinkhorn(a, b, d, %g, 'sinkhorn_log', stopThr=1e-14) * d).sum()" % reg, "sinkhorn", n, m,
                on, "transport cost", (p * d).sum(), 1e-8, cost="sqeuclidean", epsilon=reg)
            p = ot.unbalanced.sinkhorn_unbalanced(a, b, d, reg, 2.0, reg_type="kl", stopThr=1e-14, numItermax=100000)
            add("POT " + ot.__version__, "ot.unbalanced.sinkhorn_unbalanced(a, b, d, %g, 2, reg_type='kl').sum()" % reg, "sinkhorn", n, m,
                on, "mass", p.sum(), 1e-8, cost="sqeuclidean", epsilon=reg, reach=1.0)
            loop = sinkhorn.Sinkhorn(threshold=1e-12, norm_error=1, max_iterations=100000)
            out = loop(linear_problem.LinearProblem(geometry.Geometry(cost_matrix=jnp.asarray(d), epsilon=reg), a=a, b=b))
            add("OTT-JAX %s, jax %s" % (ott.__version__, jax.__version__),
                "Sinkhorn(threshold=1e-12)(LinearProblem(Geometry(d, epsilon=%g), a, b)).kl_reg_cost, float64" % reg, "sinkhorn", n, m,
                on, "value", out.kl_reg_cost, 1e-8, cost="sqeuclidean", epsilon=reg, biased=True)
            blur = (reg / 2) ** 0.5
            loss = SamplesLoss("sinkhorn", p=2, blur=blur, scaling=0.99, backend="tensorized")
            t = [torch.tensor(v, dtype=torch.float64) for v in (a, x, b, y)]
            add("GeomLoss " + version("geomloss"), "2 * SamplesLoss('sinkhorn', p=2, blur=%.6g, scaling=.99)(a, x, b, y), float64" % blur,
                "sinkhorn", n, m, on, "value", 2 * float(loss(*t)), 5e-3, cost="sqeuclidean", epsilon=reg)
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
