// Dark, light, or as the system says; remembered where the browser lets a file remember.

import { el } from "./dom";

type Choice = "system" | "light" | "dark";

const key = "harness-theme";
const choices: Choice[] = ["system", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");

function remembered(): Choice {
  try {
    const found = localStorage.getItem(key);
    return choices.find((choice) => choice === found) ?? "system";
  } catch {
    return "system";
  }
}

let chosen: Choice = remembered();

export function theme_is_dark(): boolean {
  return chosen === "dark" || (chosen === "system" && system.matches);
}

function apply(): void {
  document.documentElement.dataset["theme"] = theme_is_dark() ? "dark" : "light";
}

export function theme_switch(changed: () => void): HTMLElement {
  apply();
  const select = el("select", { attributes: { "aria-label": "Theme" } });
  for (const choice of choices) {
    const option = el(
      "option",
      { attributes: { value: choice } },
      { system: "System theme", light: "Light", dark: "Dark" }[choice],
    );
    select.append(option);
  }
  select.value = chosen;
  select.addEventListener("change", () => {
    chosen = choices.find((choice) => choice === select.value) ?? "system";
    try {
      localStorage.setItem(key, chosen);
    } catch {
      // A browser that keeps nothing for files: the choice holds while the page is open.
    }
    apply();
    changed();
  });
  system.addEventListener("change", () => {
    if (chosen !== "system") return;
    apply();
    changed();
  });
  return select;
}
