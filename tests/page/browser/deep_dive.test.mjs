// The deep dive of the pinned records of an H200, and the sample of another day: claims first, a chapter a suite, the
// list of pictures, environments last.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe_source, eventually, launch, open, see_all } from "../lib/browser.mjs";
import { documents_in, hostile_document, path_of, write_page, write_sample } from "../lib/pages.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function visit(path, options, work) {
  const { page, troubles, close } = await open(browser, path, options);
  await work(page);
  assert.deepEqual(troubles, []);
  await close();
}

const sections = (page) => page.$$eval("main > section", (all) => all.map((one) => one.id));
const pictures = (page) =>
  page.$$eval("#pictures li", (all) =>
    all.map((one) => [one.className, one.textContent, one.querySelectorAll("a").length]),
  );

test("claims come first, then chapters, pictures and environments; the contents lead to each", () =>
  visit(path_of("deep"), {}, async (page) => {
    assert.deepEqual(await sections(page), [
      ...["verdict", "suite-1", "suite-2", "suite-3", "suite-4", "pictures"],
      ...["suite-2-environment", "suite-3-environment", "suite-4-environment"],
    ]);
    const targets = await page.$$eval("#verdict .contents a", (all) => all.map((one) => one.getAttribute("href")));
    assert.deepEqual(targets, ["#suite-1", "#suite-2", "#suite-3", "#suite-4"]);
    const claims = await page.$$eval("table.claimed > tbody > tr", (all) => all.map((one) => one.innerText));
    const [, claimed] = documents_in("deep");
    assert.equal(claims.length, claimed.claims.length);
    const fused = claims.find((text) => text.includes("15.2x faster"));
    for (const words of ["15.2x or more", "refuted", "excellent", "fusion"]) assert.ok(fused.includes(words), words);
    assert.match(await page.textContent("h1"), /3 suites; \d+ claims: \d+ confirmed, \d+ refuted, \d+ open/);
  }));

test("a picture without data is not drawn, and its suite is named", () =>
  visit(path_of("deep"), {}, async (page) => {
    const lines = await pictures(page);
    assert.equal(lines.length, 10);
    const line = (title) => lines.find(([, text]) => text.startsWith(title));
    assert.match(line("Loss by mode")[1], /quantization/);
    assert.equal(line("Loss by mode")[0], "not-drawn");
    assert.deepEqual(line("Speedups of fusion").slice(1), ["Speedups of fusion: fusion", 1]);
    assert.equal(line("Tensor Cores")[2], 1);
    assert.match(line("Distributions of samples")[1], /no record here has samples/);
    const missing = await page.$$eval(".missing > h3", (all) =>
      all.filter((one) => one.checkVisibility()).map((one) => one.textContent),
    );
    const without_samples = ["Samples of each variant", "Set-up, first call and steady time"];
    assert.deepEqual(
      missing.filter((title) => !without_samples.includes(title)),
      [],
      "a pin holds neither samples nor phases",
    );
  }));

test("a link to a case opens the chapter's folded table", () =>
  visit(path_of("deep"), {}, async (page) => {
    assert.equal(await page.locator("table.cases").count(), 0);
    const [, , first] = documents_in("deep");
    const { suite, cases } = first.current.report;
    const words = { case: cases[0].case, metric: cases[0].metric, suite: suite.name };
    const fields = Object.entries(words).map(([key, text]) => `${key}=${encodeURIComponent(text)}`);
    await page.evaluate((hash) => (location.hash = hash), fields.join("&"));
    await eventually(async () => assert.equal(await page.$$eval("tr.detail", (all) => all.length), 1));
    assert.equal(await page.isVisible("tr.detail"), true);
  }));

test("it stays below 2 MB, and nothing goes beyond a telephone", async (context) => {
  assert.ok(statSync(path_of("deep")).size < 2_000_000);
  for (const width of [1440, 390])
    await visit(path_of("deep"), { viewport: { width, height: 844 } }, async (page) => {
      const ready = await page.evaluate(() => performance.getEntriesByName("harness-interactive")[0].startTime);
      context.diagnostic(`interactive after ${Math.round(ready)} ms, ${width} wide`);
      await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
      await eventually(async () => assert.equal(await page.locator("table.cases").count(), 3));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} wide on ${width}`);
    });
});

test("paper holds every claim and picture, and nothing is cut", () =>
  visit(path_of("deep"), { colorScheme: "dark" }, async (page) => {
    const paper = 703; // A4 within its margins
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: paper, height: 1000 });
    const { wide, empty } = await page.evaluate((most) => {
      const seen = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility());
      const beyond = (one) => !one.closest(".offscreen") && one.getBoundingClientRect().right > most + 0.5;
      return {
        wide: seen.filter(beyond).map((one) => `${one.tagName} ${one.className?.baseVal ?? one.className}`),
        empty: seen.filter((one) => one.matches(".picture") && !one.querySelector("svg")).length,
      };
    }, paper);
    assert.deepEqual(wide, []);
    assert.equal(empty, 0);
    assert.ok(await page.isVisible("#suite-2-environment .facts"));
  }));

for (const width of [1440, 390])
  test(`axe is content, ${width} wide`, () =>
    visit(path_of("deep"), { viewport: { width, height: 900 }, bypassCSP: true }, async (page) => {
      await page.$$eval(".claims details", (all) => all.forEach((one) => (one.open = true)));
      await page.addScriptTag({ path: axe_source });
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(
        violations.map((one) => `${one.id}: ${one.nodes[0].target} ${one.nodes[0].any[0]?.message ?? ""}`),
        [],
      );
    }));

test("the sample of an H200 opens with today's page, all ten pictures drawn", () =>
  visit(write_sample("sample"), {}, async (page) => {
    const lines = await pictures(page);
    assert.deepEqual(
      lines.map(([how]) => how),
      Array(10).fill("drawn-here"),
    );
    const stages = page.locator('[data-picture="stages"]');
    await stages.scrollIntoViewIfNeeded();
    await eventually(async () => assert.equal(await stages.locator(".picture svg").count(), 1));
    assert.match(await stages.innerText(), /relative to library, .*fp8_graph is .*× as fast/);
    await see_all(page);
    const [drawn, all] = await page.$$eval(".picture", (some) => {
      const seen = some.filter((one) => one.checkVisibility());
      return [seen.filter((one) => one.querySelector("svg")).length, seen.length];
    });
    assert.equal(drawn, all);
    assert.ok(all > 60, `${all} pictures`);
  }));

test("hostile claims stay text", async () => {
  const [contents, claims, first] = documents_in("deep");
  claims.claims = claims.claims.slice(0, 3).map((one) => ({
    ...hostile_document(one, ["figure", "status", "interval"]),
    status: one.status,
    cases: one.cases.slice(0, 3).map((pair) => hostile_document(pair, ["status"])),
  }));
  contents.parts = contents.parts.slice(0, 2);
  await visit(write_page("hostile-claims", contents, claims, first), {}, async (page) => {
    await see_all(page);
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    assert.equal(await page.$$eval("img, iframe, main script", (all) => all.length), 0);
  });
});
