// The app's watches, without a browser. The database is one without triggers: nothing but the post itself changes.
import { type DocumentData, disableNetwork, memoryLocalCache, memoryLruGarbageCollector, Timestamp } from "firebase/firestore";
import { expect, test } from "vitest";

import { watchPost } from "relationindex-client";
import { at, client, write } from "../firestore.ts";
import { meOf } from "../me.ts";

test("a rejected post stays out of the feed, and returns when shown again", async () => {
  const owner = client("owner", "watched");
  const post = { userId: "ada", audience: "ada", createdAt: Timestamp.now(), text: "Hello" };
  // The second snapshot equals the cache's documents: the server's snapshot differs from the cache's by its metadata alone.
  const hide = (hidden: boolean) => write({ "posts/p": { ...post, hidden } satisfies DocumentData }, owner);
  await write({ "users/ada": { name: "Ada", nameLower: "ada" } }, owner);
  await hide(false);

  // A cache that keeps a document without a listener, as the app's does. The other one of memory forgets it.
  const localCache = memoryLocalCache({ garbageCollector: memoryLruGarbageCollector() });
  const bob = meOf(client({ sub: "bob" }, "watched", at, { localCache }), "bob");
  // One goes when it is refused. The other one stays, and hears later what both would hear.
  const left: string[] = [];
  const leave = watchPost(
    bob,
    "p",
    (post) => {
      left.push(post?.text ?? "none");
      if (!post) leave();
    },
    (error) => left.push(error.message),
  );
  const seen: string[] = [];
  const refused: number[] = [];
  const stop = watchPost(
    bob,
    "p",
    (post) => {
      seen.push(post?.text ?? "none");
      if (!post) refused.push(performance.now());
    },
    (error) => seen.push(error.message),
  );

  await expect.poll(() => seen.at(-1)).toBe("Hello");
  await hide(true);
  await expect.poll(() => refused.length).toBeGreaterThan(2);
  const hidden = seen.slice(seen.indexOf("none"));
  await hide(false);
  await expect.poll(() => seen.at(-1)).toBe("Hello");
  stop();
  expect(hidden).not.toContain("Hello");
  expect(refused[2]! - refused[1]!).toBeGreaterThan(3_900); // it waits for 2 seconds, then for 4, and up to a half more
  expect(left.slice(left.indexOf("none"))).toEqual(["none"]);

  // Without a network the cache is all there is: it shows what was not refused.
  await disableNetwork(bob.db);
  const offline: string[] = [];
  const end = watchPost(
    bob,
    "p",
    (post) => offline.push(post?.text ?? "none"),
    (error) => offline.push(error.message),
  );
  await expect.poll(() => offline).toEqual(["Hello"]);
  end();
});
