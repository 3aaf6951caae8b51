// The documents of the pages that the program wrote, as the page itself sees them.
import { parse } from "page/decode";
import { document_in as packed } from "tests/lib/pages.mjs";

export function document_in(name: string) {
  return parse(JSON.stringify(packed(name))) as any; // tests look into it without proving each step
}
