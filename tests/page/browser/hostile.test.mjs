// Names that attack the page stay names; a page without a report, or with a damaged one, says so.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open, see_all } from "../lib/browser.mjs";
import { document_in, hostile, hostile_document, path_of, write_page } from "../lib/pages.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

for (const name of ["comparison", "run"]) {
  test(`hostile names are inert on the page of a ${name}`, async () => {
    const path = write_page(`hostile-${name}`, hostile_document(document_in(name)));
    const { page, troubles, close } = await open(browser, path);
    for (const button of (await page.$$("table.cases .opener")).slice(0, hostile.length)) {
      await button.focus();
      await page.keyboard.press("Enter");
    }
    await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
    await page.$$eval('button[aria-label^="Numbers"]', (all) => all.forEach((one) => one.click()));
    await see_all(page);
    for (const picture of (await page.$$(".picture")).slice(0, 12)) await picture.hover();
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    assert.deepEqual(
      await page.evaluate(() =>
        [...document.querySelectorAll("img, iframe, object, embed, form, base, link, foreignObject")].map(
          (one) => one.outerHTML,
        ),
      ),
      [],
    );
    assert.equal((await page.$$("script")).length, 2);
    assert.ok(
      !(await page.textContent("body")).match(/[\u202a-\u202e\u2066-\u2069]/),
      "a letter that turns text around is in the page",
    );
    assert.ok(
      (await page.textContent("#page")).includes('<img src=x onerror="window.attacked=1">'),
      "the name itself is shown",
    );
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1440, "a long name widens the page");
    assert.deepEqual(troubles, []);
    await close();
  });
}

test("a link to a case that is not there, or that is garbage, does no harm", async () => {
  for (const hash of ["#case=nothing", "#case=%E0%A4%A", "#case=", "#<script>", "#metric=x&case=gelu"]) {
    const { page, troubles, close } = await open(browser, path_of("comparison"), { hash });
    assert.equal((await page.$$("tr.detail")).length, 0);
    assert.deepEqual(troubles, []);
    await close();
  }
});

test("a page without a report and one with a damaged report say so", async () => {
  const html = readFileSync(path_of("comparison"), "utf8");
  const place = /(type="application\/octet-stream">)([^<]*)/;
  for (const [data, words] of [
    ["", /without a report/],
    ["abcd", /damaged/],
    [html.match(place)[2].slice(0, 5000), /damaged/],
  ]) {
    writeFileSync(
      path_of("damaged"),
      html.replace(place, (_, opening) => opening + data),
    );
    const { page, troubles, close } = await open(browser, path_of("damaged"));
    assert.match(await page.textContent("[role=alert]"), words);
    assert.deepEqual(troubles, []);
    await close();
  }
});

test("a document that lacks what came later is shown all the same", async () => {
  const bare = document_in("comparison");
  const later = {
    page: ["headline", "steps"],
    comparison: ["policy_facts", "waivers", "remarks"],
    policy: ["fail_on_improved", "waivers_file", "today"],
    row: ["kernels", "waiver", "informative", "p_improved", "processes_needed", "degrees_of_freedom"],
  };
  for (const key of later.page) delete bare[key];
  for (const key of later.comparison) delete bare.comparison[key];
  for (const key of later.policy) delete bare.comparison.policy[key];
  for (const row of bare.comparison.cases) for (const key of later.row) delete row[key];
  bare.current.details = [];
  const { page, troubles, close } = await open(browser, write_page("bare", bare), { hash: "#case=gelu%2Fmode%3Dhot" });
  await see_all(page);
  assert.match(await page.textContent("tr.detail"), /worse by more than the margin/);
  assert.deepEqual(troubles, []);
  await close();
});

test("waivers and kernels that moved are shown where there are some", async () => {
  const full = document_in("comparison");
  const row = full.comparison.cases[0];
  const kernel = {
    name: "gelu_kernel(half const*, half*, long)",
    grid: [1024, 1, 1],
    block: [256, 1, 1],
    registers: 32,
    static_shared_bytes: 0,
    dynamic_shared_bytes: 0,
    launches: 1,
    us: 18.5,
    code: "aa",
  };
  const waiver = {
    pattern: "gelu/*",
    metric: null,
    ceiling: 0.05,
    expires: "2026-12-31",
    reason: "known",
    issue: "#7",
  };
  row.waiver = waiver;
  row.kernels = [{ kernel: kernel.name, change: "reshaped", ratio: 1.015, what: "registers 32 -> 40" }];
  full.comparison.waivers = [{ ...waiver, state: "holds", waived: 1, refused: 0, advice: ["expires in 3 days"] }];
  const details = (side) => side.details.find((one) => one.case === row.case);
  details(full.baseline).kernels = [kernel];
  details(full.current).kernels = [{ ...kernel, registers: 40, us: 18.8, code: "bb" }];
  const { page, troubles, close } = await open(browser, write_page("full", full), {
    hash: `#case=${encodeURIComponent(row.case)}`,
  });
  const told = await page.textContent("tr.detail");
  for (const words of [
    "Waived: up to 5 % worse until 2026-12-31",
    "changed shape",
    "registers 32 -> 40",
    "+1.62 %, other code",
    "≠ grid 1024×1×1",
  ])
    assert.ok(told.includes(words), words);
  assert.match(await page.textContent("#environment"), /gelu\/\*every metric✓ holdsup to 5 % worse2026-12-31/);
  assert.deepEqual(troubles, []);
  await close();
});
