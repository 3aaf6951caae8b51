// A server that keeps issues, labels and comments of a repository as GitHub's API does. It lists the newest first, 30 a
// page or as many as asked for up to 100, with a header that links the next. It refuses a label that is there, and a text
// that is too long. As a program: node issues_server.mjs STATE.json PORT_FILE keeps what it knows in STATE.json, which the test
// may change between requests.
import fs from "node:fs";
import http from "node:http";
import { fileURLToPath } from "node:url";

export const empty = () => ({ issues: [], labels: [], comments: [], requests: [] });

const root = "/repos/example/kernels";
const bot = { login: "github-actions[bot]", type: "Bot" };

function page(url, list, response) {
  const size = Math.min(100, Number(url.searchParams.get("per_page") ?? 30));
  const number = Number(url.searchParams.get("page") ?? 1);
  if (number * size < list.length) {
    url.searchParams.set("page", number + 1);
    response.setHeader("link", `<${url}>; rel="next"`);
  }
  return list.slice((number - 1) * size, number * size);
}

// The answer to a request: [status, value].
function answer(state, method, url, body, response) {
  const path = url.pathname;
  const one = new RegExp(`^${root}/issues/(\\d+)(/comments)?$`).exec(path);
  const issue = one && state.issues.find((each) => each.number === Number(one[1]));
  if ((body.body ?? "").length > 65536) return [422, { message: "Validation Failed: body is too long" }];
  if (method === "GET" && path === `${root}/issues`) {
    const wanted = url.searchParams.get("state") ?? "open";
    const labels = (url.searchParams.get("labels") ?? "").split(",").filter(Boolean);
    const found = state.issues.filter((each) => (wanted === "all" || each.state === wanted) &&
      labels.every((label) => each.labels.some((own) => own.name === label)));
    return [200, page(url, found.reverse(), response)];
  }
  if (method === "POST" && path === `${root}/labels`) {
    if (state.labels.some((each) => each.name === body.name)) return [422, { message: "Validation Failed", errors: [{ code: "already_exists" }] }];
    if (!/^[0-9a-f]{6}$/.test(body.color) || body.description.length > 100) return [422, { message: "Validation Failed" }];
    state.labels.push(body);
    return [201, body];
  }
  if (method === "POST" && path === `${root}/issues`) {
    const made = { number: state.issues.length + 1, state: "open", state_reason: null, title: body.title, body: body.body, user: bot,
      labels: (body.labels ?? []).map((name) => ({ name })), created_at: new Date().toISOString() };
    state.issues.push(made);
    return [201, made];
  }
  if (method === "POST" && issue && one[2]) {
    state.comments.push({ issue: issue.number, body: body.body });
    return [201, state.comments.at(-1)];
  }
  if (method === "PATCH" && issue && !one[2]) return [200, Object.assign(issue, body)];
  return [404, { message: "Not Found" }];
}

export function serve(read, write) {
  return http.createServer((request, response) => {
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      const state = read();
      const url = new URL(request.url, `http://${request.headers.host}`);
      state.requests.push(`${request.method} ${url.pathname}`);
      const [status, value] = answer(state, request.method, url, text ? JSON.parse(text) : {}, response);
      write(state);
      response.statusCode = status;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(value));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, portFile] = process.argv.slice(2);
  fs.writeFileSync(file, JSON.stringify(empty()));
  const server = serve(() => JSON.parse(fs.readFileSync(file, "utf8")), (state) => fs.writeFileSync(file, JSON.stringify(state, null, 1)));
  server.listen(0, "127.0.0.1", () => {
    fs.writeFileSync(`${portFile}.new`, String(server.address().port));
    fs.renameSync(`${portFile}.new`, portFile);
  });
}
