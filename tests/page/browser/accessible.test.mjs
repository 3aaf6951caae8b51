// axe finds nothing wrong, dark or light, wide or narrow, with a case open; tables and pictures tell
// what they are to those who do not see them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe_source, launch, open, see_all } from "../lib/browser.mjs";
import { path_of } from "../lib/pages.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function scan(page) {
  await page.addScriptTag({ path: axe_source });
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(
    (one) =>
      `${one.id} (${one.impact}): ${one.nodes
        .slice(0, 3)
        .map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? node.failureSummary ?? ""}`)
        .join(" | ")}`,
  );
}

for (const [name, colorScheme, width] of [
  ["comparison", "light", 1440],
  ["comparison", "dark", 1440],
  ["comparison", "light", 360],
  ["run", "light", 1440],
  ["run", "dark", 360],
]) {
  test(`axe is content with the page of a ${name}, ${colorScheme}, ${width} wide`, async () => {
    // The page's own policy forbids axe to be put in.
    const { page, close } = await open(browser, path_of(name), {
      colorScheme,
      viewport: { width, height: 900 },
      bypassCSP: true,
    });
    await page.click("table.cases .opener");
    await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
    await page.$$eval('button[aria-label^="Numbers"]', (all) => all.forEach((one) => one.click()));
    await see_all(page);
    assert.deepEqual(await scan(page), []);
    await close();
  });
}

test("every picture has a name, words and numbers", async () => {
  const { page, close } = await open(browser, path_of("run"));
  const pictures = await page.$$eval(".picture", (all) =>
    all.map((one) => ({
      role: one.getAttribute("role"),
      name: one.getAttribute("aria-label"),
      words: document.getElementById(one.getAttribute("aria-describedby")).textContent,
      numbers: one.closest("figure").querySelector('button[aria-label^="Numbers"]') !== null,
    })),
  );
  assert.ok(pictures.length >= 5);
  for (const one of pictures) {
    assert.equal(one.role, "img");
    assert.ok(one.name.length > 5 && one.words.length > 40 && one.numbers, JSON.stringify(one));
  }
  await close();
});

test("landmarks, a skip link and a visible focus are there", async () => {
  const { page, close } = await open(browser, path_of("comparison"));
  for (const mark of ["header", "nav[aria-label]", "main", "footer", "h1"])
    assert.equal((await page.$$(mark)).length, 1, mark);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the verdict");
  for (const selector of ["#filter", "th.col-case button", "table.cases .opener", ".chip"]) {
    await page.focus(selector);
    await page.keyboard.press("Shift");
    const outline = await page.$eval(selector, (one) => getComputedStyle(one).outlineStyle);
    assert.notEqual(outline, "none", selector);
  }
  await close();
});
