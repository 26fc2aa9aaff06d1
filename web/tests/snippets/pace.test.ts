// The writes of a client with the paced rules, without a browser. The database is one without triggers.
import { deleteApp } from "firebase/app";
import { doc, getDocFromServer, serverTimestamp } from "firebase/firestore";
import { acceptRequest, changeProfile, editPost, follow, hidePost, like, requestFollow, writeComment, writePost } from "relationindex-client";
import { expect, test } from "vitest";

import { act } from "../../../client/src/pace.ts";
import { noPost } from "../../../client/src/posts.ts";
import { client } from "../firestore.ts";
import { meOf } from "../me.ts";
import { Lane, withPace } from "../rules/lane.ts";

const project = "rules-pace-app";
const draft = { text: "Hello", audience: "ada", to: [], refs: [], kind: "" };
const denied = { code: "permission-denied" };

test("the client writes each act with its rate and retries a rejected act once", async () => {
  const lane = await Lane.open(project, withPace);
  const db = client({ sub: "ada" }, project);
  await expect(writePost(meOf(db, "ada"), draft, "first")).rejects.toMatchObject(denied);
  const ada = meOf(db, "ada", { config: { pace: true } });
  const post = { ...noPost(ada, "first"), ...draft, userId: "ada" };
  try {
    await writePost(ada, draft, "first");
    await editPost(ada, post, "Hello again");
    await hidePost(ada, "first", true);
    await writeComment(ada, post, "A comment");
    await like(ada, "first");
    await follow(ada, "bob");
    await requestFollow(ada, "cleo");
    await acceptRequest(ada, { id: "carol", group: "g_club" });
    await changeProfile(ada, { closed: true });

    const rate = "users/ada/rates/posts";
    const hour = (start: Date) => lane.store([rate], { [rate]: { start, n: 60 } });
    /** Writes a post, and says how often it was tried. */
    const tries = async (id: string) => {
      let tried = 0;
      const done = await act(ada, "posts", id, (batch) => {
        tried++;
        batch.set(doc(db, "posts", id), { userId: "ada", createdAt: serverTimestamp(), ...draft, kind: "note", hidden: false });
      }).then(
        () => "written",
        (error: { code: string }) => error.code,
      );
      return { done, tried };
    };

    // The hour that this page has begun is over, or another tab's: the count is full, and a new one may begin.
    await hour(new Date(Date.now() - 3_700_000));
    expect(await tries("second")).toEqual({ done: "written", tried: 2 });
    expect((await getDocFromServer(doc(db, rate))).get("n")).toBe(1);
    expect(await tries("third")).toEqual({ done: "written", tried: 1 });

    // The count is full within the hour: once more, and not again. Then each act asks for a new hour by itself.
    await hour(new Date());
    expect(await tries("fourth")).toEqual({ done: "permission-denied", tried: 2 });
    expect(await tries("fourth")).toEqual({ done: "permission-denied", tried: 1 });
    await hour(new Date(Date.now() - 3_700_000));
    expect(await tries("fourth")).toEqual({ done: "written", tried: 1 });
    await expect(follow(ada, "nobody-at-all")).rejects.toMatchObject(denied);
  } finally {
    await deleteApp(db.app);
    await lane.close();
  }
});
