// The pictures of docs/tour.md, by `make screenshots`. That page is the only list of them.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

import { folder, pictures } from "../tour.ts";

const shown = new Set(pictures());

/** SHOTS names a folder that gets each picture in every look, for somebody who looks at a change. */
const all = process.env["SHOTS"];

const sizes: [width: number, height: number][] = [
  [360, 760],
  [1280, 860],
];

interface Picture {
  /** The picture is about what is said in passing: it does not wait until that is gone. */
  toast?: boolean;
  /** Brings what it shows into the window again, after a change of its size. */
  at?: () => Promise<unknown>;
}

/** shoot writes {name}-{width}-{scheme}.png, and leaves the page as wide and as light as it was. */
export async function shoot(page: Page, name: string, { toast = false, at }: Picture = {}): Promise<void> {
  if (!toast) await page.locator(".toast").waitFor({ state: "detached" });
  await page.mouse.move(0, 0); // no hover shows
  const before = page.viewportSize();
  for (const [width, height] of sizes) {
    for (const colorScheme of ["light", "dark"] as const) {
      const file = `${name}-${width}-${colorScheme}.png`;
      const paths = [...(shown.has(file) ? [join(folder, file)] : []), ...(all ? [join(all, file)] : [])];
      if (paths.length === 0) continue;
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))); // the page has its new size
      await at?.();
      mkdirSync(all ?? folder, { recursive: true });
      for (const path of paths) await page.screenshot({ path, animations: "disabled" });
    }
  }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
}
