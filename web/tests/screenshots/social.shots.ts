// Likes, numbers, notifications and reposts, and pages that are one post.
import { named, signUp, test, visit } from "../browser/browser.ts";
import { seed } from "../browser/seed.ts";
import { client, idle, write } from "../firestore.ts";
import { start } from "../system.ts";
import { shoot } from "./shoot.ts";

test("a person whose posts others like, comment and repost", async ({ chromium }) => {
  const { addresses: at, stop } = await start({ RELATIONINDEX_COUNTS: "true", RELATIONINDEX_NOTIFICATIONS: "true" });
  try {
    const db = client("owner", at.project, at);
    const system = { write: (documents: Parameters<typeof write>[0]) => write(documents, db), idle: () => idle(at) };
    const me = await signUp(chromium, "Nadia Ferreira", { baseURL: at.webURL });
    const { page, uid } = me;
    await visit(page, "Notifications");
    await page.getByText("Nothing new yet").waitFor();
    await shoot(page, "social-notifications-empty");

    await visit(page, "Feed");
    await seed(uid, system);
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
      "posts/catalogues/comments/c1": {
        userId: "seed-6",
        createdAt: new Date(),
        thread: `${uid}/${uid}`,
        text: "The green one. I read it in bed until March.",
      },
    });
    await system.idle();
    await page.getByRole("navigation", { name: "Main" }).getByText("to look at").waitFor();
    await visit(page, "Notifications");
    await page.getByRole("list", { name: "Notifications" }).getByRole("listitem").nth(2).waitFor();
    await named(page);
    await shoot(page, "social-notifications");

    await visit(page, "Profile");
    await page.getByText("Which of the two seed catalogues").waitFor();
    await shoot(page, "social-profile");
    await page.goto("/#/p/catalogues");
    await page.getByText("until March").waitFor();
    await named(page);
    await shoot(page, "social-post");
    await page.goto("/#/p/seed-trains");
    await page.getByRole("button", { name: "Repost" }).click();
    await page.getByText("Reposted.").waitFor();
    await named(page);
    await shoot(page, "social-reposted");
    await page.goto("/#/p/of-nobody");
    await page.getByText("This post is not here").waitFor();
    await shoot(page, "social-post-gone");
    await page.goto("/#/no/such%2Fpage");
    await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
    await shoot(page, "social-nowhere");
  } finally {
    await stop();
  }
});
