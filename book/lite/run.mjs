// Opens a notebook of the site in Chromium, fills in answers, runs all cells, saves and downloads it.
// node run.mjs ADDRESS NOTEBOOK DOWNLOAD [ANSWERS]: the site's address, the notebook's path in it,
// where to put the download, and a JSON file of new sources by grade_id. Prints what was seen as JSON.
import fs from "node:fs";
import { chromium } from "playwright-core";

const [address, notebook, download, answers] = process.argv.slice(2);
const minutes = (n) => n * 60_000;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const page = await (await browser.newContext({ acceptDownloads: true })).newPage();
page.setDefaultTimeout(minutes(20));
const seen = { outside: [], faults: [], bytes: 0 };
page.context().on("request", (request) => {
  if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address)) {
    seen.outside.push(request.url());
  }
});
page.context().on("response", (response) => {
  seen.bytes += Number(response.headers()["content-length"] ?? 0);
});
page.on("pageerror", (error) => seen.faults.push(String(error)));

const start = Date.now();
await page.goto(`${address}notebooks/index.html?path=${notebook}`);
await page.waitForFunction(() => {
  const panel = window.jupyterapp?.shell.currentWidget;
  return panel?.context?.isReady && panel.sessionContext.session?.kernel?.status === "idle";
});
seen.ready = (Date.now() - start) / 1000;
seen.bytesUntilReady = seen.bytes;

const filled = answers ? JSON.parse(fs.readFileSync(answers, "utf-8")) : {};
await page.evaluate((sources) => {
  for (const cell of window.jupyterapp.shell.currentWidget.content.model.cells) {
    const id = cell.metadata.nbgrader?.grade_id;
    if (id in sources) cell.sharedModel.setSource(sources[id]);
  }
}, filled);
await page.evaluate(async () => {
  const { commands, shell } = window.jupyterapp;
  await commands.execute("notebook:run-all-cells");
  const { kernel } = shell.currentWidget.sessionContext.session;
  while (kernel.status !== "idle") await new Promise((later) => setTimeout(later, 200));
  await commands.execute("docmanager:save");
});
seen.done = (Date.now() - start) / 1000;
const [file] = await Promise.all([
  page.waitForEvent("download"),
  page.evaluate(() => void window.jupyterapp.commands.execute("docmanager:download")),
]);
await file.saveAs(download);
await browser.close();
console.log(JSON.stringify(seen));
