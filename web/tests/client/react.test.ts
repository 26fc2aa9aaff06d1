// The hooks, in StrictMode and in Chromium: each effect runs twice, and what was begun is ended.
import { expect, onTestFinished } from "vitest";

import { open, test } from "../browser/browser.ts";
import { serve } from "../browser/served.ts";
import { at, client, follow, idle, profile, publish, write } from "../firestore.ts";
import type { Commit, Given } from "./react-page.ts";

/** Creates an account, with a profile; returns its uid. */
async function signUp(email: string, name: string): Promise<string> {
  const answer = await fetch(`http://${at.authHost}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: "correct horse", returnSecureToken: true }),
  });
  const { localId } = (await answer.json()) as { localId: string };
  await write({ [`users/${localId}`]: profile(name) });
  return localId;
}

test("hooks start and end their watches in StrictMode, and begin again with another account", async ({ browser }) => {
  const [author, closed] = ["react-author", "react-closed"];
  const [reader, next] = [`react-reader-${Date.now()}@example.com`, `react-next-${Date.now()}@example.com`];
  const [me, other] = [await signUp(reader, "Reader"), await signUp(next, "Next")];
  await write({
    [`users/${author}`]: profile("Author"),
    [`users/${closed}`]: { ...profile("Closed"), closed: true },
    ...Object.fromEntries(
      [1, 2].map((n) => [`users/${me}/notifications/like.p${n}`, { verb: "like", object: `p${n}`, count: 1, actors: [author], at: new Date(n * 1000) }]),
    ),
  });
  await publish(author, 25);
  const post = `${author}-024`;
  await write({ [`posts/${post}/comments/c1`]: { userId: author, createdAt: new Date(), thread: `${author}/${author}`, text: "A comment" } });
  await follow(author, me);
  await idle();

  const page = await open(browser, "about:blank");
  const said: string[] = [];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  const given: Given = {
    config: {
      firebase: { projectId: at.project, apiKey: "demo" },
      database: at.database,
      emulators: { firestoreHost: at.firestoreHost, authHost: at.authHost },
    },
    author,
    closed,
    post,
  };
  // StrictMode does its work in development alone.
  const { url, close } = await serve("client/react-page.ts", `<body data-given='${JSON.stringify(given)}'><div id="place"></div>`, "development");
  onTestFinished(close);
  await page.goto(url);

  const line = (id: string) => expect.poll(() => page.locator(`#${id}`).textContent(), { timeout: 60_000 });
  await line("user").toBe("nobody");
  expect(await page.evaluate("window.popup")).toBe(true);
  await page.evaluate((email) => (window as unknown as { signIn(email: string): Promise<void> }).signIn(email), reader);
  await line("me").toBe(me);
  await line("feed").toBe("ready 20 true");
  await line("other").toBe("1");
  await line("follow").toBe("following false false");
  await line("asked").toBe("none false true");
  await line("comments").toBe("A comment");
  await line("like").toBe("false 0");
  await line("badge").toBe("2");
  await line("name").toBe("\u2068Author\u2069");
  await line("account").toBe("Author");
  expect(await page.evaluate("window.counted")).toEqual({ begun: 2, ended: 1 });

  await page.getByRole("button", { name: "More" }).click();
  await line("feed").toBe("ready 25 false");
  await page.getByRole("button", { name: "Like" }).click();
  await line("like").toBe("true 1");
  await page.getByRole("button", { name: "Ask" }).click();
  await line("asked").toBe("requested false true");
  await page.getByRole("button", { name: "Ask" }).click();
  await line("asked").toBe("none false true");
  await write({ [`users/${closed}`]: profile("Closed") }); // it was opened, and the page has not read that
  await page.getByRole("button", { name: "Ask" }).click();
  await line("reason").toBe("open");
  await line("asked").toBe("none false false");
  await write({ [`posts/${post}/comments/c2`]: { userId: author, createdAt: new Date(), thread: `${author}/${author}`, text: "Another" } });
  await line("comments").toBe("Another,A comment");

  // Another account signs in, as in another tab: no commit shows it what is the first one's.
  await page.evaluate((email) => (window as unknown as { signIn(email: string): Promise<void> }).signIn(email), next);
  await line("me").toBe(other);
  await line("feed").toBe("ready 0 false");
  await line("follow").toBe("none false false");
  await line("like").toBe("false 0");
  await line("badge").toBe("0");
  expect(await page.evaluate("window.counted")).toEqual({ begun: 3, ended: 2 });
  const commits = await page.evaluate<Commit[]>("window.commits");
  const ofOther = commits.filter((commit) => commit.me === other);
  expect(ofOther.length).toBeGreaterThan(1);
  const shown = new Set(ofOther.map((commit) => JSON.stringify(commit, (_, value: unknown) => value ?? null)));
  expect(
    [...shown].filter((one) => !/"feed":0,"unseen":0,"follow":(null|"none"),/.test(one) || !(one.includes('"own":null') || one.includes(`"own":"${other}"`))),
  ).toEqual([]);

  await page.evaluate((email) => (window as unknown as { signIn(email: string): Promise<void> }).signIn(email), reader);
  await line("feed").toBe("ready 20 true");
  await page.getByRole("button", { name: "Follow" }).click();
  await line("follow").toBe("none false false");
  await line("feed").toBe("ready 0 false"); // as the functions have it
  await write({ [`users/${author}`]: profile("Renamed") });
  await line("account").toBe("Renamed");

  await page.evaluate("window.unmount()");
  expect(await page.evaluate("window.counted")).toEqual({ begun: 4, ended: 4 });
  await write({ [`users/${author}`]: profile("Renamed again") }, client("owner"));
  await idle();
  expect(page.errors).toEqual([]);
  const ofReact = said.filter((text) => /^(error|warning)/.test(text) && !/net::|@firebase|CORS|emulator/.test(text)); // the SDK's connection may break
  expect(ofReact).toEqual([]);
});
