// node build.mjs [FOLDER]: bundles src/ into FOLDER/page.html (a template with two places for text:
// the title and the data), and FOLDER/plot.mjs (plots as files). FOLDER is dist/ beside this file unless given. Both are
// whole: neither asks a network or node_modules for anything later.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "dist"));

async function bundle(entry, options) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    charset: "ascii", // whatever encoding somebody opens the page with
    legalComments: "none",
    logLevel: "warning",
    define: { "process.env.NODE_ENV": '"production"' },
    ...options,
  });
  return result.outputFiles[0].text;
}

// Text that may stand between <script> and </script> as it is.
function inlined(script) {
  if (/<\/script|<!--/i.test(script)) throw new Error("the bundle holds </script or <!--, which would end its element");
  return script;
}

function places(template, place, wanted) {
  const found = template.split(place).length - 1;
  if (found !== wanted) throw new Error(`the template holds ${place} ${found} times, not ${wanted}`);
}

const [script, styles, plot, shell] = await Promise.all([
  bundle("src/main.ts", { format: "iife", target: ["chrome100", "firefox100", "safari16.4"] }),
  bundle("src/style/page.css", { target: ["chrome105", "firefox110", "safari16"] }),
  bundle("src/static.ts", { format: "esm", platform: "node", target: "node18" }),
  readFile(join(here, "src/page.html"), "utf8"),
]);

const text = inlined(script);
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  "style-src 'unsafe-inline'", // the charts set style attributes
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

// Functions as replacements, because "$&" in a bundle must stay what it is.
const page = shell
  .replace("@POLICY@", () => policy)
  .replace("@STYLES@", () => styles.trim())
  .replace("@SCRIPT@", () => text);
places(page, "@HARNESS_DATA@", 1);
places(page, "@HARNESS_TITLE@", 1);

await mkdir(out, { recursive: true });
await writeFile(join(out, "page.html"), page);
await writeFile(join(out, "plot.mjs"), plot);
console.log(
  `${join(out, "page.html")}: ${Math.round(page.length / 1000)} kB, plot.mjs: ${Math.round(plot.length / 1000)} kB`,
);
