// What the app watches, without a browser. The database is one without triggers: nothing but the post itself changes.
import { type DocumentData, Timestamp } from "firebase/firestore";
import { expect, test } from "vitest";

import { watchPost } from "../../src/app/data/posts.ts";
import { client, write } from "../firestore.ts";

test("a post that was refused comes back when it is shown again", async () => {
  const owner = client("owner", "watched");
  const hide = (hidden: boolean) => write({ "posts/p": { userId: "ada", audience: "ada", hidden, createdAt: Timestamp.now(), text: "Hello" } satisfies DocumentData }, owner);
  await write({ "users/ada": { name: "Ada", nameLower: "ada" } }, owner);
  await hide(false);

  const seen: string[] = [];
  const stop = watchPost(client({ sub: "bob" }, "watched"), "p", (post) => seen.push(post?.text ?? "none"), (error) => seen.push(error.message));
  const last = () => expect.poll(() => seen.at(-1));
  await last().toBe("Hello");
  await hide(true);
  await last().toBe("none");
  await hide(false);
  await last().toBe("Hello");
  stop();
});
