// book.mjs is what the tests of notebooks have in common: a folder of them behind a server, and what a person does to one.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before } from "node:test";
import { cells, command, idle, openPage, root, startLab } from "./lab.mjs";

/** shots is the folder of the pictures that a person looks at. */
export const shots = path.join(root, "out/browser");

/** shot keeps a picture of the page. */
export const shot = (page, name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

/** shotOf keeps a picture of the page with all of a cell in sight: its text and what stands below. */
export async function shotOf(page, index, name) {
  await page.evaluate(async (i) => {
    const book = window.jupyterapp.shell.currentWidget.content;
    book.activeCellIndex = i;
    await book.scrollToItem(i, "end");
    book.widgets[i].node.scrollIntoView({ block: "end" });
  }, index);
  await page.waitForTimeout(500); // the page has moved
  const box = await page.locator(".jp-Notebook .jp-Cell").nth(index).boundingBox();
  assert.ok(box && box.y >= 0 && box.y + box.height <= page.viewportSize().height, `${name}: the cell is out of sight: ${JSON.stringify(box)}`);
  await shot(page, name);
}

/** notebook is the text of a notebook with these code cells. */
const notebook = (sources) => JSON.stringify({ nbformat: 4, nbformat_minor: 5,
  metadata: { kernelspec: { name: "gondola", display_name: "Go (Gondola)", language: "go" }, language_info: { name: "go" } },
  cells: sources.map((source, i) => ({ cell_type: "code", id: `c${i}`, metadata: {}, execution_count: null, outputs: [], source })) });

/** library serves notebooks, by name the sources of their cells, to the tests of a file; fill may put more into its folder.
 *  It returns within, which opens one, does a thing, and wants no fault of the page. */
export function library(books, fill = () => {}) {
  let lab, folder;
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "gondola-books-"));
    await fill(folder);
    for (const [name, sources] of Object.entries(books)) writeFileSync(path.join(folder, name), notebook(sources));
    mkdirSync(shots, { recursive: true });
    lab = await startLab(folder);
  });
  after(async () => {
    await lab?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return async (name, body) => {
    const { browser, page, faults } = await openPage(lab, name);
    try {
      await body(page);
      assert.deepEqual(faults, []);
    } finally {
      await browser.close();
    }
  };
}

/** start runs one cell without waiting for its end. */
export async function start(page, index) {
  await page.evaluate((i) => {
    window.jupyterapp.shell.currentWidget.content.activeCellIndex = i;
    window.jupyterapp.commands.execute("notebook:run-cell").catch(() => {});
  }, index);
}

/** run runs one cell and returns its outputs. */
export async function run(page, index) {
  await page.evaluate((i) => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = i; }, index);
  await command(page, "notebook:run-cell").catch(() => {}); // a cell that fails is an answer too
  await idle(page);
  return (await cells(page))[index].outputs;
}

/** busy waits until the kernel says that it runs something. */
export const busy = (page) => page.waitForFunction(() =>
  window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === "busy", null, { timeout: 30000 });

/** stop interrupts the cell that runs and returns its outputs. */
export async function stop(page, index) {
  await command(page, "notebook:interrupt-kernel");
  await idle(page);
  return (await cells(page))[index].outputs;
}

/** atEnd puts the cursor behind the text of a cell. */
export async function atEnd(page, index) {
  await page.evaluate(async (i) => {
    const book = window.jupyterapp.shell.currentWidget.content;
    book.activeCellIndex = i;
    book.mode = "edit";
    await book.activeCell.ready;
    const lines = book.activeCell.model.sharedModel.source.split("\n");
    book.activeCell.editor.focus();
    book.activeCell.editor.setCursorPosition({ line: lines.length - 1, column: lines.at(-1).length });
  }, index);
}

/** completer asks for names at the end of a cell and waits until they are shown. */
export async function completer(page, index) {
  await atEnd(page, index);
  await command(page, "completer:invoke-notebook");
  await page.waitForSelector(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item", { timeout: 30000 });
}
