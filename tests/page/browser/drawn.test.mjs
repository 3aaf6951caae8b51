// The drawing, down to the colours of the screen: the marks where the data say, dark, and on paper.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, on_screen, open } from "../lib/browser.mjs";
import { document_in, path_of, write_page } from "../lib/pages.mjs";

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
const clip_of = ({ left, right, top, bottom }) => ({ x: left, y: top, width: right - left, height: bottom - top });
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
      const { row, point, band, range } = lines[0];
      const y = (row.top + row.bottom) / 2;
      await on_screen(page, clip_of(row), (colour_at) => {
        assert.ok(apart(colour_at(point, y), red) < 30, `the mark is ${colour_at(point, y)}`);
        assert.ok(apart(colour_at(range.left + 4, y), red) < 60, "the bar");
        assert.deepEqual(colour_at((band.right + range.left) / 2, y), [255, 255, 255]);
        assert.ok(colour_at(band.left + 4, y)[0] < 240, "the band is shaded");
      });
    }));
}

test("a run without a comparison has no green bar", () =>
  visit(path_of("run"), {}, async (page) => {
    const { left, top, bottom } = await page.$eval("#verdict", (one) => one.getBoundingClientRect().toJSON());
    const [x, y] = [left + 4, Math.min(880, (top + bottom) / 2)];
    await on_screen(page, { x, y, width: 2, height: 2 }, (colour_at) => {
      const [r, g, b] = colour_at(x, y);
      assert.ok(g - r < 12 && Math.abs(g - b) < 24, `the bar is ${[r, g, b]}`);
    });
    assert.ok(await page.isVisible("#verdict figure"), "its picture is that of the speedups");
  }));

test("dark is dark, and the marks stay visible", () =>
  visit(path_of("comparison"), { colorScheme: "dark" }, async (page) => {
    const { row, point, band } = (await drawn_lines(page)).lines[0];
    const y = (row.top + row.bottom) / 2;
    const to_the_edge = { ...clip_of(row), x: 0, width: row.right };
    await on_screen(page, to_the_edge, (colour_at) => {
      assert.ok(Math.max(...colour_at(4, y)) < 50, `the ground is ${colour_at(4, y)}`);
      assert.ok(apart(colour_at(point, y), colour_at(band.right + 12, y)) > 120);
      assert.ok(apart(colour_at(band.left + 4, y), colour_at(band.right + 12, y)) > 12, "the band");
    });
  }));

test("seven of twelve phases and the others have eight colours", async () => {
  const run = document_in("run");
  run.current.details.forEach((one) => {
    one.phases = Object.fromEntries([...Array(12).keys()].map((at) => [`phase ${at}`, 1]));
  });
  await visit(write_page("phases", run), {}, async (page) => {
    const picture = page.locator('.picture[aria-label^="Set-up"]');
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector('.picture[aria-label^="Set-up"] svg'));
    const clip = await picture.boundingBox();
    await on_screen(page, clip, (colour_at) => {
      const runs = (y) => {
        const found = [];
        for (let x = clip.x + 1, length = 0; x < clip.x + clip.width; ++x) {
          const colour = colour_at(x, y);
          length = apart(colour, colour_at(x - 1, y)) < 6 ? length + 1 : 0;
          if (length === 8 && Math.min(...colour) < 200 && found.every((one) => apart(one, colour) > 15))
            found.push(colour);
        }
        return found.length;
      };
      assert.equal(Math.max(...Array.from({ length: clip.height }, (_, y) => runs(clip.y + y))), 8);
    });
  });
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
      const corner = { x: 2, y: 990, width: 2, height: 2 };
      await on_screen(page, corner, (colour_at) => assert.ok(Math.min(...colour_at(2, 990)) > 150, "paper is light"));
      const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
      assert.ok((pdf.match(/\/Type \/Page\b/g) ?? []).length >= 2);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      assert.equal(await page.isVisible("#environment .facts"), false, "and folds again");
    });
});

