// Folded parts of the page: opened by a link into them, and on paper.

// Opens what hides an element, and brings it into view.
export function open_around(element: Element | null): void {
  if (!element) return;
  const inside = element.querySelector(":scope > details.folded");
  for (let one: Element | null = inside ?? element; one; one = one.parentElement)
    if (one instanceof HTMLDetailsElement) one.open = true;
  element.scrollIntoView({ block: "start" });
}

// Opens all details until the print is done; the table's rows unfold by style.
export function unfold_for_print(): void {
  const closed = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
  for (const one of closed) one.open = true;
  const restore = () => closed.forEach((one) => (one.open = false));
  addEventListener("afterprint", restore, { once: true });
}
