// lab.mjs starts JupyterLab from the venv over a folder and opens a page of it in headless Chromium.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

export const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "../..");

function freePort() {
  return new Promise((resolve, reject) => {
    const s = createServer();
    s.on("error", reject);
    s.listen(0, "127.0.0.1", () => { const { port } = s.address(); s.close(() => resolve(port)); });
  });
}

/** startLab starts the server over folder and resolves when it answers; stop ends it. */
export async function startLab(folder) {
  const port = await freePort(), token = "t" + Math.random().toString(36).slice(2);
  const home = mkdtempSync(path.join(tmpdir(), "gondola-lab-"));
  const args = ["--ServerApp.ip=127.0.0.1", `--ServerApp.port=${port}`, "--ServerApp.port_retries=0",
    `--ServerApp.root_dir=${folder}`, "--ServerApp.open_browser=False", "--LabApp.expose_app_in_browser=True"];
  if (process.getuid?.() === 0) args.push("--allow-root");
  const env = { ...process.env, JUPYTER_TOKEN: token, JUPYTER_CONFIG_PATH: path.join(root, "tools/jupyter"),
    JUPYTER_PREFER_ENV_PATH: "1", JUPYTER_CONFIG_DIR: path.join(home, "config"), JUPYTER_DATA_DIR: path.join(home, "data"),
    JUPYTER_RUNTIME_DIR: path.join(home, "run"), GONDOLA_HISTORY: "off" };
  const child = spawn(path.join(root, ".venv/bin/jupyter-lab"), args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "", ended = null;
  for (const s of [child.stdout, child.stderr]) s.on("data", (d) => { log += d; });
  child.on("exit", (code) => { ended = code; });
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; ; i++) {
    if (ended !== null) throw new Error(`JupyterLab ended with ${ended}:\n${log}`);
    try {
      if ((await fetch(`${url}/api/status?token=${token}`)).ok) break;
    } catch { /* not listening yet */ }
    if (i > 300) throw new Error(`JupyterLab did not answer in 60 s:\n${log}`);
    await new Promise((r) => setTimeout(r, 200));
  }
  const stop = async () => {
    if (ended === null) {
      const gone = new Promise((r) => child.on("exit", r));
      child.kill("SIGTERM");
      await gone;
    }
    rmSync(home, { recursive: true, force: true });
  };
  return { url, token, stop, log: () => log };
}

/** openPage opens a notebook; faults collects console errors and every request that leaves loopback. */
export async function openPage(lab, notebook) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true,
    args: ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update",
      "--disable-sync", "--no-first-run", "--use-angle=swiftshader"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  const faults = [];
  page.on("console", (m) => { if (m.type() === "error") faults.push(`console: ${m.text()}`); });
  page.on("pageerror", (e) => faults.push(`page: ${e.message}`));
  page.on("request", (r) => {
    const host = new URL(r.url()).hostname;
    if (/^(https?|wss?):/.test(r.url()) && host !== "127.0.0.1") faults.push(`request: ${r.url()}`);
  });
  await page.goto(`${lab.url}/lab/tree/${notebook}?reset&token=${lab.token}`);
  await ready(page, notebook);
  return { browser, page, faults };
}

/** ready waits until the notebook is in front and its kernel is connected, has told who it is, and is idle. */
export async function ready(page, notebook) {
  await page.waitForFunction((path) => window.jupyterapp?.shell?.currentWidget?.context?.path === path, notebook, { timeout: 60000 });
  await page.evaluate(async () => {
    const end = Date.now() + 60000;
    for (;;) {
      const context = window.jupyterapp.shell.currentWidget?.sessionContext;
      const kernel = context?.session?.kernel;
      if (context?.isReady && kernel) {
        await kernel.info;
        if (kernel.connectionStatus === "connected" && kernel.status === "idle") return;
      }
      if (Date.now() > end) throw new Error(`the kernel is not ready: ${kernel?.connectionStatus} ${kernel?.status}`);
      await new Promise((r) => setTimeout(r, 100));
    }
  });
}

/** cells returns, for each code cell, its source, its number and its outputs as the page's model has them. */
export function cells(page) {
  return page.evaluate(() => {
    const content = window.jupyterapp.shell.currentWidget.content;
    return content.model.toJSON().cells.filter((c) => c.cell_type === "code");
  });
}

/** command runs one of JupyterLab's commands. */
export function command(page, id, args = {}) {
  return page.evaluate(([id, args]) => window.jupyterapp.commands.execute(id, args), [id, args]);
}

/** idle waits until the kernel has nothing to do for half a second. */
export async function idle(page, timeout = 120000) {
  await page.evaluate(async (timeout) => {
    const end = Date.now() + timeout;
    for (let calm = 0; calm < 5; ) {
      const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
      calm = kernel.status === "idle" ? calm + 1 : 0;
      if (Date.now() > end) throw new Error(`the kernel is still ${kernel.status}`);
      await new Promise((r) => setTimeout(r, 100));
    }
  }, timeout);
}
