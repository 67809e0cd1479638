// What a person does to a kernel: stops compiled code, restarts, answers a question, asks for names beside a cell.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { cells, command, idle, openPage, ready, root, startLab } from "./lab.mjs";

let lab, folder;
const shots = path.join(root, "out/browser");
const sources = [
  "kept := 41",
  "%%native\nfor {\n}",
  "kept + 1",
  "display.ShowID(\"bar\", 0)\nfor i := range 40 {\n\tdisplay.Update(\"bar\", i+1)\n\ttime.Sleep(10 * time.Millisecond)\n}",
  "var name string\nfmt.Print(\"your name? \")\nfmt.Scanln(&name)\nname + \"!\"",
  "for {\n}",
  "fmt.Pri",
];

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "gondola-kernel-"));
  writeFileSync(path.join(folder, "kernel.ipynb"), JSON.stringify({ nbformat: 4, nbformat_minor: 5,
    metadata: { kernelspec: { name: "gondola", display_name: "Go (Gondola)", language: "go" }, language_info: { name: "go" } },
    cells: sources.map((source, i) =>
      ({ cell_type: "code", id: `c${i}`, metadata: {}, execution_count: null, outputs: [], source })) }));
  mkdirSync(shots, { recursive: true });
  lab = await startLab(folder);
});
after(async () => {
  await lab?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** start runs one cell without waiting for its end. */
async function start(page, index) {
  await page.evaluate((i) => {
    window.jupyterapp.shell.currentWidget.content.activeCellIndex = i;
    window.jupyterapp.commands.execute("notebook:run-cell").catch(() => {});
  }, index);
}

/** run runs one cell and returns its outputs. */
async function run(page, index) {
  await start(page, index);
  await idle(page);
  return (await cells(page))[index].outputs;
}

/** busy waits until the kernel says that it runs something. */
const busy = (page) => page.waitForFunction(() =>
  window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === "busy", null, { timeout: 30000 });

/** stop interrupts the cell that runs and returns its outputs. */
async function stop(page, index) {
  await command(page, "notebook:interrupt-kernel");
  await idle(page);
  return (await cells(page))[index].outputs;
}

/** within opens the notebook, does a thing, and wants no fault of the page. */
async function within(body) {
  const { browser, page, faults } = await openPage(lab, "kernel.ipynb");
  try {
    await body(page);
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
}

test("a compiled loop stops and leaves the variables", { timeout: 120000 }, () => within(async (page) => {
  await run(page, 0);
  await start(page, 1);
  await busy(page);
  await page.waitForTimeout(5000); // it is built and runs
  assert.equal((await stop(page, 1))[0]?.ename, "Interrupted");
  assert.equal((await run(page, 2))[0]?.data?.["text/plain"], "42");
  await page.screenshot({ path: path.join(shots, "native-stopped.png") });
}));

test("a display is updated in its place", { timeout: 120000 }, () => within(async (page) => {
  const outputs = await run(page, 3);
  assert.equal(outputs.length, 1, JSON.stringify(outputs));
  assert.equal(outputs[0].data?.["text/plain"], "40");
  await page.screenshot({ path: path.join(shots, "updated.png") });
}));

test("an input box asks and its answer is read", { timeout: 120000 }, () => within(async (page) => {
  await start(page, 4);
  const box = await page.waitForSelector(".jp-Stdin-input", { timeout: 30000 });
  await page.screenshot({ path: path.join(shots, "input.png") });
  await box.fill("Gauss");
  await box.press("Enter");
  await idle(page);
  const outputs = (await cells(page))[4].outputs;
  assert.match(outputs.find((o) => o.output_type === "execute_result")?.data?.["text/plain"] ?? "nothing", /Gauss!/);
}));

test("names beside a running cell leave it shown as running", { timeout: 120000 }, () => within(async (page) => {
  await start(page, 5);
  await busy(page);
  await page.evaluate(async () => {
    const book = window.jupyterapp.shell.currentWidget.content;
    book.activeCellIndex = 6;
    book.mode = "edit";
    await book.activeCell.ready;
    book.activeCell.editor.focus();
    book.activeCell.editor.setCursorPosition({ line: 0, column: 7 });
  });
  await command(page, "completer:invoke-notebook");
  await page.waitForSelector(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item", { timeout: 30000 });
  await page.waitForTimeout(1000); // whatever the kernel still says is there
  await page.screenshot({ path: path.join(shots, "busy-complete.png") });
  assert.equal(await page.evaluate(() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status), "busy");
  assert.equal(await page.locator(".jp-Notebook-ExecutionIndicator").first().getAttribute("data-status"), "busy");
  await page.keyboard.press("Escape");
  assert.equal((await stop(page, 5))[0]?.ename, "Interrupted");
}));

test("a restart forgets and goes on", { timeout: 120000 }, () => within(async (page) => {
  await run(page, 0);
  assert.equal((await run(page, 2))[0]?.data?.["text/plain"], "42");
  await page.evaluate(() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart());
  await ready(page, "kernel.ipynb");
  const [gone] = await run(page, 2);
  assert.equal(gone?.ename, "CompileError", JSON.stringify(gone));
  await run(page, 0);
  assert.equal((await run(page, 2))[0]?.data?.["text/plain"], "42");
  await page.screenshot({ path: path.join(shots, "restarted.png") });
}));
