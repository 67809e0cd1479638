"""Dense APML in torch, one thread, float32: the peer of the sparse loss.

usage: apml_dense_torch.py X Y plain|tuned ROUNDS

X and Y are raw little-endian float32 files, three numbers a point. Prints one
JSON object on one line: the value, the CPU seconds of the best of ROUNDS
rounds of value and both gradients, the CPU seconds that the process had used
before the first round, and the growth of its memory above that start in the
first round.

plain: as the formulas are written: every balancing step makes a new matrix,
and autograd makes the gradients.
tuned: the softmin in place, the balancing by two scaling vectors, and the
gradients from their formula, without autograd.

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


def plain(torch, x, y):
    x = x.clone().requires_grad_(True)
    y = y.clone().requires_grad_(True)
    d = torch.cdist(x, y)
    with torch.no_grad():
        p = (softmin(torch, d.detach(), 1) + softmin(torch, d.detach(), 0)) / 2
        for _ in range(ROUNDS):
            p = p / (p.sum(dim=1, keepdim=True) + 1e-8)
            p = p / (p.sum(dim=0, keepdim=True) + 1e-8)
    value = (p * d).sum()
    value.backward()
    return value.item(), x.grad, y.grad


def softmin_in_place(torch, d):
    """Half of the softmin of the rows of d."""
    two = torch.topk(d, 2, dim=1, largest=False).values
    first, second = two.split(1, dim=1)
    sharp = math.log((d.shape[1] - 1) / (1 - MIN_PROB)) / ((second - first) + MARGIN)
    p = (first - d).mul_(sharp).exp_()
    return p.div_(p.sum(dim=1, keepdim=True).mul_(2))


def tuned(torch, x, y):
    with torch.no_grad():
        d = torch.cdist(x, y)
        p = softmin_in_place(torch, d)
        p.add_(softmin_in_place(torch, d.t().contiguous()).t())  # topk along columns is four times slower
        u, v = torch.ones(len(x)), torch.ones(len(y))
        for _ in range(ROUNDS):
            u = u / (u * torch.mv(p, v) + 1e-8)
            v = v / (v * torch.mv(p.t(), u) + 1e-8)
        p.mul_(u[:, None]).mul_(v)
        value = torch.dot(p.view(-1), d.view(-1)).item()
        p.div_(d.clamp_(min=1e-30))
        gx = x * p.sum(dim=1, keepdim=True) - p @ y
        gy = y * p.sum(dim=0)[:, None] - p.t() @ x
    return value, gx, gy


def main():
    if len(sys.argv) != 5 or sys.argv[3] not in ("plain", "tuned"):
        fail("usage: apml_dense_torch.py X Y plain|tuned ROUNDS")
    try:
        import torch
    except Exception as e:  # a broken installation raises more than ImportError
        fail("torch cannot be imported: %s" % e)
    torch.set_num_threads(1)
    form = sys.argv[3]
    loss = {"plain": plain, "tuned": tuned}[form]
    clouds = []
    for path in sys.argv[1:3]:
        with open(path, "rb") as f:
            clouds.append(torch.frombuffer(bytearray(f.read()), dtype=torch.float32).reshape(-1, 3))
    small = [c[:64] for c in clouds]
    loss(torch, small[0], small[1])  # what is loaded on first use is no part of the loss
    start_cpu, start_memory = time.process_time(), memory("VmRSS")
    best, value, grown = math.inf, 0.0, None
    for _ in range(int(sys.argv[4])):
        t = time.process_time()
        value = loss(torch, clouds[0], clouds[1])[0]
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
