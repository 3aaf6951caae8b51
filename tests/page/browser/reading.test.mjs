// A person reads the page of a red build: sorts, filters, opens a case, follows a link, prints.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { column, eventually, launch, open, see_all } from "../lib/browser.mjs";
import { path_of } from "../lib/pages.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function visit(name, options, work) {
  const { page, troubles, close } = await open(browser, path_of(name), options);
  await work(page);
  assert.deepEqual(troubles, []);
  await close();
}

const opened = (page) => page.$$eval("tr.detail .case-name", (names) => names.map((name) => name.textContent));

test("the verdict comes first, with the exit code and what to do", () =>
  visit("comparison", {}, async (page) => {
    assert.match(await page.textContent("h1"), /regressed.*2 of 8 cases/i);
    const said = await page.textContent("#verdict");
    assert.match(said, /Exit code 1: at least one case regressed/);
    assert.match(said, /2 regressed, 1 inconclusive, 5 unchanged/);
    assert.match(said, /What to do next/);
    assert.equal(await page.$eval("main > section", (section) => section.id), "verdict");
  }));

test("nothing is asked of a network, and nothing goes wrong, when everything is drawn", () =>
  visit("run", {}, async (page) => {
    await see_all(page);
    assert.ok((await page.$$(".picture svg")).length >= 5);
  }));

test("a suite tells its speedups over all shapes and the shares of the measured ceiling", () =>
  visit("run", {}, async (page) => {
    await see_all(page);
    assert.match(await page.textContent("#over-shapes"), /geometric mean.*\d\.\d+× \[\d\.\d+, \d\.\d+\]/s);
    const titles = await page.$$eval("#suite h3", (all) => all.map((one) => one.textContent));
    assert.ok(
      titles.some((title) => title.startsWith("Share of the measured ceiling by size: linear_gelu")),
      titles.join(),
    );
  }));

test("no table of speedups stands where there are none", () =>
  visit("comparison", {}, async (page) => assert.equal((await page.$$("#over-shapes")).length, 0)));

test("the table is worst first, and sorts by any column both ways", () =>
  visit("comparison", {}, async (page) => {
    const order = { regressed: 0, inconclusive: 1, unchanged: 2 };
    const verdicts = (await column(page, "verdict")).map((text) => order[text.replace(/[^a-z]/g, "")]);
    assert.deepEqual(verdicts, [0, 0, 1, 2, 2, 2, 2, 2]);
    // Folded rows are sorted among themselves.
    const changes = async () => {
      const all = (await column(page, "change")).map((text) => Number(text.replace("−", "-").replace(" %", "")));
      return [all.slice(0, 3), all.slice(3)];
    };
    const ascending = (groups) => groups.map((list) => [...list].sort((left, right) => left - right));
    await page.click("th.col-change button");
    assert.equal(await page.getAttribute("th.col-change", "aria-sort"), "descending");
    assert.deepEqual(
      await changes(),
      ascending(await changes()).map((list) => list.reverse()),
    );
    await page.click("th.col-change button");
    assert.equal(await page.getAttribute("th.col-change", "aria-sort"), "ascending");
    assert.deepEqual(await changes(), ascending(await changes()));
    await page.click("th.col-case button");
    assert.equal(await page.getAttribute("th.col-change", "aria-sort"), null);
    const names = await page.$$eval("table.cases .opener", (buttons) => buttons.map((button) => button.textContent));
    const by_name = (list) => [...list].sort((left, right) => left.localeCompare(right, "en", { numeric: true }));
    assert.deepEqual(names, [...by_name(names.slice(0, 3)), ...by_name(names.slice(3))]);
  }));

test("words and verdicts filter, and the count says so", () =>
  visit("comparison", {}, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("GEMM hot");
    assert.equal((await column(page, "verdict")).length, 2);
    assert.match(await page.textContent(".count"), /2 of 8 rows/);
    await page.click('.chip[data-state="inconclusive"]');
    assert.deepEqual(
      await page.$$eval("table.cases tr:not([hidden]) .opener", (all) => all.map((one) => one.textContent)),
      ["gemm4096/mode=hot"],
    );
    assert.equal(await page.getAttribute('.chip[data-state="inconclusive"]', "aria-pressed"), "true");
    await page.fill("#filter", "no such case");
    assert.match(await page.textContent(".count"), /no case fits/);
    await page.fill("#filter", "");
    assert.equal((await column(page, "verdict")).length, 1);
  }));

test("a case opens, shows its evidence and closes by keyboard alone", () =>
  visit("comparison", {}, async (page) => {
    await page.focus("#filter");
    for (
      let presses = 0;
      presses < 30 && !(await page.evaluate(() => document.activeElement.classList.contains("opener")));
      ++presses
    )
      await page.keyboard.press("Tab");
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.deepEqual(await opened(page), ["gelu/mode=cold"]);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "true");
    assert.match(decodeURIComponent(await page.evaluate(() => location.href)), /#case=gelu\/mode=cold&metric=gpu_time$/);
    await see_all(page);
    assert.equal((await page.$$("tr.detail .picture svg")).length, 4);
    const told = await page.textContent("tr.detail");
    for (const words of [
      "90 % interval",
      "minimum detectable",
      "raw",
      "adjusted",
      "8 baseline, 8 current",
      "Kernels",
      "Measure it again",
      "All 4,000 samples are drawn",
    ])
      assert.ok(told.includes(words), words);
    await page.keyboard.press("Escape");
    assert.deepEqual(await opened(page), []);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "gelu/mode=cold");
  }));

test("a link leads to its case, even one that comes later", () =>
  visit("comparison", { hash: "#case=gemm2048%2Fmode%3Dhot" }, async (page) => {
    assert.deepEqual(await opened(page), ["gemm2048/mode=hot"]);
    assert.ok(await page.isVisible("tr.detail .panel"));
    await page.fill("#filter", "copy");
    await page.evaluate(() => (location.hash = "#case=gelu%2Fmode%3Dhot&metric=gpu_time"));
    await page.waitForFunction(() => document.querySelectorAll("tr.detail").length === 2);
    assert.equal(await page.inputValue("#filter"), "", "a filter that hides the case gives way");
  }));

test("numbers of a picture can be had as a table", () =>
  visit("comparison", { hash: "#case=gelu%2Fmode%3Dhot" }, async (page) => {
    const button = page.locator("tr.detail .figure button", { hasText: "Numbers" }).nth(1);
    await button.click();
    assert.equal(await button.getAttribute("aria-expanded"), "true");
    assert.equal((await page.$$("tr.detail table.numbers tbody tr")).length, 16);
  }));

test("dark and light follow the system until somebody chooses", () =>
  visit("comparison", { colorScheme: "dark", hash: "#case=gelu%2Fmode%3Dhot" }, async (page) => {
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await theme(), "dark");
    const dark = await ground();
    await page.emulateMedia({ colorScheme: "light" });
    await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
    assert.notEqual(await ground(), dark);
    await page.selectOption('select[aria-label="Theme"]', "dark");
    assert.equal(await ground(), dark);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    assert.equal(await theme(), "dark", "the choice is remembered");
  }));

test("nothing is wider than the screen, from 4k to a telephone", async () => {
  for (const name of ["comparison", "run"])
    await visit(name, { viewport: { width: 3840, height: 900 } }, async (page) => {
      await page.click("table.cases .opener");
      await see_all(page);
      for (const width of [3840, 1280, 768, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await eventually(async () => {
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${name} is ${wide} wide at ${width}`);
        });
        assert.ok(await page.isVisible("table.cases .opener"));
      }
    });
});

test("print shows the opened case with its pictures, light, without controls", () =>
  visit("comparison", { colorScheme: "dark", hash: "#case=gelu%2Fmode%3Dhot" }, async (page) => {
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.isVisible(".filters"), false);
    assert.equal(await page.isVisible("header.top"), false);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    assert.equal((await page.$$("tr.detail .picture svg")).length, 4);
    const pdf = await page.pdf({ format: "A4" });
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  }));
