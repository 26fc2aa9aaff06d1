// The hooks, in StrictMode and in Chromium: each effect runs twice, and what was begun is ended.
import { expect, onTestFinished } from "vitest";

import { open, test } from "../browser/browser.ts";
import { serve } from "../browser/served.ts";
import { at, client, follow, idle, profile, publish, write } from "../firestore.ts";

test("hooks start and end their watches in StrictMode", async ({ browser }) => {
  const [me, author] = ["react-reader", "react-author"];
  await write({
    [`users/${me}`]: profile("Reader"), [`users/${author}`]: profile("Author"),
    ...Object.fromEntries([1, 2].map((n) => [`users/${me}/notifications/like.p${n}`, { verb: "like", object: `p${n}`, count: 1, actors: [author], at: new Date(n * 1000) }])),
  });
  await publish(author, 25);
  await follow(author, me);
  await idle();

  const page = await open(browser, "about:blank");
  const said: string[] = [];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  const [host, port] = at.firestoreHost.split(":");
  const given = JSON.stringify({ project: at.project, host, port: Number(port), me, author, post: `${author}-024` });
  // StrictMode does its work in development alone.
  const { url, close } = await serve("client/react-page.ts", `<body data-given='${given}'><div id="place"></div>`, "development");
  onTestFinished(close);
  await page.goto(url);

  const line = (id: string) => expect.poll(() => page.locator(`#${id}`).textContent(), { timeout: 60_000 });
  await line("feed").toBe("20 true");
  await line("other").toBe("1");
  await line("follow").toBe("true false");
  await line("like").toBe("false 0");
  await line("badge").toBe("2");
  await line("name").toBe("\u2068Author\u2069");
  await line("account").toBe("Author");
  expect(await page.evaluate("window.counted")).toEqual({ begun: 2, ended: 1 });

  await page.getByRole("button", { name: "More" }).click();
  await line("feed").toBe("25 false");
  await page.getByRole("button", { name: "Like" }).click();
  await line("like").toBe("true 1");
  await page.getByRole("button", { name: "Follow" }).click();
  await line("follow").toBe("false false");
  await line("feed").toBe("0 false"); // as the functions have it
  await write({ [`users/${author}`]: profile("Renamed") });
  await line("account").toBe("Renamed");

  await page.evaluate("window.unmount()");
  expect(await page.evaluate("window.counted")).toEqual({ begun: 2, ended: 2 });
  await write({ [`users/${author}`]: profile("Renamed again") }, client("owner"));
  await idle();
  expect(page.errors).toEqual([]);
  const ofReact = said.filter((text) => /^(error|warning)/.test(text) && !/net::|@firebase|CORS|emulator/.test(text)); // the SDK's connection may break
  expect(ofReact).toEqual([]);
});
