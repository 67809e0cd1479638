"""Runs notebooks by nbclient over the real protocol and compares them, cell by cell, with what `gondola run` made.

usage: course.py GONDOLA OUT NOTEBOOK...   exit 1 if a cell differs; OUT gets both notebooks and nbconvert's page
"""
import re
import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def texts_agree(a, b):
    """Words exactly, numbers within 1e-6 relative."""
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b))
    return all(abs(float(x) - float(y)) <= 1e-6 * max(abs(float(x)), abs(float(y))) for x, y in pairs)


def merged(outputs):
    """Outputs with neighbouring stream texts of one name joined: how they are cut is not promised."""
    out = []
    for o in outputs:
        if o.output_type == "stream" and out and out[-1].output_type == "stream" and out[-1].name == o.name:
            out[-1].text += o.text
        else:
            out.append(nbformat.from_dict(dict(o)))
    return out


def difference(cell, ours, theirs):
    """The first difference of two lists of outputs, or None."""
    volatile = "volatile" in cell.metadata.get("tags", [])
    ours, theirs = merged(ours), merged(theirs)
    if [o.output_type for o in ours] != [o.output_type for o in theirs]:
        return f"outputs {[o.output_type for o in ours]} and {[o.output_type for o in theirs]}"
    for a, b in zip(ours, theirs):
        if a.output_type == "stream":
            if not volatile and not texts_agree(a.text, b.text):
                return f"{a.name}: {a.text[:200]!r} and {b.text[:200]!r}"
        elif a.output_type == "error":
            if (a.ename, a.evalue) != (b.ename, b.evalue):
                return f"error {a.ename}: {a.evalue} and {b.ename}: {b.evalue}"
        else:
            if set(a.data) != set(b.data):
                return f"MIME types {sorted(a.data)} and {sorted(b.data)}"
            for mime in a.data:
                same = a.data[mime] == b.data[mime]
                if mime.startswith("text/") and not same:
                    same = texts_agree(a.data[mime], b.data[mime])
                if not same and not volatile:
                    return f"{mime} differs"
    return None


def run(gondola, out, path):
    name = path.stem
    ours_path = out / f"{name}.run.ipynb"
    subprocess.run([gondola, "run", "--skip", "slow,gpu", "-o", str(ours_path), str(path)], check=True)
    ours = nbformat.read(ours_path, as_version=4)
    theirs = nbformat.read(path, as_version=4)
    skipped = {c.id for c in theirs.cells if {"slow", "gpu"} & set(c.metadata.get("tags", []))}
    theirs.cells = [c for c in theirs.cells if c.id not in skipped]
    NotebookClient(
        theirs, timeout=120, kernel_name="gondola", resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    nbformat.write(theirs, out / f"{name}.nbclient.ipynb")
    (out / f"{name}.nbconvert.html").write_text(HTMLExporter().from_notebook_node(theirs)[0])
    bad = 0
    mine = {c.id: c for c in ours.cells}
    for cell in theirs.cells:
        if cell.cell_type != "code":
            continue
        diff = difference(cell, mine[cell.id].outputs, cell.outputs)
        if diff:
            bad += 1
            print(f"{name}: cell {cell.id}: gondola run and nbclient differ: {diff}")
    print(f"{name}: {sum(c.cell_type == 'code' for c in theirs.cells)} cells, {bad} differ, {len(skipped)} left out (slow, gpu)")
    return bad


def main():
    gondola, out = sys.argv[1], Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    sys.exit(1 if sum(run(gondola, out, Path(p)) for p in sys.argv[3:]) else 0)


if __name__ == "__main__":
    main()
