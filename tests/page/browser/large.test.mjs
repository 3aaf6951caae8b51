// 500 cases: under 2 MB as the program writes it, sorted and filtered at the first click. The times are printed.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { column, launch, open } from "../lib/browser.mjs";
import { document_in, repeated, write_page } from "../lib/pages.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

// The program's data for a page of that size: quantiles in place of samples.
function reduced(page_document, few) {
  for (const side of [page_document.baseline, page_document.current])
    for (const one of side?.details ?? [])
      for (const series of one.series)
        for (const process of series.processes) {
          let sum = 0;
          const steps = process.deltas.map((delta) => (sum += delta ?? 0)).sort((left, right) => left - right);
          const kept = Array.from({ length: few }, (_, at) => steps[Math.round(((steps.length - 1) * at) / (few - 1))]);
          process.form = "quantiles";
          process.deltas = kept.map((value, at) => value - (kept[at - 1] ?? 0));
        }
  return page_document;
}

test("a page of 500 cases stays below 2 MB, sorts and filters", async (context) => {
  const path = write_page("large", repeated(reduced(document_in("comparison"), 17), 500));
  assert.ok(statSync(path).size < 2_000_000, `${statSync(path).size} bytes`);
  const { page, troubles, close } = await open(browser, path);
  const ready = await page.evaluate(() => performance.getEntriesByName("harness-interactive")[0].startTime);
  context.diagnostic(`interactive after ${Math.round(ready)} ms; ${Math.round(statSync(path).size / 1000)} kB`);
  assert.equal((await column(page, "verdict")).length, 500);
  const took = await page.evaluate(() => {
    const from = performance.now();
    document.querySelector("th.col-change button").click();
    document.body.getBoundingClientRect();
    return performance.now() - from;
  });
  context.diagnostic(`sorting took ${Math.round(took)} ms`);
  await page.fill("#filter", "gelu copy=12");
  assert.equal((await column(page, "verdict")).length, 2);
  assert.deepEqual(troubles, []);
  await close();
});
