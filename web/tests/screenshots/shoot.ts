// Pictures of a page as it is, in every look: light and dark, as wide as a small phone and as a laptop.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

import { root } from "../system.ts";
import { folder as tour, pictures } from "../tour.ts";

/** folder is not committed. */
const folder = join(root, "web", "screenshots");

const shown = new Set(pictures());

const sizes: [width: number, height: number][] = [
  [360, 760],
  [1280, 860],
];
/** tablet is a width between those, for the few pages whose layout changes there. */
export const tablet: typeof sizes = [[768, 1024]];

interface Picture {
  /** The picture is about what is said in passing: it does not wait until that is gone. */
  toast?: boolean;
  also?: typeof sizes;
}

/**
 * shoot writes {name}-{width}-{scheme}.png, two for each size, and leaves the page as light as it was first. Those that
 * docs/tour.md shows come to docs/tour too, which is committed.
 */
export async function shoot(page: Page, name: string, { toast = false, also = [] }: Picture = {}): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (!toast) await page.locator(".toast").waitFor({ state: "detached" });
  await page.mouse.move(0, 0); // no hover shows
  for (const [width, height] of [...also, ...sizes]) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"] as const) {
      const file = `${name}-${width}-${colorScheme}.png`;
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, file), animations: "disabled" });
      if (shown.has(file)) copyFileSync(join(folder, file), join(tour, file));
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/** shootAt shoots the console with a panel in sight, where it is as narrow as a phone. */
export async function shootAt(page: Page, panel: string, name: string): Promise<void> {
  await page.setViewportSize({ width: 360, height: 760 });
  await page.locator(`.panel.${panel}`).evaluate((node) => node.scrollIntoView());
  await shoot(page, name);
}
