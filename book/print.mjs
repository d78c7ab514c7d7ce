// The whole book as one PDF: node print.mjs CHROMIUM PAGE.html OUT.pdf
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, page, out] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const tab = await browser.newPage();
tab.setDefaultTimeout(0); // a slow machine is no fault of the page
await tab.goto(pathToFileURL(page).href, { waitUntil: "load" });
await tab.evaluate(() => globalThis.MathJax.startup.promise);
// Folded parts cannot be opened on paper.
await tab.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
await tab.emulateMedia({ media: "print", colorScheme: "light" });
await tab.pdf({ path: out, format: "A4", outline: true, tagged: true, printBackground: true,
  margin: { top: "18mm", bottom: "18mm", left: "16mm", right: "16mm" } });
await browser.close();
