// The first look: the answer and a picture of the worst cases before any table; the rest folded away.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe_source, eventually, launch, open, see_all } from "../lib/browser.mjs";
import { document_in, path_of, write_page, write_several } from "../lib/pages.mjs";

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

test("the answer and the picture stand on the first screen, before any table; the environment is folded", () =>
  visit(path_of("comparison"), {}, async (page) => {
    const bottom = (selector) => page.$eval(selector, (one) => one.getBoundingClientRect().bottom);
    const top = (selector) => page.$eval(selector, (one) => one.getBoundingClientRect().top);
    assert.ok((await bottom("h1")) < (await top(".worst-cases ol")));
    assert.ok((await bottom(".worst-cases")) < 700);
    assert.ok((await bottom(".worst-cases")) < (await top("table")));
    const order = await page.$$eval("main > section", (all) => all.map((one) => one.id));
    assert.deepEqual(order, ["verdict", "cases", "suite", "environment"]);
    assert.equal(await page.isVisible("#environment .facts"), false);
    await page.click('header a[href="#environment"]');
    await page.waitForFunction(() => document.querySelector("#environment details").open);
    assert.equal(await page.isVisible("#environment .facts"), true);
  }));

test("a mark's name leads to its case; listeners hear what the picture shows", () =>
  visit(path_of("comparison"), {}, async (page) => {
    const pictures = await page.$$eval(".worst-cases .marks", (all) =>
      all.map((one) => [one.getAttribute("role"), one.getAttribute("aria-label")]),
    );
    assert.ok(pictures.every(([role]) => role === "img"));
    assert.match(pictures[0][1], /90 % interval \+1.10 % to \+1.91 %, all of it beyond the margin of ±0.5 %/);
    assert.match(pictures.at(-1)[1], /within the margin/);
    await page.focus(".worst-cases li:nth-child(5) a");
    await page.keyboard.press("Enter");
    await eventually(async () =>
      assert.deepEqual(await page.$$eval("tr.detail .case-name", (all) => all.map((one) => one.textContent)), [
        "gemm2048/mode=hot",
      ]),
    );
  }));

test("unchanged, identical, skipped and informative rows are folded with their counts", async () => {
  const many = document_in("comparison");
  const { cases } = many.comparison;
  cases[3].verdict = "identical";
  cases[4].verdict = "skipped";
  cases[1].informative = true;
  await visit(write_page("folds", many), {}, async (page) => {
    const heads = () => page.$$eval(".fold-head button", (all) => all.map((one) => one.textContent));
    const rows = () => page.$$eval("table.cases .opener", (all) => all.filter((one) => one.checkVisibility()).length);
    assert.deepEqual(await heads(), ["3 unchanged", "1 identical", "1 skipped", "1 informative"]);
    assert.equal(await rows(), 2);
    await page.focus(".fold-head button");
    await page.keyboard.press("Enter");
    assert.equal(await rows(), 5);
    assert.equal(await page.getAttribute(".fold-head button", "aria-expanded"), "true");
    await page.keyboard.press("Enter");
    assert.equal(await rows(), 2);
    await page.fill("#filter", "gemm");
    assert.equal(await rows(), 4, "a filter unfolds");
  });
});

test("nothing goes beyond a telephone of 390 pixels", async () => {
  for (const path of [path_of("comparison"), path_of("run"), write_several("phone")])
    await visit(path, { viewport: { width: 390, height: 844 } }, async (page) => {
      await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
      for (const button of await page.$$(".fold-head button")) await button.click();
      await page.click("table.cases .opener");
      await see_all(page);
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll("body *")]
          .filter((one) => one.checkVisibility() && !one.closest(".scrolling, .offscreen, [hidden]"))
          .filter((one) => one.getBoundingClientRect().right > 390.5)
          .map(
            (one) =>
              `${one.tagName} ${one.className?.baseVal ?? one.className} ${one.textContent.slice(0, 40)} ${one.closest(".picture")?.ariaLabel}`,
          ),
      );
      assert.deepEqual(wide, []);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    });
});

test("far outliers are clipped, and counted in the picture and below it", async () => {
  const far = document_in("comparison");
  const one = far.current.details.find((some) => some.case === "gelu/mode=hot").series[0].processes[0];
  one.deltas[5] += 300 * one.per_unit;
  one.deltas[6] -= 300 * one.per_unit;
  await visit(write_page("far", far), { hash: "#case=gelu%2Fmode%3Dhot" }, async (page) => {
    await see_all(page);
    const samples = page.locator("tr.detail .figure", { hasText: "Samples of each process" });
    assert.match(await samples.textContent(), /▸ 1.*Clipped: \d+ far outliers? beyond the axis/s);
  });
});

test("no chart of quality where the quality is the same", async () => {
  const run = document_in("run");
  const charts = (page) =>
    page.$$eval("#suite h3", (all) => all.filter((one) => one.textContent === "Quality against time").length);
  await visit(path_of("run"), {}, async (page) => assert.equal(await charts(page), 1));
  for (const { verification } of run.current.report.cases)
    if (verification) verification.before = verification.after = 1e-4;
  await visit(write_page("same", run), {}, async (page) => assert.equal(await charts(page), 0));
});

test("several suites stand on one page, with a list that leads to each", async () => {
  const path = write_several("several");
  await visit(path, { bypassCSP: true }, async (page) => {
    assert.match(await page.textContent("h1"), /2 of 3 suites did not pass/);
    const listed = await page.$$eval(".contents li", (all) => all.map((one) => one.textContent));
    assert.equal(listed.length, 3);
    assert.match(listed[2], /smoke/);
    assert.deepEqual(await page.$$eval(".contents a", (all) => all.map((one) => one.getAttribute("href"))), [
      "#suite-1",
      "#suite-2",
    ]);
    const ids = await page.$$eval("[id]", (all) => all.map((one) => one.id));
    assert.equal(new Set(ids).size, ids.length, "an id stands twice");
    await page.click('.contents a[href="#suite-2"]');
    await eventually(async () => {
      const top = await page.$eval("#suite-2", (one) => one.getBoundingClientRect().top);
      assert.ok(top >= 0 && top < 200, `the suite lies at ${top}`);
    });
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "suite-2-filter");
    await page.addScriptTag({ path: axe_source });
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    assert.deepEqual(
      violations.map((one) => `${one.id}: ${one.nodes[0].target}`),
      [],
    );
  });
  const hash = "#case=gelu%2Fmode%3Dhot&metric=gpu_time&suite=probe";
  await visit(path, { hash }, async (page) =>
    assert.deepEqual(await page.$$eval("tr.detail .case-name", (all) => all.map((one) => one.textContent)), [
      "gelu/mode=hot",
    ]),
  );
});
