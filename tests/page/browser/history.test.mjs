// The page of `harness history`, on a screen, on a phone and on paper: charts over the commits with verdicts, to click on.
// Ten thousand series, several suites, and the program's page of a store.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe_source, eventually, launch, open, see_all } from "../lib/browser.mjs";
import { hostile, write_page } from "../lib/pages.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const device = "nvidia-h200 GPU-A";
const commits = Array.from({ length: 20 }, (_, at) => [
  String(at).padStart(2, "0").repeat(20),
  `2026-11-${String(at + 1).padStart(2, "0")}T00:00:00Z`,
  at === 12 ? `step ${at} ${hostile[0]}` : `step ${at}`,
  `0000${String(at).padStart(2, "0")}00-0000-4000-8000-000000000000`,
]);
const row = (name, slower) => ({
  ...{ case: name, metric: "gpu_time", unit: "us", device, measured: commits.length },
  ...(slower
    ? { finding: "worse", tone: "bad", newest: 105.01, ratio: 1.0501, interval: [1.04, 1.06], trend: "▁▁▁▇█" }
    : { finding: "", tone: "plain", newest: 3e6, ratio: 1, interval: [0.99, 1.01], trend: "▄▄▄▄▄" }),
});
const points = (slower) => {
  const center = commits.map((_, at) => (slower ? (at < 12 ? 100 : 105) + (at % 3) * 0.01 : 3e6));
  const verdicts = commits.map((_, at) => (at < 5 ? "" : at === 5 ? "inconclusive" : at === 12 && slower ? "regressed" : "unchanged"));
  return {
    ...{ margin: 0.01, anchor: { name: "the oldest result", center: center[0] }, at: commits.map((_, at) => at), center, verdicts },
    low: center.map((value) => (slower ? value - 0.1 : null)),
    high: center.map((value) => (slower ? value + 0.1 : null)),
    changes: slower ? [{ index: 12, ratio: 1.05, worse: true }] : [],
    told: slower ? [`worse by +5.0 % since ${commits[12][0].slice(0, 10)}`] : [],
  };
};
const slow_case = `gelu/n=1 ${hostile[1]}`;
// `names`: of the cases that stayed as they were, behind the one that got slower.
const document_of = (suite, names, block = 2) => {
  const all = [points(true), ...names.map(() => points(false))];
  const headline = `WORSE: 1 of ${names.length + 1} series got worse since the anchor`;
  const head = {
    ...{ format: "harness-history-page", version: 1, headline, tone: "bad", suite, commits, block },
    facts: [["suite", suite], ["branch", `main ${hostile[2]}`]],
    links: { commit: "https://git.example.org/c/{commit}", record: "https://ci.example.org/{record}" },
    rows: [row(slow_case, true), ...names.map((name) => row(name, false))],
    causes: [{ worse: true, before: commits[10][0], unmeasured: 1, members: [[0, 12, 1.05, "regressed"]] }],
    notes: ["2 records are of uncommitted changes"],
    alerts: { since: "2026-09-01", lines: ["1 alert, not marked"] },
  };
  return [head, ...Array.from({ length: Math.ceil(all.length / block) }, (_, at) => all.slice(at * block, (at + 1) * block))];
};
const copies = (count) => Array.from({ length: count }, (_, at) => `copy/n=${at + 1}`);
const one = () => write_page("history", document_of("demo", copies(4)));

async function visit(path, options, work) {
  const { page, troubles, close } = await open(browser, path, options);
  await work(page);
  assert.deepEqual(troubles, []);
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  await close();
}

const fold = (page, number) => page.locator("details.series-fold").nth(number);
const card_of = (page, number) => fold(page, number).locator(".commit-card");

test("the answer comes first, then causes, then each series in a line; the first are open", () =>
  visit(one(), {}, async (page) => {
    assert.match(await page.textContent("h1"), /WORSE: 1 of 5/);
    const cause = await page.textContent("#changes li.card");
    for (const text of ["worse +5.00 %", "1010101010", "up to 1212121212", "step 12", "1 commit not measured", "regressed"])
      assert.ok(cause.includes(text), `${text} in ${cause}`);
    assert.equal(await page.locator("details.series-fold").count(), 5);
    assert.equal(await page.locator("details.series-fold[open]").count(), 3);
    assert.match(await fold(page, 0).locator("summary").textContent(), /worse.*gelu.*105\.0 us.*\+5\.01 % since the anchor/);
    assert.match(await fold(page, 1).locator("summary").textContent(), /no change.*3\.000 s/, "a unit that a person reads");
    await see_all(page);
    assert.equal(await page.locator(".picture svg").count(), 3);
    await fold(page, 4).locator("summary").click();
    await see_all(page);
    assert.equal(await page.locator(".picture svg").count(), 4);
    await fold(page, 0).locator("button:text-is('Numbers')").click();
    assert.equal(await fold(page, 0).locator("table.numbers tbody tr").count(), commits.length);
    assert.match(await page.textContent("#alerts"), /since 2026-09-01.*1 alert/s);
    assert.match(await page.textContent("#notes"), /uncommitted/);
  }));

const seen_beyond = (page, most) =>
  page.evaluate((most) => {
    const seen = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility());
    const within = (one) => !one.closest(".offscreen") && !one.parentElement.closest(".scrolling");
    return seen
      .filter((one) => within(one) && one.getBoundingClientRect().right > most + 0.5)
      .map((one) => `${one.tagName} ${one.className?.baseVal ?? one.className}`);
  }, most);

for (const width of [1440, 390])
  test(`a click on a commit shows its verdict, a click on that opens it, and nothing is cut, ${width} wide`, async () => {
    const { page, troubles, close } = await open(browser, one(), { viewport: { width, height: 900 } });
    await page.context().route("https://ci.example.org/**", (route) => route.fulfill({ body: "the verdict" }));
    await see_all(page);
    const card = card_of(page, 0);
    assert.match(await card.textContent(), /regressed.*1212121212.*step 12.*\+4\.\d+ %/s, "the last change at first");
    const point = await page.evaluate(() => {
      // The marks of the points are the paths that are as many as the commits.
      const picture = document.querySelector(".picture");
      picture.scrollIntoView({ block: "center" });
      const marks = [...picture.querySelectorAll("svg path")]
        .map((one) => one.getBoundingClientRect())
        .filter((box) => box.width > 4 && box.width < 14 && box.height > 4 && box.height < 14)
        .sort((one, other) => one.left - other.left);
      const box = marks[5];
      return { x: box.left + box.width / 2, y: box.top + box.height / 2, marks: marks.length };
    });
    assert.equal(point.marks, commits.length);
    await page.mouse.click(point.x, point.y);
    await eventually(async () => assert.match(await card.textContent(), /inconclusive.*0505050505/s));
    assert.equal(await card.locator(".command code").textContent(), "harness compare --baseline 00000400 --current 00000500");
    assert.match(page.url(), /#case=gelu.*&commit=(05){20}$/, "the address is that of the commit");
    assert.equal(await card.locator("a").nth(1).getAttribute("href"), `https://git.example.org/c/${commits[5][0]}`);
    // The keyboard has the same choice.
    await fold(page, 0).locator("select").selectOption("0");
    assert.match(await card.textContent(), /not judged.*harness report 00000000/s);
    await fold(page, 0).locator("select").selectOption("5");
    assert.deepEqual(await seen_beyond(page, width), []);
    assert.ok(await page.evaluate((most) => document.documentElement.scrollWidth <= most, width));
    assert.deepEqual(troubles, []);
    await card.locator("a").first().click();
    await page.waitForURL(`https://ci.example.org/${commits[5][3]}`);
    await close();
  });

test("a change leads to its commit, and the address of a commit opens it", () => {
  const address = `#case=copy%2Fn%3D4&metric=gpu_time&device=${encodeURIComponent(device)}&commit=${commits[5][0]}`;
  return visit(one(), { hash: address }, async (page) => {
    assert.ok(await fold(page, 4).evaluate((line) => line.open));
    assert.match(await card_of(page, 4).textContent(), /inconclusive.*0505050505/s);
    await fold(page, 0).locator("select").selectOption("3");
    await page.click("#changes li.card a[href^='#case=']");
    await eventually(async () => assert.match(await card_of(page, 0).textContent(), /regressed.*1212121212/s));
  });
});

test("ten thousand series open at once, are searched, and one is unpacked when it opens", async (context) => {
  const path = write_page("many", document_of("demo", copies(9999), 64));
  await visit(path, {}, async (page) => {
    const ready = await page.evaluate(() => performance.getEntriesByName("harness-interactive")[0].startTime);
    context.diagnostic(`interactive after ${Math.round(ready)} ms`);
    assert.equal(await page.locator("details.series-fold").count(), 100);
    assert.match(await page.textContent("#series"), /The first 100 of 10,000 series/);
    await page.click("text=Show 100 more");
    assert.equal(await page.locator("details.series-fold").count(), 200);
    await page.fill("#filter", "no copy n=9876");
    assert.equal(await page.locator("details.series-fold").count(), 1);
    await fold(page, 0).locator("summary").click();
    await see_all(page);
    assert.equal(await fold(page, 0).locator(".picture svg").count(), 1);
    await page.fill("#filter", "worse");
    assert.match(await fold(page, 0).textContent(), /gelu/);
    await page.evaluate(() => (location.hash = "#case=copy%2Fn%3D5000"));
    await eventually(async () => assert.match(await fold(page, 0).locator("summary").textContent(), /copy\/n=5000/));
    await page.fill("#filter", "nothing of that name");
    assert.match(await page.textContent("#series"), /No series fits/);
  });
});

test("a series for which the page has no room says how to see it", () =>
  visit(write_page("full", document_of("demo", copies(4)).slice(0, 2)), {}, async (page) => {
    assert.match(await fold(page, 2).textContent(), /no room.*harness history 'copy\/n=2'/s);
  }));

test("several suites are below each other, and an address names its suite", () => {
  const part = (name) => ({ name, headline: "WORSE: 1 of 2", tone: "bad", page: true });
  const contents = { format: "harness-pages", version: 1, headline: "2 suites; exit 0", tone: "bad", parts: [part("one"), part("two")] };
  const path = write_page("suites", contents, document_of("one", ["copy"]), document_of("two", ["copy"]));
  return visit(path, { hash: "#case=copy&suite=two" }, async (page) => {
    assert.match(await page.textContent("h1"), /History of 2 suites/);
    assert.equal(await page.locator("nav .contents a").count(), 2);
    assert.equal(await page.locator("details.series-fold[open]").count(), 1);
    assert.ok(await page.locator("#suite-2 details.series-fold").nth(1).evaluate((line) => line.open));
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "suite-2-filter");
  });
});

test("paper has every line and its chart, light, and nothing is cut", () =>
  visit(one(), { colorScheme: "dark" }, async (page) => {
    const paper = 703; // A4 within its margins
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: paper, height: 1000 });
    await eventually(async () => assert.equal(await page.locator(".picture svg").count(), 5));
    assert.deepEqual(await seen_beyond(page, paper), []);
    assert.equal(await page.isVisible("#filter"), false);
    assert.ok(await fold(page, 4).locator(".commit-card").isVisible());
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
    assert.ok((pdf.match(/\/Type \/Page\b/g) ?? []).length >= 3);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator("details.series-fold[open]").count(), 3, "and folds again");
  }));

for (const [colorScheme, width] of [
  ["light", 1440],
  ["dark", 390],
])
  test(`axe is content with it, ${colorScheme}, ${width} wide`, () =>
    // The page's own policy forbids axe to be put in.
    visit(one(), { bypassCSP: true, colorScheme, viewport: { width, height: 900 } }, async (page) => {
      await see_all(page);
      await page.addScriptTag({ path: axe_source });
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map((one) => [one.id, one.nodes[0]?.html]), []);
    }));

// --- what the program writes ----------------------------------------------------------------------------

function fill_store(folder) {
  const who = ["AUTHOR", "COMMITTER"].flatMap((role) => [
    [`GIT_${role}_NAME`, "tester"],
    [`GIT_${role}_EMAIL`, "tester@example.org"],
  ]);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", ...Object.fromEntries(who) };
  const run = (program, ...words) => execFileSync(program, words, { cwd: folder, encoding: "utf8", env });
  mkdirSync(folder, { recursive: true });
  run("git", "init", "-q", "-b", "main");
  for (let step = 0; step < 24; ++step) {
    writeFileSync(join(folder, "step"), String(step));
    run("git", "add", "step");
    run("git", "commit", "-qm", `step ${step} ${hostile[1]}`);
    const lines = [{ suite: "demo", machine: { class: "nvidia-h200", uuid: "GPU-A" } }];
    for (const name of ["gelu/n=1", "gelu/n=2", "copy/n=1", `odd/${hostile[0]}`])
      for (let process = 0; process < 4; ++process) {
        const slower = name.startsWith("gelu") && step >= 16 ? 1.05 : 1;
        const us = 100 * slower * (1 + 0.0005 * (((process + step) % 4) - 1.5));
        lines.push({ case: name, metric: "gpu_time", unit: "us", process, samples: [us, us] });
      }
    writeFileSync(join(folder, "samples.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
    run(process.env.HARNESS, "import", "samples.jsonl", "--suite", "demo", "--store", "store.db");
  }
  run(process.env.HARNESS, "import", "samples.jsonl", "--suite", "other", "--store", "store.db");
  return run;
}

test("the program's page of a store tells the two cases that one commit made slower, and draws every series", async () => {
  const folder = join(process.env.PAGES, "repository");
  const run = fill_store(folder);
  const urls = ["--commit-url", "https://git.example.org/c/{commit}", "--record-url", "https://ci.example.org/{record}"];
  run(process.env.HARNESS, "history", "--store", "store.db", "--html", "all.html", ...urls);
  run(process.env.HARNESS, "history", "--store", "store.db", "--suite", "demo", "--report", "html=demo.html");
  await visit(join(folder, "all.html"), {}, async (page) => {
    assert.match(await page.textContent("h1"), /History of 2 suites/);
    const causes = page.locator("#suite-1-changes li.card");
    assert.equal(await causes.count(), 1);
    const cause = await causes.textContent();
    for (const text of ["worse", "2 series", "gelu/n=1", "gelu/n=2", "step 16"]) assert.ok(cause.includes(text), text);
    const links = await causes.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    assert.ok(links.some((link) => /^https:\/\/git\.example\.org\/c\/[0-9a-f]{40}$/.test(link)));
    assert.ok(links.some((link) => /^https:\/\/ci\.example\.org\/[0-9a-f-]{36}$/.test(link)));
    await page.fill("#suite-1-filter", "gelu n=2");
    assert.equal(await page.locator("#suite-1 details.series-fold").count(), 1);
  });
  await visit(join(folder, "demo.html"), {}, async (page) => {
    await page.click("details.series-fold:not([open]) summary");
    await see_all(page);
    assert.equal(await page.locator(".picture svg").count(), 4);
    for (let at = 0; at < 4; ++at) assert.equal(await fold(page, at).locator("select option").count(), 24);
    assert.match(await fold(page, 0).textContent(), /adjusted p/, "what the terminal tells of it");
    assert.equal(await page.locator("a[href^='http']").count(), 0, "no links without addresses");
  });
});
