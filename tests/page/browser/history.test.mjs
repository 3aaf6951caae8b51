// The page of `harness history --report html=FILE`: charts over the commits with verdicts, to click on; on a phone and on paper.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe_source, eventually, launch, open, see_all } from "../lib/browser.mjs";
import { hostile, write_page } from "../lib/pages.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const commits = Array.from({ length: 20 }, (_, at) => [
  String(at).padStart(2, "0").repeat(20),
  `2026-11-${String(at + 1).padStart(2, "0")}T00:00:00Z`,
  at === 12 ? `step ${at} ${hostile[0]}` : `step ${at}`,
  `0000${String(at).padStart(2, "0")}00-0000-4000-8000-000000000000`,
]);
const center = commits.map((_, at) => (at < 12 ? 100 : 105) + (at % 3) * 0.01);
const slower = {
  case: `gelu/n=1 ${hostile[1]}`,
  metric: "gpu_time",
  unit: "us",
  device: "nvidia-h200 GPU-A",
  margin: 0.01,
  anchor: { name: "the oldest result", center: 100 },
  at: commits.map((_, at) => at),
  center,
  low: center.map((value) => value - 0.1),
  high: center.map((value) => value + 0.1),
  changes: [{ index: 12, ratio: 1.05, worse: true }],
  worse: true,
  informative: false,
  verdicts: commits.map((_, at) => (at === 0 ? "" : at === 12 ? "regressed" : at === 5 ? "inconclusive" : "unchanged")),
};
const flat = { ...slower, case: "copy/n=1", center: commits.map(() => 3e6), low: [], high: [], changes: [], worse: false };
const chart = () => ({
  format: "harness-history-chart",
  version: 1,
  headline: "WORSE: 1 of 5 series got worse since the anchor",
  suite: "demo",
  branch: "main",
  left_out: 7,
  commits,
  series: [slower, ...[1, 2, 3, 4].map((n) => ({ ...flat, case: `copy/n=${n}` }))],
});

async function visit(options, work) {
  const { page, troubles, close } = await open(browser, write_page("history", chart()), options);
  await work(page);
  assert.deepEqual(troubles, []);
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  await close();
}

test("the answer comes first, then the worst series with its chart; others are folded, and what is left out is told", () =>
  visit({}, async (page) => {
    assert.match(await page.textContent("h1"), /^WORSE: 1 of 5/);
    assert.match(await page.textContent("section.verdict > p"), /7 more have no room/);
    assert.equal(await page.locator("details.series-fold").count(), 5);
    assert.equal(await page.locator("details.series-fold[open]").count(), 3);
    assert.match(await page.textContent("details.series-fold:nth-of-type(1) summary"), /worse.*gelu/);
    assert.match(await page.textContent("details.series-fold:nth-of-type(2) summary"), /3\.000 s/, "a unit that a person reads");
    await see_all(page);
    assert.equal(await page.locator(".picture svg").count(), 3);
    await page.click("details.series-fold:nth-of-type(5) summary");
    await see_all(page);
    assert.equal(await page.locator(".picture svg").count(), 4);
  }));

test("a click on a point shows its commit, the verdict of its case and the command that compares it", () =>
  visit({}, async (page) => {
    await see_all(page);
    const card = page.locator("details.series-fold:nth-of-type(1) .commit-card");
    assert.match(await card.textContent(), /1212121212.*step 12.*judged: regressed.*\+4\.\d+ %/s, "the last change at first");
    const point = await page.evaluate(() => {
      // The marks of the points are the paths that are as many as the commits.
      const picture = document.querySelector(".picture");
      picture.scrollIntoView({ block: "center" });
      const marks = [...picture.querySelectorAll("svg path")].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width > 4 && box.width < 14 && box.height > 4 && box.height < 14;
      });
      const box = marks.sort((one, other) => one.getBoundingClientRect().left - other.getBoundingClientRect().left)[5]
        .getBoundingClientRect();
      return { x: box.left + box.width / 2, y: box.top + box.height / 2, marks: marks.length };
    });
    assert.equal(point.marks, commits.length);
    await page.mouse.click(point.x, point.y);
    await eventually(async () => assert.match(await card.textContent(), /0505050505.*judged: inconclusive/s));
    assert.match(
      await card.locator("code").textContent(),
      /^harness compare --baseline 00000400 --current 00000500$/,
    );
    // The keyboard has the same choice.
    await page.selectOption("details.series-fold:nth-of-type(1) select", "0");
    assert.match(await card.textContent(), /not judged.*harness report 00000000/s);
  }));

test("on a phone nothing is wider than the screen; on paper every chart is drawn", () =>
  visit({ viewport: { width: 390, height: 844 } }, async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390));
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await eventually(async () => assert.equal(await page.locator(".picture svg").count(), 5));
  }));

test("axe is content with it", () =>
  // The page's own policy forbids axe to be put in.
  visit({ bypassCSP: true }, async (page) => {
    await page.addScriptTag({ path: axe_source });
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    assert.deepEqual(
      violations.map((one) => [one.id, one.nodes[0]?.html]),
      [],
    );
  }));
