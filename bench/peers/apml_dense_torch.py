"""Dense APML in torch, one thread, float32: the peer of the sparse loss.

usage: apml_dense_torch.py X Y [plain|tuned]

X and Y are raw little-endian float32 files, three numbers a point. Prints one
JSON object on one line: the value, the CPU seconds of the best of several
rounds of value and both gradients, the CPU seconds that the process had used
before the first round, and the growth of its memory above that start in the
first round.

plain: every balancing step makes a new matrix, as the formulas are written.
tuned: every step is done in place.

Written from the definition of APML: softmin by rows and by columns with the
sharpness of the gap, their mean, 20 balancings, sum of P d with P held fixed.
"""

import json
import math
import os
import resource
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

MIN_PROB = 0.8
MARGIN = 1e-8
ROUNDS = 20


def fail(why):
    print(json.dumps({"skip": why}))
    sys.exit(0)


def memory(field):
    """VmRSS or VmHWM of this process, in bytes."""
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return 0


def softmin(torch, d, dim):
    two = torch.topk(d, 2, dim=dim, largest=False).values
    first, second = two.split(1, dim=dim)
    gap = (second - first) + MARGIN
    sharp = math.log((d.shape[dim] - 1) / (1 - MIN_PROB)) / gap
    p = torch.exp(-(d - first) * sharp)
    return p / p.sum(dim=dim, keepdim=True)


def plan(torch, d, form):
    p = (softmin(torch, d, 1) + softmin(torch, d, 0)) / 2
    for _ in range(ROUNDS):
        if form == "plain":
            p = p / (p.sum(dim=1, keepdim=True) + 1e-8)
            p = p / (p.sum(dim=0, keepdim=True) + 1e-8)
        else:
            p.div_(p.sum(dim=1, keepdim=True).add_(1e-8))
            p.div_(p.sum(dim=0, keepdim=True).add_(1e-8))
    return p


def loss(torch, x, y, form):
    x = x.clone().requires_grad_(True)
    y = y.clone().requires_grad_(True)
    d = torch.cdist(x, y)
    with torch.no_grad():
        p = plan(torch, d.detach(), form)
    value = (p * d).sum()
    value.backward()
    return value.item(), x.grad, y.grad


def main():
    if len(sys.argv) not in (3, 4):
        fail("usage: apml_dense_torch.py X Y [plain|tuned]")
    try:
        import torch
    except Exception as e:  # a broken installation raises more than ImportError
        fail("torch cannot be imported: %s" % e)
    torch.set_num_threads(1)
    form = sys.argv[3] if len(sys.argv) == 4 else "plain"
    clouds = []
    for path in sys.argv[1:3]:
        with open(path, "rb") as f:
            clouds.append(torch.frombuffer(bytearray(f.read()), dtype=torch.float32).reshape(-1, 3))
    small = [c[:64] for c in clouds]
    loss(torch, small[0], small[1], form)  # what is loaded on first use is no part of the loss
    start_cpu, start_memory = time.process_time(), memory("VmRSS")
    best, value, grown = math.inf, 0.0, None
    for _ in range(3):
        t = time.process_time()
        value = loss(torch, clouds[0], clouds[1], form)[0]
        best = min(best, time.process_time() - t)
        if grown is None:
            grown = memory("VmHWM") - start_memory
    print(json.dumps({
        "value": value, "cpu_seconds": best, "start_cpu_seconds": start_cpu,
        "memory_bytes": grown,
        "form": "torch %s, %s, allocator %s" % (torch.__version__, form, os.environ.get("GLIBC_TUNABLES", "default")),
        "minor_faults": resource.getrusage(resource.RUSAGE_SELF).ru_minflt,
    }))


if __name__ == "__main__":
    main()
