// Opens pages of the book in headless Chromium and prints what is wrong with them, as JSON lines.
// node book/browse.mjs CHROMIUM FOLDER PAGE...   (pages are paths under FOLDER, which is served here)
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [, , executablePath, root, ...pages] = process.argv;
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript",
  ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png",
  ".woff2": "font/woff2", ".woff": "font/woff", ".wasm": "application/wasm",
};
const VIEWS = [390, 800, 1400].flatMap((width) => ["light", "dark"].map((scheme) => ({ width, scheme })));

const server = http.createServer((request, answer) => {
  const name = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const file = path.join(root, name.endsWith("/") ? name + "index.html" : name);
  fs.readFile(file, (error, bytes) => {
    answer.writeHead(error ? 404 : 200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
    answer.end(bytes);
  });
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const base = `http://127.0.0.1:${server.address().port}/`;

// What only the page itself can tell, once everything on it is drawn.
const look = () => {
  const shown = (element) => element.outerHTML.slice(0, 120);
  const outside = (node) => node.parentElement?.closest("pre, code, script, style, mjx-container") === null;
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector("article") ?? document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (outside(walker.currentNode)) texts.push(walker.currentNode.data);
  return {
    title: document.title,
    formulas: document.querySelectorAll("mjx-container").length,
    raw: texts.filter((text) => /\\[([]|\$[^$\n]+\$|@@\w+@@|^\s*\|.*\|\s*$/m.test(text)).map((text) => text.slice(0, 120)),
    wrong: [...document.querySelectorAll("mjx-merror, [data-mjx-error]")].map(shown),
    waiting: [...document.querySelectorAll("span.math, div.math")].filter((e) => !e.querySelector("mjx-container")).map(shown),
    pictures: document.images.length,
    broken: [...document.images].filter((image) => image.complete && image.naturalWidth === 0).map(shown),
    silent: [...document.images].filter((image) => !image.alt.trim() && image.getAttribute("role") !== "presentation").map(shown),
    wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
  };
};

// A page is loaded once, narrow, and then darkened and widened. axe takes most of the time: it reads
// the whole page once light and once dark, and in the other wide view what stands beside the article.
const READ = { "390 light": {}, "1400 light": { exclude: ["article"] }, "1400 dark": {} };
const audit = async (context) => {
  const { violations } = await axe.run({ include: ["html"], ...context }, { resultTypes: ["violations"], preload: false });
  return violations.filter((one) => ["serious", "critical"].includes(one.impact)).map(({ id, nodes }) => ({
    rule: id, first: nodes[0].html.slice(0, 160), at: String(nodes[0].target),
    why: nodes[0].failureSummary.slice(0, 300), nodes: nodes.length,
  }));
};

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: VIEWS[0].width, height: 900 } });
for (const name of pages) {
  const page = await context.newPage();
  const loading = { outside: [], missing: [], errors: [] };
  await page.route("**/*", (route) => {
    const url = route.request().url();
    if (url.startsWith(base) || /^(data|blob):/.test(url)) return route.continue();
    loading.outside.push(url);
    return route.abort();
  });
  page.on("response", (response) => response.status() >= 400 && loading.missing.push(response.url().slice(base.length)));
  page.on("console", (message) => message.type() === "error" && loading.errors.push(message.text()));
  page.on("pageerror", (error) => loading.errors.push(String(error)));
  await page.goto(base + name, { waitUntil: "load", timeout: 600_000 });
  await page.evaluate(() => window.MathJax?.startup?.promise);
  await page.evaluate(() => Promise.all([...document.images].map((image) => {
    image.loading = "eager";
    return image.decode().catch(() => {});
  })));
  await page.addScriptTag({ path: axe });
  for (const { width, scheme } of VIEWS) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    const found = { page: name, width, scheme, ...loading, ...(await page.evaluate(look)) };
    const read = READ[`${width} ${scheme}`];
    found.axe = read ? await page.evaluate(audit, read) : [];
    console.log(JSON.stringify(found));
  }
  await page.close();
}
await browser.close();
server.close();
