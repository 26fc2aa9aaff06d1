// What the app writes by rules with a pace, without a browser. The database is one without triggers.
import { deleteApp } from "firebase/app";
import { expect, test } from "vitest";

import { accept, ask, editPost, follow, hidePost, keepPace, like, noPost, setClosed, writeComment, writePost } from "relationindex-client";
import { client } from "../firestore.ts";
import { Lane, withPace } from "../rules/lane.ts";

const project = "rules-pace-app";
const draft = { text: "Hello", audience: "ada", to: [], refs: [], kind: "" };
const denied = { code: "permission-denied" };

test("the app writes each act with its rate, and none above the most", async () => {
  const lane = await Lane.open(project, withPace);
  const ada = client({ sub: "ada" }, project);
  const post = { ...noPost("first"), ...draft, userId: "ada" };
  await expect(writePost(ada, "first", "ada", draft)).rejects.toMatchObject(denied);
  keepPace(ada, () => "ada");
  try {
    await writePost(ada, "first", "ada", draft);
    await editPost(ada, post, "Hello again");
    await hidePost(ada, "first", true);
    await writeComment(ada, post, "ada", "A comment");
    await like(ada, "ada", "first");
    await follow(ada, "ada", "bob");
    await ask(ada, "ada", "cleo");
    await accept(ada, "g_club", "carol");
    await setClosed(ada, "ada", true);

    const [start, rate] = [new Date(Date.now() - 3_700_000), "users/ada/rates/posts"];
    await lane.store([rate], { [rate]: { start: new Date(), n: 60 } });
    await expect(writePost(ada, "second", "ada", draft)).rejects.toMatchObject(denied);
    await lane.store([rate], { [rate]: { start, n: 60 } }); // an hour later
    await writePost(ada, "second", "ada", draft);
  } finally {
    await deleteApp(ada.app);
    await lane.close();
  }
});
