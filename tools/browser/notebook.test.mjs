// A person's first visit: the scaling notebook is run in JupyterLab, an endless loop is stopped, a crash is survived.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { cells, command, idle, openPage, root, startLab } from "./lab.mjs";

let lab, folder;
const shots = path.join(root, "out/browser");

const notebook = (sources) => JSON.stringify({ nbformat: 4, nbformat_minor: 5,
  metadata: { kernelspec: { name: "gondola", display_name: "Go (Gondola)", language: "go" }, language_info: { name: "go" } },
  cells: sources.map((source, i) => ({ cell_type: "code", id: `c${i}`, metadata: {}, execution_count: null, outputs: [], source })) });

/** runCell runs one cell by hand and returns all. */
async function runCell(page, index) {
  await page.evaluate((i) => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = i; }, index);
  await command(page, "notebook:run-cell");
  await idle(page);
  return cells(page);
}

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "gondola-books-"));
  cpSync(path.join(root, "notebooks"), folder, { recursive: true });
  writeFileSync(path.join(folder, "stop.ipynb"), notebook(["x := 41", "for {\n}", "x + 1"]));
  writeFileSync(path.join(folder, "crash.ipynb"), notebook(["func two() int { return 2 }\nx := 41", "var mu sync.Mutex\nmu.Unlock()", "two() + 40", "x"]));
  mkdirSync(shots, { recursive: true });
  lab = await startLab(folder);
});
after(async () => {
  await lab?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("run all of 08-scaling", { timeout: 300000 }, async () => {
  const { browser, page, faults } = await openPage(lab, "08-scaling.ipynb");
  try {
    await command(page, "notebook:run-all-cells");
    await idle(page);
    const code = await cells(page);
    const tagged = (c) => c.metadata.tags ?? [];
    for (const c of code) {
      const errors = c.outputs.filter((o) => o.output_type === "error");
      assert.equal(errors.length > 0, tagged(c).includes("raises-exception"), `cell ${c.id}: ${JSON.stringify(errors)}`);
      assert.ok(c.execution_count > 0, `cell ${c.id} did not run`);
    }
    const pictures = code.flatMap((c) => c.outputs).filter((o) => o.data?.["image/png"]);
    assert.ok(pictures.length >= 3, `${pictures.length} pictures`);
    assert.equal(await page.evaluate(() => window.jupyterapp.shell.currentWidget.sessionContext.kernelDisplayName), "Go (Gondola)");
    const shown = page.locator(".jp-OutputArea-output img");
    for (let i = 0; i < await shown.count(); i++) {
      await shown.nth(i).scrollIntoViewIfNeeded();
      await page.waitForTimeout(300);
      await page.screenshot({ path: path.join(shots, `scaling-${i + 1}.png`) });
    }
    assert.ok(await shown.count() > 0, "no picture stands on the page");
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
});

test("an endless loop stops and leaves the variables", { timeout: 120000 }, async () => {
  const { browser, page, faults } = await openPage(lab, "stop.ipynb");
  try {
    const busy = page.waitForFunction(() =>
      window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === "busy", null, { timeout: 30000 });
    const done = command(page, "notebook:run-all-cells").catch(() => {});
    await busy;
    await page.waitForTimeout(1500); // the loop is reached
    await command(page, "notebook:interrupt-kernel");
    await done;
    await idle(page);
    const before = await cells(page);
    assert.match(before[1].outputs[0]?.ename ?? "nothing", /Interrupted/);
    const after = await runCell(page, 2);
    assert.equal(after[2].outputs[0]?.data?.["text/plain"], "42");
    await page.screenshot({ path: path.join(shots, "stopped.png") });
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
});

test("a crash is an answer, and the notebook lives", { timeout: 120000 }, async () => {
  const { browser, page, faults } = await openPage(lab, "crash.ipynb");
  try {
    await command(page, "notebook:run-all-cells").catch(() => {});
    await idle(page);
    const crashed = (await cells(page))[1].outputs[0];
    assert.equal(crashed?.ename, "WorkerLost");
    assert.match(crashed.traceback.join("\n"), /unlock of unlocked mutex[^]*Kept: [^]*Lost: x int/);
    assert.equal((await runCell(page, 2))[2].outputs[0]?.data?.["text/plain"], "42");
    assert.match((await runCell(page, 3))[3].outputs[0]?.evalue ?? "nothing", /lost with the worker/);
    await page.screenshot({ path: path.join(shots, "crashed.png") });
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
});
