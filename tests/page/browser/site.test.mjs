// The site of `harness history --html` over a store of a small repository: pictures, links and the filter.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, see_all } from "../lib/browser.mjs";
import { hostile } from "../lib/pages.mjs";

const folder = join(process.env.PAGES, "repository");
const site = join(folder, "site");
const commits = 24;
const cases = ["gelu/n=1", "gelu/n=2", "copy/n=1", `odd/${hostile[0]}`];
let browser;

const run = (program, ...words) =>
  execFileSync(program, words, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", ...identity },
  });
const identity = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "tester"],
    [`GIT_${who}_EMAIL`, "tester@example.org"],
  ]),
);

before(async () => {
  mkdirSync(folder, { recursive: true });
  run("git", "init", "-q", "-b", "main");
  for (let step = 0; step < commits; ++step) {
    writeFileSync(join(folder, "step"), String(step));
    run("git", "add", "step");
    run("git", "commit", "-qm", `step ${step} ${hostile[1]}`);
    const lines = [{ suite: "demo", machine: { class: "nvidia-h200", uuid: "GPU-A" } }];
    for (const name of cases)
      for (let process = 0; process < 4; ++process) {
        const slower = name.startsWith("gelu") && step >= 16 ? 1.05 : 1;
        const us = 100 * slower * (1 + 0.0005 * (((process + step) % 4) - 1.5));
        lines.push({ case: name, metric: "gpu_time", unit: "us", process, samples: [us, us] });
      }
    writeFileSync(join(folder, "samples.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
    run(process.env.HARNESS, "import", "samples.jsonl", "--suite", "demo", "--store", "store.db");
  }
  const urls = ["--commit-url", "https://git.example.org/c/{commit}", "--record-url", "https://ci.example.org/{record}"];
  run(process.env.HARNESS, "history", "--store", "store.db", "--html", "site", ...urls);
  browser = await launch();
});
after(() => browser?.close());

async function visit(work) {
  const page = await browser.newPage();
  const troubles = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) troubles.push(message.text());
  });
  page.on("pageerror", (problem) => troubles.push(problem.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`file://${site}/`)) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${site}/index.html`);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
  await work(page);
  assert.deepEqual(troubles, []);
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  await page.close();
}

async function follow(page, selector) {
  const left = page.url();
  await page.click(selector);
  await page.waitForURL((url) => url.href !== left);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
}

test("one row tells the two cases that one commit made slower, with its commit and its verdicts", () =>
  visit(async (page) => {
    const rows = await page.$$eval("tr.cluster", (all) => all.map((row) => row.innerText));
    assert.equal(rows.length, 1);
    for (const text of ["worse", "2 series", "gelu/n=1", "gelu/n=2", "step 16"]) assert.ok(rows[0].includes(text), text);
    const links = await page.$$eval("tr.cluster a", (all) => all.map((link) => link.getAttribute("href")));
    assert.ok(links.some((link) => /^https:\/\/git\.example\.org\/c\/[0-9a-f]{40}$/.test(link)));
    assert.ok(links.some((link) => /^https:\/\/ci\.example\.org\/[0-9a-f-]{36}$/.test(link)));
  }));

test("index, suite and case lead to each other; the case's picture has a point a commit", () =>
  visit(async (page) => {
    await follow(page, "table.suites a");
    assert.equal(await page.locator("table.filtered tbody a").count(), cases.length);
    await page.fill("input[type=search]", "gelu n=2");
    assert.equal(await page.locator("table.filtered tbody tr:not([hidden])").count(), 1);
    await follow(page, "table.filtered tbody tr:not([hidden]) a");
    assert.ok((await page.textContent("h1")).startsWith("gelu/n=2"));
    await see_all(page);
    assert.equal(await page.locator(".picture svg").count(), 1);
    await page.click("figure button");
    assert.equal(await page.locator("table.numbers tbody tr").count(), commits);
    await follow(page, "header nav a >> nth=1");
    await follow(page, "header nav a");
    assert.ok(page.url().endsWith("/index.html"));
  }));

test("every page of a case draws", async () => {
  const pages = readdirSync(join(site, "cases"));
  assert.equal(pages.length, cases.length);
  for (const name of pages)
    await visit(async (page) => {
      await page.goto(`file://${site}/cases/${name}`);
      await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
      await see_all(page);
      assert.equal(await page.locator(".picture svg").count(), 1);
    });
});
