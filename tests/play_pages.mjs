// Opens the moving pages in headless Chromium, uses their controls, and prints what was seen as
// JSON: node play_pages.mjs HTML NPM CHROMIUM. The Python test judges it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [html, npm, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(npm, "x.js"))("playwright-core");
const axe = readFileSync(join(npm, "axe-core", "axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const seen = { troubles: [], pages: {} };
const WAIT = { timeout: 120000 };

async function open(name, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WAIT.timeout);
  const page = await context.newPage();
  const trouble = (kind) => (what) => seen.troubles.push(`${name}: ${kind}: ${what}`);
  page.on("pageerror", trouble("error"));
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && trouble("console")(m.text()));
  page.on("requestfailed", (r) => trouble("failed")(r.url()));
  page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || trouble("request")(r.url()));
  await page.goto(pathToFileURL(join(html, "play", `${name}.html`)).href, WAIT);
  return page;
}

const text = (page, selector) => page.locator(selector).innerText();
const rows = (page, selector) =>
  page.$$eval(`${selector} tbody tr`, (all) => all.map((r) => [...r.cells].map((c) => c.innerText)));
const press = (page, label) => page.getByRole("button", { name: label, exact: true }).click();
const frame = (page) => page.evaluate(() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => done()))));
const series = (page, selector) => page.$eval(selector, (host) =>
  ({ count: host.uplot.series.length - 1, t: host.uplot.data[0], first: host.uplot.data[1],
    log: host.uplot.scales.y.distr === 3 }));

const acts = {
  async ten(page) {
    const found = { told: [], start: await text(page, "#play-ten-said") };
    for (const arm of [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]) {
      await page.getByRole("button", { name: `arm ${arm}` }).press("Enter");
      found.told.push(await text(page, "#play-ten-said"));
    }
    found.score = await rows(page, "#play-ten-score");
    found.over = await page.locator("button.play-ten-arm:disabled").count();
    found.plain = await page.locator("canvas").first().getAttribute("data-tile");
    await page.getByLabel("pixels in another order").check();
    found.shuffled = await page.locator("canvas").first().getAttribute("data-tile");
    await press(page, "start again");
    found.again = await text(page, "#play-ten-said");
    return found;
  },
  async law(page) {
    const read = async () => {
      await frame(page);
      return { said: await text(page, "#play-law-said"), rows: await rows(page, "#play-law-numbers"),
        bars: await series(page, "#play-law-chart") };
    };
    const found = { paper: await read() };
    await press(page, "p = 1/3");
    found.third = await read();
    await press(page, "a printed promise that is false");
    found.false = await read();
    await press(page, "the paper’s 1/t");
    await page.getByLabel("arms K").press("ArrowRight");
    found.six = await read();
    return found;
  },
  async figures(page) {
    const box = (label) => page.getByLabel(label, { exact: true });
    const read = async () => {
      await frame(page);
      return { rows: await rows(page, "#play-figures-values"),
        chart: await series(page, "#play-figures-chart") };
    };
    await page.locator("#play-figures-values tbody tr").first().waitFor();
    const found = { low: await read() };
    await box("Random").uncheck();
    found.five = await read();
    await box("single runs").check();
    found.single = await read();
    await box("single runs").uncheck();
    await box("up to t").press("Home");
    found.early = await read();
    await box("up to t").press("End");
    await page.getByLabel("show").selectOption("regret");
    await box("log y").check();
    found.regret = await read();
    const switched = page.locator("#play-figures-values caption", { hasText: "σ = 1" }).waitFor();
    await page.getByLabel("experiment").selectOption("high_noise");
    await switched;
    found.high = await read();
    return found;
  },
  async replay(page) {
    const read = async () => ({ said: await text(page, "#play-replay-said"),
      sums: await text(page, "#play-replay-sums"), rows: await rows(page, "#play-replay-sums"),
      arms: await page.$$eval(".play-arm", (all) => all.map((arm) => arm.innerText)),
      taken: await page.$$eval(".play-arm", (all) =>
        all.findIndex((arm) => arm.classList.contains("play-taken"))) });
    const found = { start: await read() };
    const step = page.getByLabel("step t", { exact: true });
    await step.press("ArrowRight");
    found.right = await read();
    await press(page, "step 1");
    await press(page, "next random step");
    found.random = await read();
    await page.getByLabel("method").selectOption("simple");
    await press(page, "step 700");
    found.simple = await read();
    await page.getByLabel("method").selectOption("linucb");
    await press(page, "the end");
    found.linucb = await read();
    found.regret = (await series(page, "#play-replay-chart")).first;
    await press(page, "step 1");
    await press(page, "play");
    await page.waitForFunction(() => !document.querySelector("#play-replay-said").innerText
      .startsWith("Step 1."), null, WAIT);
    await press(page, "pause");
    found.playing = await text(page, "#play-replay-said");
    return found;
  },
};

for (const name of Object.keys(acts)) {
  const still = await open(name, { javaScriptEnabled: false });
  const picture = still.locator(`#play-${name} img`);
  const without = { shown: await picture.isVisible(), alt: await picture.getAttribute("alt"),
    width: await picture.evaluate((i) => i.naturalWidth).catch(() => -1) };
  await still.context().close();
  const found = { without, widths: {}, axe: {} };
  for (const [width, colorScheme] of [[390, "dark"], [1400, "light"]]) {
    const page = await open(name, { viewport: { width, height: 900 }, colorScheme });
    await page.locator(".play-started").waitFor();
    if (width === 1400) found.acts = await acts[name](page);
    found.hidden = await page.locator(`#play-${name} figure img`).first().isHidden();
    found.widths[width] = await page.evaluate(() => document.documentElement.scrollWidth);
    await page.evaluate(axe);
    found.axe[colorScheme] = await page.evaluate((id) => window.axe.run(`#play-${id}`, { preload: false }).then((r) =>
      r.violations.filter((v) => ["serious", "critical"].includes(v.impact))
        .map((v) => `${v.id}: ${v.nodes[0].html}`)), name);
    await page.context().close();
  }
  seen.pages[name] = found;
}
await browser.close();
console.log(JSON.stringify(seen));
