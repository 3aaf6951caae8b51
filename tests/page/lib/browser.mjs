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
  await next_frame(page);
  return { page, troubles, close: () => context.close() };
}

// The page has worked on its layout and begun a new frame.
export function next_frame(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// Shows each picture until it is drawn. The number of frames is a bound: a test of its own counts the pictures.
export function see_all(page) {
  return page.evaluate(async () => {
    for (const picture of document.querySelectorAll(".picture")) {
      if (!picture.checkVisibility() || picture.querySelector("svg")) continue;
      picture.scrollIntoView();
      for (let frames = 0; frames < 200 && !picture.querySelector("svg"); ++frames)
        await new Promise(requestAnimationFrame);
    }
    scrollTo(0, 0);
  });
}

// Repeats a check until it passes: what a click or a new medium causes comes a little later. The number of tries is a
// bound, not a timing; the last try's failure is the test's.
export async function eventually(check, tries = 100) {
  for (; tries > 1; --tries) {
    try {
      return await check();
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  return check();
}

// The verdicts, or any other column's words, of the rows that are shown.
export function column(page, key) {
  return page.$$eval(`table.cases > tbody > tr:not(.detail):not([hidden]) > .col-${key}`, (cells) =>
    cells.map((cell) => cell.textContent.trim()),
  );
}

// Takes pictures of a part of the screen until `check` passes, because a frame may be drawn after the page changed.
// `check` is given a function: colour_at(x, y) is [red, green, blue], at a place on the screen.
export function on_screen(page, clip, check) {
  return eventually(async () => {
    const left = Math.floor(clip.x);
    const top = Math.floor(clip.y);
    const [width, height] = [Math.ceil(clip.width), Math.ceil(clip.height)];
    const png = await page.screenshot({ clip: { x: left, y: top, width, height } });
    const bytes = Buffer.from(await colours_of(page.context().browser(), png), "base64");
    const colour_at = (x, y) => {
      const at = 4 * ((Math.round(y) - top) * width + Math.round(x) - left);
      return [...bytes.subarray(at, at + 3)];
    };
    await check(colour_at);
  });
}

// The picture's colours, four bytes a pixel, in base64.
async function colours_of(browser, png) {
  const blank = await browser.newPage();
  const colours = await blank.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const ink = new OffscreenCanvas(image.width, image.height).getContext("2d");
    ink.drawImage(image, 0, 0);
    const { data } = ink.getImageData(0, 0, image.width, image.height);
    const texts = [];
    for (let at = 0; at < data.length; at += 8192) texts.push(String.fromCharCode(...data.subarray(at, at + 8192)));
    return btoa(texts.join(""));
  }, `data:image/png;base64,${png.toString("base64")}`);
  await blank.close();
  return colours;
}
