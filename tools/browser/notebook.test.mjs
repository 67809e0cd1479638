// A person's first visit: the scaling notebook is run in JupyterLab, an endless loop is stopped, a crash is survived.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { busy, library, run, shot, stop } from "./book.mjs";
import { cells, command, idle, root } from "./lab.mjs";

const within = library({
  "stop.ipynb": ["x := 41", "for {\n}", "x + 1"],
  "crash.ipynb": ["func two() int { return 2 }\nx := 41", "var mu sync.Mutex\nmu.Unlock()", "two() + 40", "x"],
}, (folder) => cpSync(path.join(root, "notebooks"), folder, { recursive: true }));

test("run all of 08-scaling", { timeout: 300000 }, () => within("08-scaling.ipynb", async (page) => {
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
    await shot(page, `scaling-${i + 1}`);
  }
  assert.ok(await shown.count() > 0, "no picture stands on the page");
}));

test("an endless loop stops and leaves the variables", { timeout: 120000 }, () => within("stop.ipynb", async (page) => {
  const done = command(page, "notebook:run-all-cells").catch(() => {});
  await busy(page);
  await page.waitForTimeout(1500); // the loop is reached
  const outputs = await stop(page, 1);
  await done;
  assert.match(outputs[0]?.ename ?? "nothing", /Interrupted/);
  assert.equal((await run(page, 2))[0]?.data?.["text/plain"], "42");
  await shot(page, "stopped");
}));

test("a crash is an answer, and the notebook lives", { timeout: 120000 }, () => within("crash.ipynb", async (page) => {
  await command(page, "notebook:run-all-cells").catch(() => {});
  await idle(page);
  const crashed = (await cells(page))[1].outputs[0];
  assert.equal(crashed?.ename, "WorkerLost");
  assert.match(crashed.traceback.join("\n"), /unlock of unlocked mutex[^]*Kept: [^]*Lost: x int/);
  assert.equal((await run(page, 2))[0]?.data?.["text/plain"], "42");
  assert.match((await run(page, 3))[0]?.evalue ?? "nothing", /lost with the worker/);
  await shot(page, "crashed");
}));
