// The app, as a person meets it who follows some people, and whose functions do everything.
import { Timestamp } from "firebase/firestore";
import type { Locator } from "playwright-core";

import { inFeed, named, open, type Person, signUp, test, visit } from "../browser/browser.ts";
import { seed } from "../browser/seed.ts";
import { startTimelines, type Timelines } from "../timelines.ts";
import { shoot } from "./shoot.ts";

let system: Timelines;
let me: Person;

const centre = (what: Locator) => () => what.evaluate((node) => node.scrollIntoView({ block: "center" }));

/** publish writes a post of now. */
async function publish(author: number, text: string, kind: string): Promise<void> {
  const userId = `seed-${author}`;
  await system.write({ [`posts/${userId}-${kind}`]: { userId, audience: userId, hidden: false, createdAt: Timestamp.now(), text, kind } });
  await system.idle();
}

test("sign in", async ({ chromium }) => {
  system = await startTimelines("items", {
    RELATIONINDEX_SETTINGS: "true",
    RELATIONINDEX_RANKED: "true",
    RELATIONINDEX_BACKFILL: "40",
    RELATIONINDEX_COUNTS: "true",
    RELATIONINDEX_NOTIFICATIONS: "true",
  });
  const page = await open(chromium, system.at.webURL);
  await page.getByRole("button", { name: "Create one" }).waitFor();
  await shoot(page, "sign-in");
  me = await signUp(chromium, "Nadia Ferreira", { baseURL: system.at.webURL });
  await seed(me.uid, system);
});

test("the feed, and a timeline with new posts", async () => {
  const { page } = me;
  await page.reload();
  await page.getByText(/^\d+\+ new$/).waitFor();
  await page.getByRole("button", { name: "Mark as read" }).click();
  await page.getByText(/^\d+\+ new$/).waitFor({ state: "hidden" });
  await named(page);
  await page.getByText("Marked as read.").waitFor({ state: "detached" });
  await shoot(page, "feed");
  await publish(9, "The bridge at six this morning, with nobody on it.", "photo");
  await publish(4, "Reading and soup at ours, Thursday at seven.", "event");
  await publish(7, "Which of the two trains has the better window seats?", "question");
  await page.getByText("3 new", { exact: true }).waitFor();
  await named(page);
  await shoot(page, "unread");
  await inFeed(me, "The bridge at six").getByRole("button", { name: "More about this post" }).click();
  await page.getByRole("button", { name: /^Hide everything by/ }).waitFor();
  await shoot(page, "hide");
  await page.getByRole("button", { name: "Hide every photo", exact: true }).click();
  await page.evaluate(() => window.scrollTo(0, 500));
  await publish(9, "Fog on the river, and one heron.", "place");
  await publish(4, "There is soup left.", "");
  await page.getByRole("button", { name: "2 new posts" }).waitFor();
  await shoot(page, "new-posts");
  await page.getByRole("button", { name: "2 new posts" }).click();
});

test("writing, and a network that goes away", async () => {
  const { page } = me;
  await page.getByLabel("Write a post").fill("First evening with the lights on at six.\n\nTea, a blanket, and the second half of the book.");
  await page.getByRole("button", { name: /^Who gets this post/ }).click();
  await page.getByLabel("Add people by name").fill("gre");
  await page.getByRole("button", { name: "Add Greta Sørensen" }).click();
  await page.getByLabel("Add people by name").fill("j");
  await page.getByRole("button", { name: "Add Jonas Weber" }).waitFor();
  await shoot(page, "composer");
  await page.getByLabel("Add people by name").fill("");
  await page.keyboard.press("Escape");
  await page.context().setOffline(true);
  await page.getByText("Offline.").waitFor();
  await page.getByRole("button", { name: "Post", exact: true }).click();
  await page.getByText("Waiting for the network").waitFor();
  await shoot(page, "offline");
  await page.context().setOffline(false);
});

test("people, and a private account", async () => {
  const { page } = me;
  await visit(page, "People");
  await page
    .getByRole("button", { name: /^Follow/ })
    .nth(8)
    .waitFor();
  await shoot(page, "people");
  await page.goto(`${system.at.webURL}#/u/seed-12`);
  await page.getByText("This account is private").waitFor();
  await page.getByRole("button", { name: "Request to follow Mia" }).click();
  await page.getByRole("button", { name: "Requested Mia: withdraw" }).waitFor();
  await shoot(page, "private");
  await page.goto(`${system.at.webURL}#/u/seed-5`);
  await page.getByRole("article").nth(2).waitFor();
  await page.getByRole("button", { name: /unfollow$/ }).waitFor();
  await shoot(page, "profile");
});

test("a group, its posts and comments", async () => {
  const { page, uid } = me;
  await system.write({
    "posts/seed-plot/comments/c1": { userId: "seed-2", createdAt: Timestamp.now(), thread: "seed-6/g_allotment", text: "We would take it, gladly." },
    "posts/seed-plot/comments/c2": { userId: uid, createdAt: Timestamp.now(), thread: "seed-6/g_allotment", text: "Do! The water is on our side." },
  });
  await system.idle();
  await page.goto(`${system.at.webURL}#/u/g_allotment`);
  const plot = page.getByRole("article").filter({ hasText: "Plot 14 is free" });
  await plot.waitFor();
  await named(page);
  await shoot(page, "group");
  await plot.getByRole("button", { name: /^Comments/ }).click();
  await plot.locator(".comment time").nth(1).waitFor();
  await shoot(page, "comments", { at: centre(plot) });
});

test("notifications, a post and settings", async () => {
  const { page, uid } = me;
  await system.write({
    "posts/catalogues": {
      userId: uid,
      audience: uid,
      hidden: false,
      to: [],
      refs: [],
      createdAt: new Date(),
      text: "Which of the two seed catalogues do you still get on paper?",
    },
  });
  await system.write(Object.fromEntries([3, 4, 5].map((i) => [`posts/catalogues/likes/seed-${i}`, { userId: `seed-${i}`, createdAt: new Date() }])));
  await system.write({
    "posts/catalogues/comments/c1": { userId: "seed-6", createdAt: new Date(), thread: `${uid}/${uid}`, text: "The green one. I read it in bed until March." },
  });
  await system.idle();
  await visit(page, "Notifications");
  await page.getByRole("list", { name: "Notifications" }).getByRole("listitem").nth(2).waitFor();
  await page.getByRole("list", { name: "Notifications" }).getByText("seed catalogues").first().waitFor();
  await named(page);
  await shoot(page, "notifications");
  await page.goto(`${system.at.webURL}#/p/catalogues`);
  await page.getByText("until March").waitFor();
  await page.getByRole("button", { name: "Like, 3 likes" }).click();
  await named(page);
  await shoot(page, "post");
  await visit(page, "Profile");
  await page.getByRole("list", { name: "Posts", exact: true }).getByText("Which of the two").waitFor();
  await shoot(page, "own-profile");
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("list", { name: "Filters" }).getByText("every photo").waitFor();
  await shoot(page, "settings");
  await system.stop();
});
