// What a person reads: names with their kinds, documentation, tables, pictures, and errors with their places.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd, completer, library, run, shot, shotOf } from "./book.mjs";
import { command } from "./lab.mjs";

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
const within = library({ "help.ipynb": sources });

/** offered are the names that the completer shows, each with its kind. */
async function offered(page, index) {
  await completer(page, index);
  await shot(page, `complete-${index}`);
  const list = await page.$$eval(".jp-Completer-item", (items) => items.map((item) =>
    `${item.querySelector(".jp-Completer-match").textContent} ${item.querySelector(".jp-Completer-typeExtended").textContent}`));
  await page.keyboard.press("Escape");
  return list;
}

test("a person is helped and shown what there is", { timeout: 180000 }, () => within("help.ipynb", async (page) => {
  await run(page, 0);
  assert.deepEqual(await offered(page, 1), ["Print function", "Printf function", "Println function"]);
  assert.deepEqual(await offered(page, 2), ["alpha instance", "alphabet instance"]);

  await atEnd(page, 3);
  await command(page, "tooltip:launch-notebook");
  const docs = await page.waitForSelector(".jp-Tooltip pre", { timeout: 30000 });
  assert.match(await docs.textContent(), /type Builder struct/);
  await shot(page, "docs");
  await page.keyboard.press("Escape");

  assert.match((await run(page, 4))[0]?.data?.["text/plain"] ?? "nothing", /^func Println/);
  await run(page, 5);
  assert.deepEqual(await page.$$eval(".jp-OutputArea-output table td", (l) => l.map((e) => e.textContent)), ["3", "12"]);
  await run(page, 6);
  const width = () => [...document.querySelectorAll(".jp-OutputArea-output img")].find((e) => e.naturalWidth === 60)?.naturalWidth;
  await page.waitForFunction(width, null, { timeout: 30000 });
  const [error] = await run(page, 7);
  assert.equal(error?.traceback?.join("\n").match(/^cell \[\d+\]:\d+:\d+: /gm)?.length, 3, JSON.stringify(error));
  await shotOf(page, 7, "errors");
  await command(page, "apputils:change-theme", { theme: "JupyterLab Dark" });
  await page.waitForTimeout(1000);
  await shotOf(page, 7, "dark");
}));
