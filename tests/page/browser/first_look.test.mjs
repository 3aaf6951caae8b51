// The first look: the answer and a picture of the worst cases, with its marks where the data say, before any table;
// the rest folded away. Checked on what is drawn, down to the pixels.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe_source, launch, open, pixels, see_all } from "../lib/browser.mjs";
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

const near = (one, other, by, what) => assert.ok(Math.abs(one - other) <= by, `${what}: ${one}, not ${other}`);
const apart = (one, other) => Math.hypot(...one.map((value, at) => value - other[at]));
const red = [163, 49, 0]; // --bad, light

// The picture's lines as drawn: where zero and one percent lie by the labels, and the marks of each line.
function drawn_lines(page) {
  return page.evaluate(() => {
    const middle = (one) => {
      const box = one.getBoundingClientRect();
      return box.left + box.width / 2;
    };
    const labels = [...document.querySelectorAll(".scale .ticks span")].map((one) => ({
      percent: Number(one.textContent.replace("−", "-").replace(" %", "")),
      x: middle(one),
    }));
    const box = (one) =>
      one && (({ left, right, top, bottom }) => ({ left, right, top, bottom }))(one.getBoundingClientRect());
    const lines = [...document.querySelectorAll(".worst-cases li")].map((line) => ({
      case: line.querySelector("a").title,
      point: middle(line.querySelector(".point")),
      range: box(line.querySelector("line.range")),
      band: box(line.querySelector(".band")),
      row: box(line.querySelector(".marks")),
    }));
    return { labels, lines };
  });
}

for (const width of [1440, 390]) {
  test(`the marks lie where the data say, ${width} wide`, () =>
    visit(path_of("comparison"), { viewport: { width, height: 900 } }, async (page) => {
      const { cases } = document_in("comparison").comparison;
      const { labels, lines } = await drawn_lines(page);
      assert.ok(labels.length >= 3);
      assert.deepEqual(
        lines.map((line) => line.case),
        cases.map((row) => row.case),
      );
      const [first, last] = [labels[0], labels.at(-1)];
      const a_percent = (last.x - first.x) / (last.percent - first.percent);
      const x = (ratio) => first.x + ((ratio - 1) * 100 - first.percent) * a_percent;
      cases.forEach((row, at) => {
        near(lines[at].point, x(row.ratio), 1.2, `the change of ${row.case}`);
        near(lines[at].range.left, x(row.interval[0]), 1.5, `the lower bound of ${row.case}`);
        near(lines[at].range.right, x(row.interval[1]), 1.5, `the upper bound of ${row.case}`);
        near(lines[at].band.left, x(1 - row.margin), 1.2, "the margin");
        near(lines[at].band.right, x(1 + row.margin), 1.2, "the margin");
      });
      const seen = await pixels(page);
      const { row, point, band, range } = lines[0];
      const y = (row.top + row.bottom) / 2;
      assert.ok(apart(seen.colour_at(point, y), red) < 30, `the mark is ${seen.colour_at(point, y)}`);
      assert.ok(apart(seen.colour_at(range.left + 4, y), red) < 60, "the bar");
      assert.deepEqual(seen.colour_at((band.right + range.left) / 2, y), [255, 255, 255]);
      assert.ok(seen.colour_at(band.left + 4, y)[0] < 240, "the band is shaded");
    }));
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
    assert.deepEqual(await page.$$eval("tr.detail .case-name", (all) => all.map((one) => one.textContent)), [
      "gemm2048/mode=hot",
    ]);
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

test("a run without a comparison has no green bar", () =>
  visit(path_of("run"), {}, async (page) => {
    const { left, top, bottom } = await page.$eval("#verdict", (one) => one.getBoundingClientRect().toJSON());
    const [r, g, b] = (await pixels(page)).colour_at(left + 4, Math.min(880, (top + bottom) / 2));
    assert.ok(g - r < 12 && Math.abs(g - b) < 24, `the bar is ${[r, g, b]}`);
    assert.ok(await page.isVisible("#verdict figure"), "its picture is that of the speedups");
  }));

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
      assert.equal((await pixels(page, { fullPage: true })).width, 390);
    });
});

test("dark is dark, and the marks stay visible", () =>
  visit(path_of("comparison"), { colorScheme: "dark" }, async (page) => {
    const seen = await pixels(page);
    assert.ok(Math.max(...seen.colour_at(4, 400)) < 50, `the ground is ${seen.colour_at(4, 400)}`);
    const { row, point, band } = (await drawn_lines(page)).lines[0];
    const y = (row.top + row.bottom) / 2;
    assert.ok(apart(seen.colour_at(point, y), seen.colour_at(band.right + 12, y)) > 120);
    assert.ok(apart(seen.colour_at(band.left + 4, y), seen.colour_at(band.right + 12, y)) > 12, "the band");
  }));

test("twelve phases have twelve colours", async () => {
  const run = document_in("run");
  run.current.details.forEach((one) => {
    one.phases = [{ process: 1, seconds: Object.fromEntries([...Array(12).keys()].map((at) => [`phase ${at}`, 1])) }];
  });
  await visit(write_page("phases", run), {}, async (page) => {
    const picture = page.locator('.picture[aria-label^="Set-up"]');
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector('.picture[aria-label^="Set-up"] svg'));
    const seen = await pixels(page, { clip: await picture.boundingBox() });
    const runs = (y) => {
      const found = [];
      for (let x = 0, length = 0; x < seen.width; ++x) {
        length = x > 0 && apart(seen.colour_at(x, y), seen.colour_at(x - 1, y)) < 6 ? length + 1 : 0;
        const colour = seen.colour_at(x, y);
        if (length === 8 && Math.min(...colour) < 200 && found.every((one) => apart(one, colour) > 15))
          found.push(colour);
      }
      return found.length;
    };
    assert.equal(Math.max(...Array.from({ length: seen.height }, (_, y) => runs(y))), 12);
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

test("paper holds every column and row, opened details, and nothing is cut", async () => {
  const paper = 703; // A4 within its margins
  for (const name of ["comparison", "run"])
    await visit(path_of(name), { colorScheme: "dark" }, async (page) => {
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: paper, height: 1000 });
      const { heads, hidden, wide, rows } = await page.evaluate((most) => {
        const heads = [...document.querySelectorAll("table.cases thead th")];
        const seen = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility());
        return {
          heads: heads.map((one) => one.innerText.trim()),
          hidden: heads.filter((one) => !one.checkVisibility()).length,
          wide: seen
            .filter((one) => !one.closest(".offscreen") && one.getBoundingClientRect().right > most + 0.5)
            .map((one) => `${one.tagName} ${one.className?.baseVal ?? one.className}`),
          rows: [...document.querySelectorAll("table.cases .opener")].filter((one) => one.checkVisibility()).length,
        };
      }, paper);
      assert.equal(hidden, 0);
      assert.ok(heads.length >= 10 && heads.every((text) => text.length > 1), heads.join());
      assert.deepEqual(wide, []);
      assert.equal(rows, name === "comparison" ? 8 : 30);
      assert.ok(await page.isVisible("#environment .facts"));
      const seen = await pixels(page);
      assert.ok(Math.min(...seen.colour_at(2, 990)) > 150, "paper is light");
      const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
      assert.ok((pdf.match(/\/Type \/Page\b/g) ?? []).length >= 2);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      assert.equal(await page.isVisible("#environment .facts"), false, "and folds again");
    });
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
    const top = await page.$eval("#suite-2", (one) => one.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 200, `the suite lies at ${top}`);
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
