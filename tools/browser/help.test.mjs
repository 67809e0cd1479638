// What a person reads: names with their kinds, documentation, tables, pictures, and errors with their places.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { cells, command, idle, openPage, root, startLab } from "./lab.mjs";

let lab, folder;
const shots = path.join(root, "out/browser");
const sources = [
  "alpha := []float64{1, 2}\nalphabet := \"abc\"",
  "fmt.Pri",
  "alp",
  "strings.Builder",
  "fmt.Println?",
  "map[string]int{\"apple\": 3, \"pear\": 12}",
  "im := image.NewGray(image.Rect(0, 0, 60, 30))\nfor x := range 60 {\n\tim.SetGray(x, x/2, color.Gray{200})\n}\nim",
  "n := 1\nfmt.Println(nope, n)\nvar s string = 4\nfmt.Prntln(s)",
];

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "gondola-help-"));
  writeFileSync(path.join(folder, "help.ipynb"), JSON.stringify({ nbformat: 4, nbformat_minor: 5,
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

/** run runs one cell and returns its outputs. */
async function run(page, index) {
  await page.evaluate((i) => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = i; }, index);
  await command(page, "notebook:run-cell").catch(() => {});
  await idle(page);
  return (await cells(page))[index].outputs;
}

/** atEnd puts the cursor behind the text of a cell. */
async function atEnd(page, index) {
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

/** offered are the names that the completer shows, each with its kind. */
async function offered(page, index) {
  await atEnd(page, index);
  await command(page, "completer:invoke-notebook");
  await page.waitForSelector(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item", { timeout: 30000 });
  await page.screenshot({ path: path.join(shots, `complete-${index}.png`) });
  const list = await page.$$eval(".jp-Completer-item", (items) => items.map((item) =>
    `${item.querySelector(".jp-Completer-match").textContent} ${item.querySelector(".jp-Completer-typeExtended").textContent}`));
  await page.keyboard.press("Escape");
  return list;
}

test("a person is helped and shown what there is", { timeout: 180000 }, async () => {
  const { browser, page, faults } = await openPage(lab, "help.ipynb");
  try {
    await run(page, 0);
    assert.deepEqual(await offered(page, 1), ["Print function", "Printf function", "Println function"]);
    assert.deepEqual(await offered(page, 2), ["alpha instance", "alphabet instance"]);

    await atEnd(page, 3);
    await command(page, "tooltip:launch-notebook");
    const docs = await page.waitForSelector(".jp-Tooltip pre", { timeout: 30000 });
    assert.match(await docs.textContent(), /type Builder struct/);
    await page.screenshot({ path: path.join(shots, "docs.png") });
    await page.keyboard.press("Escape");

    assert.match((await run(page, 4))[0]?.data?.["text/plain"] ?? "nothing", /^func Println/);
    await run(page, 5);
    assert.deepEqual(await page.$$eval(".jp-OutputArea-output table td", (l) => l.map((e) => e.textContent)), ["3", "12"]);
    await run(page, 6);
    const width = () => [...document.querySelectorAll(".jp-OutputArea-output img")].find((e) => e.naturalWidth === 60)?.naturalWidth;
    await page.waitForFunction(width, null, { timeout: 30000 });
    const [error] = await run(page, 7);
    assert.equal(error?.traceback?.join("\n").match(/^cell \[\d+\]:\d+:\d+: /gm)?.length, 3, JSON.stringify(error));
    await page.screenshot({ path: path.join(shots, "errors.png") });
    await command(page, "apputils:change-theme", { theme: "JupyterLab Dark" });
    await page.waitForTimeout(1000);
    await page.screenshot({ path: path.join(shots, "dark.png") });
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
});
