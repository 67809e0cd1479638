// What a person does to a kernel: stops compiled code, restarts, answers a question, asks for names beside a cell.
import assert from "node:assert/strict";
import { test } from "node:test";
import { busy, completer, library, run, shot, start, stop } from "./book.mjs";
import { cells, idle, ready } from "./lab.mjs";

const sources = [
  "kept := 41",
  "%%native\nfor {\n}",
  "kept + 1",
  "display.ShowID(\"bar\", 0)\nfor i := range 40 {\n\tdisplay.Update(\"bar\", i+1)\n\ttime.Sleep(10 * time.Millisecond)\n}",
  "var name string\nfmt.Print(\"your name? \")\nfmt.Scanln(&name)\nname + \"!\"",
  "for {\n}",
  "fmt.Pri",
];
const within = library({ "kernel.ipynb": sources });

test("a compiled loop stops and leaves the variables", { timeout: 120000 }, () => within("kernel.ipynb", async (page) => {
  await run(page, 0);
  await start(page, 1);
  await busy(page);
  await page.waitForTimeout(5000); // it is built and runs
  assert.equal((await stop(page, 1))[0]?.ename, "Interrupted");
  assert.equal((await run(page, 2))[0]?.data?.["text/plain"], "42");
  await shot(page, "native-stopped");
}));

test("a display is updated in its place", { timeout: 120000 }, () => within("kernel.ipynb", async (page) => {
  const outputs = await run(page, 3);
  assert.equal(outputs.length, 1, JSON.stringify(outputs));
  assert.equal(outputs[0].data?.["text/plain"], "40");
  await shot(page, "updated");
}));

test("an input box asks and its answer is read", { timeout: 120000 }, () => within("kernel.ipynb", async (page) => {
  await start(page, 4);
  const box = await page.waitForSelector(".jp-Stdin-input", { timeout: 30000 });
  await shot(page, "input");
  await box.fill("Gauss");
  await box.press("Enter");
  await idle(page);
  const outputs = (await cells(page))[4].outputs;
  assert.match(outputs.find((o) => o.output_type === "execute_result")?.data?.["text/plain"] ?? "nothing", /Gauss!/);
}));

test("names beside a running cell leave it shown as running", { timeout: 120000 }, () => within("kernel.ipynb", async (page) => {
  await start(page, 5);
  await busy(page);
  await completer(page, 6);
  await page.waitForTimeout(1000); // whatever the kernel still says is there
  await shot(page, "busy-complete");
  assert.equal(await page.evaluate(() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status), "busy");
  assert.equal(await page.locator(".jp-Notebook-ExecutionIndicator").first().getAttribute("data-status"), "busy");
  await page.keyboard.press("Escape");
  assert.equal((await stop(page, 5))[0]?.ename, "Interrupted");
}));

test("a restart forgets and goes on", { timeout: 120000 }, () => within("kernel.ipynb", async (page) => {
  await run(page, 0);
  assert.equal((await run(page, 2))[0]?.data?.["text/plain"], "42");
  await page.evaluate(() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart());
  await ready(page, "kernel.ipynb");
  const [gone] = await run(page, 2);
  assert.equal(gone?.ename, "CompileError", JSON.stringify(gone));
  await run(page, 0);
  assert.equal((await run(page, 2))[0]?.data?.["text/plain"], "42");
  await shot(page, "restarted");
}));
