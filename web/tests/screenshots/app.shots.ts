// Every view and state of the app, as somebody meets them.
import { findPerson, makeModerator, named, open, type Person, post, readFrom, signIn, signUp, test, visit } from "../browser/browser.ts";
import { choir, seed } from "../browser/seed.ts";
import { idle, write } from "../firestore.ts";
import { shoot, tablet } from "./shoot.ts";

let me: Person;

test("the door", async ({ chromium }) => {
  const page = await open(chromium);
  await page.getByRole("button", { name: "Create one" }).waitFor();
  await shoot(page, "app-sign-in");
  await page.getByLabel("E-mail").fill("nadia@example.com");
  await page.getByLabel("Password").fill("wrong horse");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("do not go together").waitFor();
  await shoot(page, "app-wrong-password");
  await page.getByRole("button", { name: "Create one" }).click();
  await page.getByLabel("Name").fill("Nadia Ferreira");
  await page.getByLabel("E-mail").fill("nadia@example.com");
  await page.getByLabel("Password").fill("correct horse");
  await page.route(/accounts:signUp/, (route) => route.abort());
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("The server cannot be reached.").waitFor();
  await shoot(page, "app-sign-up-failed");

  const bare = await open(chromium, "about:blank");
  await bare.route("**/config.json", async (route) => {
    const config = await (await route.fetch()).json();
    delete config.emulators.authHost;
    await route.fulfill({ json: config });
  });
  await bare.goto("/");
  await bare.getByText("Sign-in needs the Auth emulator").waitFor();
  await shoot(bare, "app-no-auth-emulator");
  await bare.route("**/config.json", (route) => route.fulfill({ status: 404, body: "" }));
  await bare.reload();
  await bare.getByText("This did not start").waitFor();
  await shoot(bare, "app-no-config");
});

test("a new account", async ({ chromium }) => {
  me = await signUp(chromium, "Nadia Ferreira");
  await me.page.getByText("Your feed is empty").waitFor();
  await shoot(me.page, "app-feed-empty");
  await me.page.goto("/#/people/followers");
  await me.page.getByText("Nobody follows you yet").waitFor();
  await shoot(me.page, "app-followers-empty");
});

test("loading", async () => {
  const { page } = me;
  await seed(me.uid);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/Feed?*", async (route) => (await held, route.continue()));
  await visit(page, "Feed");
  await readFrom(page, "feed");
  await page.locator(".placeholder").first().waitFor();
  await shoot(page, "app-feed-loading");
  release();
  await page.getByRole("article").nth(10).waitFor();
  await readFrom(page, "");
});

test("the feed", async () => {
  const { page } = me;
  await page.reload();
  await page.getByRole("article").nth(10).waitFor();
  await named(page);
  await shoot(page, "app-feed", { also: tablet });
  await page.setViewportSize({ width: 360, height: 760 });
  await page
    .locator(".reposters")
    .first()
    .evaluate((node) => node.scrollIntoView({ block: "center" }));
  await page.locator(".repost article").first().waitFor();
  await shoot(page, "app-feed-repost");
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.getByRole("button", { name: "Show more" }).first().scrollIntoViewIfNeeded();
  await shoot(page, "app-feed-further-down");
  await write(
    Object.fromEntries(["One more thing.", "And another."].map((text, i) => [`posts/late-${i}`, { userId: `seed-${i}`, createdAt: new Date(), text }])),
  );
  await idle();
  await page.getByRole("button", { name: "2 new posts" }).waitFor();
  await shoot(page, "app-feed-new-posts");
  await page.getByRole("button", { name: "2 new posts" }).click();
});

test("writing", async () => {
  const { page } = me;
  const field = page.getByLabel("Write a post");
  await field.fill(`A long one. ${"And on it goes, as such things do. ".repeat(277)}`);
  await shoot(page, "app-composer-counter");
  await field.fill("First evening with the lights on at six.\n\nTea, a blanket, and the second half of the book.");
  await shoot(page, "app-composer");
  await page.context().setOffline(true);
  await page.getByText("Offline.").waitFor();
  await page.getByRole("button", { name: "Post", exact: true }).click();
  await page.getByText("Waiting for the network").waitFor();
  await shoot(page, "app-offline");
  await page.context().setOffline(false);
  await page.getByRole("list", { name: "What you have just written" }).locator("time").waitFor();
});

test("people", async () => {
  const { page } = me;
  await visit(page, "People");
  await page
    .getByRole("button", { name: /^Follow/ })
    .nth(8)
    .waitFor();
  await shoot(page, "app-people");
  await page.getByLabel("Search by name").fill("nobody at all");
  await page.getByText("Nobody here by that name").waitFor();
  await shoot(page, "app-people-none");
  await page.getByRole("link", { name: "Followers", exact: true }).click();
  await page
    .getByRole("button", { name: /^Block/ })
    .nth(3)
    .waitFor();
  await shoot(page, "app-followers");
  await page
    .getByRole("button", { name: /^Block/ })
    .first()
    .click();
  await shoot(page, "app-followers-block");
});

test("profiles", async () => {
  const { page } = me;
  await page.goto("/#/u/seed-5");
  await page.getByRole("article").nth(2).waitFor();
  await page.getByRole("button", { name: /unfollow$/ }).waitFor();
  await page.getByRole("button", { name: /^Block/ }).waitFor();
  await shoot(page, "app-profile-other"); // with a bio
  await visit(page, "Profile");
  await post(me, "Does the bakery on the corner still do the small ones with cardamom?");
  await shoot(page, "app-profile");
  await page.getByRole("button", { name: "Edit", exact: true }).first().click();
  await shoot(page, "app-profile-edit");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Delete" }).first().click();
  await shoot(page, "app-profile-delete");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Edit profile" }).click();
  await shoot(page, "app-profile-form");
});

test("private accounts", async () => {
  const { page } = me;
  await page.goto("/#/u/seed-12");
  await page.getByText("This account is private").waitFor();
  await page.getByRole("button", { name: "Request to follow Mia" }).waitFor();
  await shoot(page, "app-private");
  await page.getByRole("button", { name: "Request to follow Mia" }).click();
  await page.getByRole("button", { name: "Requested Mia: withdraw" }).waitFor();
  await shoot(page, "app-private-requested");
  await page.goto("/#/people/requests");
  await page
    .getByRole("button", { name: /^Accept/ })
    .nth(1)
    .waitFor();
  await shoot(page, "app-requests");
  await visit(page, "Profile");
  await page.getByLabel("Private account").check();
  await page.getByText("Private: new followers").waitFor();
  await shoot(page, "app-profile-private");
  await page.getByLabel("Private account").click();
  await shoot(page, "app-profile-open");
  await page.getByRole("button", { name: "Cancel" }).click();
});

test("groups", async () => {
  const { page, uid } = me;
  await visit(page, "Groups");
  await page.getByRole("button", { name: "Joined Allotment Society: leave" }).waitFor();
  await shoot(page, "app-groups");
  await page.getByRole("button", { name: "New group" }).click();
  await shoot(page, "app-groups-new");
  await page.goto("/#/u/g_allotment");
  await page.getByRole("article").nth(1).waitFor();
  await shoot(page, "app-topic");
  await page.getByRole("button", { name: "Add people" }).click();
  await page.getByLabel("Write a post").fill("Who brings the ladder on Sunday? #tools");
  await page.getByLabel("Add people by name").fill("gre");
  await page.getByRole("button", { name: "Add Greta Sørensen" }).click();
  await page.getByLabel("Add people by name").fill("j");
  await page.getByRole("button", { name: "Add Jonas Weber" }).waitFor();
  await shoot(page, "app-composer-people");
  await page.goto("/#/u/g_board");
  await page.getByText("This group is closed").waitFor();
  await shoot(page, "app-group-closed");
  await page.goto(`/#/u/${choir(uid)}`);
  await page.getByText("Nothing written yet").waitFor();
  await shoot(page, "app-group-own");
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await shoot(page, "app-group-change");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("link", { name: "Members" }).click();
  await page
    .getByRole("button", { name: /^Remove/ })
    .nth(4)
    .waitFor();
  await shoot(page, "app-group-members");
  await page.getByRole("link", { name: "Requests" }).click();
  await page
    .getByRole("button", { name: /^Accept/ })
    .nth(1)
    .waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await shoot(page, "app-group-delete");
});

test("posts about something", async () => {
  const { page } = me;
  await page.goto("/#/about/%23frost");
  await page.getByRole("article").first().waitFor();
  await named(page);
  await shoot(page, "app-about");
  await page.goto("/#/about/seed-9");
  await page.getByText("No posts about this person yet").waitFor();
  await shoot(page, "app-about-empty");
});

test("a moderator, and a post that is hidden", async ({ chromium }) => {
  const { uid, email } = await signUp(chromium, "Mo Derator");
  await makeModerator(uid);
  const page = await open(chromium);
  await signIn(page, email);
  await page.getByRole("heading", { level: 1, name: "Feed" }).waitFor();
  await page.goto("/#/u/seed-1");
  await page.getByRole("button", { name: "Take down" }).first().click();
  await page.getByText("Taken down", { exact: true }).first().waitFor();
  await page.getByText("Sending…").waitFor({ state: "detached" });
  await shoot(page, "app-hidden");
});

test("failures", async ({ chromium }) => {
  const blocked = await signUp(chromium, "Otto Nygaard");
  await write({ [`users/seed-0/blocked/${blocked.uid}`]: { createdAt: new Date() } });
  await findPerson(blocked, { uid: "seed-0", name: "Ada Okafor" });
  await blocked.page.getByRole("button", { name: "Follow Ada Okafor" }).click();
  await blocked.page.getByText("does not accept you").waitFor();
  await shoot(blocked.page, "app-follow-refused", { toast: true });

  await blocked.page.route("**/Feed?*", (route) => route.fulfill({ status: 503, json: { error: { code: "unavailable", message: "try again later" } } }));
  await visit(blocked.page, "Feed");
  await readFrom(blocked.page, "feed");
  await blocked.page.getByRole("button", { name: "Try again" }).waitFor();
  await shoot(blocked.page, "app-feed-failed");
});
