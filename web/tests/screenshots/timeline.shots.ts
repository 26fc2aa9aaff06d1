// The console's timeline panel in each layout.
import { Timestamp } from "firebase/firestore";

import { openConsole, test } from "../browser/browser.ts";
import { profile } from "../firestore.ts";
import { startTimelines, type Timelines } from "../timelines.ts";
import { shootAt } from "./shoot.ts";

const layouts: ["buckets" | "items" | "days", Record<string, string>][] = [
  ["buckets", { RELATIONINDEX_BUCKET: "5", RELATIONINDEX_CAP: "20" }],
  ["items", {}],
  ["days", {}],
];

/** Ada posts, Cy posts to a group that Bob is in, and a message names him. */
async function fill(system: Timelines): Promise<void> {
  const created = (hours: number) => Timestamp.fromMillis(Date.now() - hours * 3_600_000);
  await system.write({
    "users/g_allotment": { ...profile("Allotment Society"), ownerId: "cy", post: "owner" },
    "users/g_allotment/followers/bob": { createdAt: created(90) },
  });
  for (let n = 0; n < 33; n++) {
    const [userId, audience, to] = n % 7 === 3 ? ["cy", "g_allotment", []] : n % 11 === 5 ? ["cy", "", ["bob"]] : ["ada", "ada", []];
    await system.write({ [`posts/${userId}-${n}`]: { userId, audience, to, hidden: false, createdAt: created((33 - n) * 2), text: `Post ${n}` } });
    await system.idle();
  }
}

test.for(layouts)("%s", async ([layout, more], { browser }) => {
  const system = await startTimelines(layout, more);
  try {
    const page = await openConsole(browser, "ada", { baseURL: system.at.webURL });
    await page.getByText("Nothing yet").waitFor();
    await shootAt(page, "timeline", `console-timeline-${layout}-empty`);
    await fill(system);
    await page.locator(".part details[open] .entry").nth(2).waitFor();
    await page.getByText("Allotment Society").first().waitFor();
    await shootAt(page, "timeline", `console-timeline-${layout}`);
  } finally {
    await system.stop();
  }
});
