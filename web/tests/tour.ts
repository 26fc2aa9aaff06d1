// The pictures of docs/tour.md. That page is the only list of the pictures: `make screenshots` writes each one to docs/tour.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "./system.ts";

/** folder has the pictures, and is committed. */
export const folder = join(root, "docs", "tour");

/** pictures returns the files that the page shows, such as "app-feed-1280-light.png". */
export function pictures(): string[] {
  const page = readFileSync(join(root, "docs", "tour.md"), "utf8");
  return [...page.matchAll(/!\[[^\]]+\]\(tour\/([^)]+)\)/g)].map(([, file]) => file!);
}
