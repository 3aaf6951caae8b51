// One Chromium for a test file, and pages in it that remember what went wrong and what they asked for.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.TEST_BUILD, "package.json"));
const { chromium } = require("playwright-core");
export const axe_source = require.resolve("axe-core/axe.min.js");

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

// Opens a page file and waits until it is ready. `troubles` gathers console errors, exceptions and every
// request but that for the file itself.
export async function open(browser, path, { hash = "", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      troubles.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (problem) => troubles.push(`exception: ${problem.message}`));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== `file://${path}`) troubles.push(`request: ${request.url().slice(0, 200)}`);
  });
  await page.goto(`file://${path}${hash}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
  return { page, troubles, close: () => context.close() };
}

// Scrolls through the page so that every picture is drawn.
export async function see_all(page) {
  await page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 500) {
      scrollTo(0, y);
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
    scrollTo(0, 0);
  });
}

// The verdicts, or any other column's words, of the rows that are shown.
export function column(page, key) {
  return page.$$eval(`table.cases > tbody > tr:not(.detail):not([hidden]) > .col-${key}`, (cells) =>
    cells.map((cell) => cell.textContent.trim()),
  );
}

// The colours on the screen: colour_at(x, y) is [red, green, blue].
export async function pixels(page, options = {}) {
  const png = (await page.screenshot(options)).toString("base64");
  const blank = await page.context().browser().newPage();
  const { width, height, data } = await blank.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const ink = canvas.getContext("2d");
    ink.drawImage(image, 0, 0);
    const all = ink.getImageData(0, 0, image.width, image.height);
    return {
      width: all.width,
      height: all.height,
      data: btoa(all.data.reduce((text, one) => text + String.fromCharCode(one), "")),
    };
  }, `data:image/png;base64,${png}`);
  await blank.close();
  const bytes = Buffer.from(data, "base64");
  const colour_at = (x, y) => [
    ...bytes.subarray(4 * (Math.round(y) * width + Math.round(x)), 4 * (Math.round(y) * width + Math.round(x)) + 3),
  ];
  return { width, height, colour_at };
}
