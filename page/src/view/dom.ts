// Building the document. Text only ever enters as text nodes and attribute values, never as markup.

export type Child = Node | string | null | undefined | false;

type Handlers = { [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void };

export interface Properties {
  class?: string;
  attributes?: Record<string, string | number | boolean | null | undefined>;
  on?: Handlers;
}

export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties | string | null = null,
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  const { class: name, attributes, on } = typeof properties === "string" ? { class: properties } : (properties ?? {});
  if (name) element.className = name;
  for (const [key, value] of Object.entries(attributes ?? {}))
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(key, value === true ? "" : String(value));
  for (const [event, handler] of Object.entries(on ?? {})) element.addEventListener(event, handler as EventListener);
  append(element, children);
  return element;
}

export function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) parent.append(child);
}

const svg_space = "http://www.w3.org/2000/svg";

export function svg(tag: string, attributes: Record<string, string | number>, ...children: Element[]): SVGElement {
  const element = document.createElementNS(svg_space, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

let last_id = 0;

export function fresh_id(prefix: string): string {
  return `${prefix}-${++last_id}`;
}

// The ids that name a section: its title and, where a report is one of several, its suite.
export function names_of(scope: string, title: string): string {
  return scope === "" ? title : `${title} ${scope}name`;
}

// A name that may be long: it may break after each slash, and it cannot turn the text around it.
export function name_of(text: string): HTMLElement {
  const element = el("bdi");
  text.split(/(?<=[/,_])/).forEach((part, at) => {
    if (at > 0) element.append(el("wbr"));
    element.append(part);
  });
  return element;
}

// A sentence of the product's: what stands between backticks is a command or a key.
export function prose(text: string): HTMLElement {
  return el("span", null, ...text.split("`").map((part, at) => (at % 2 === 1 ? el("code", null, part) : part)));
}

export function table(
  columns: readonly Child[],
  rows: readonly (readonly Child[])[],
  properties: Properties = {},
): HTMLTableElement {
  return el(
    "table",
    properties,
    el("thead", null, el("tr", null, ...columns.map((column) => el("th", { attributes: { scope: "col" } }, column)))),
    el(
      "tbody",
      null,
      ...rows.map((row) =>
        el(
          "tr",
          null,
          ...row.map((cell, at) =>
            at === 0 ? el("th", { attributes: { scope: "row" } }, cell) : el("td", null, cell),
          ),
        ),
      ),
    ),
  );
}

// A region that scrolls sideways on its own, reachable by keyboard.
export function scrolling(label: string, child: Node): HTMLElement {
  return el("div", { class: "scrolling", attributes: { tabindex: 0, role: "region", "aria-label": label } }, child);
}

export async function copy_text(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el("textarea", { class: "offscreen", attributes: { "aria-hidden": true } });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

export function copy_button(label: string, text: () => string): HTMLButtonElement {
  const button = el("button", { class: "small", attributes: { type: "button" } }, label);
  button.addEventListener("click", () => {
    void copy_text(text()).then((done) => {
      button.textContent = done ? "Copied" : "Could not copy";
      announce(done ? "Copied" : "Could not copy");
      setTimeout(() => (button.textContent = label), 1500);
    });
  });
  return button;
}

// A command to be run, whole, with a button that copies it.
export function command(text: string): HTMLElement {
  return el(
    "div",
    "command",
    el("code", null, text),
    copy_button("Copy", () => text),
  );
}

// Says something to those who listen to the page.
export function announce(text: string): void {
  const place = document.getElementById("announcements");
  if (place) place.textContent = text;
}
