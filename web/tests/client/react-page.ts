// A page of React, for react.test.ts: what each hook says, as text.
import { initializeApp } from "firebase/app";
import { connectFirestoreEmulator, getFirestore } from "firebase/firestore";
import { createElement as h, StrictMode, useMemo } from "react";
import { createRoot } from "react-dom/client";
import { type Item, Names, OwnLikes, relationsFeed, type Source } from "relationindex-client";
import { useAccount, useBadge, useFollow, useLike, useList, useName } from "relationindex-client/react";

const { project, host, port, me, author, post } = JSON.parse(document.body.dataset["given"]!) as { project: string; host: string; port: number; me: string; author: string; post: string };
const db = getFirestore(initializeApp({ projectId: project, apiKey: "demo" }));
connectFirestoreEmulator(db, host, port, { mockUserToken: { sub: me } });
const [names, likes] = [new Names(db), new OwnLikes(db, me)];

/** A source that counts how often it began and ended. */
const counted = { begun: 0, ended: 0 };
const source: Source<Item> = {
  first(changed) {
    counted.begun++;
    changed({ items: [{ id: "one", order: "1" }], more: false });
    return () => void counted.ended++;
  },
  after: () => Promise.resolve(null),
};
Object.assign(window, { counted });

function Page() {
  const list = useList(() => relationsFeed(db, me), []);
  const other = useList(() => source, []);
  const follow = useFollow(db, me, author);
  const liked = useLike(likes, useMemo(() => ({ id: post, likes: 0 }), []));
  const { unseen } = useBadge(db, me);
  const name = useName(names, author);
  const { account } = useAccount(db, author);
  const line = (id: string, value: unknown) => h("p", { id, key: id }, String(value));
  const button = (text: string, click: () => void) => h("button", { key: text, onClick: click }, text);
  return h("main", {},
    line("feed", list.loading ? "loading" : `${list.items.length} ${list.more}`), line("other", other.items.length),
    line("follow", follow.known ? `${follow.following} ${follow.sending}` : "unknown"), line("like", `${liked.mine} ${liked.count}`),
    line("badge", unseen), line("name", name), line("account", account === undefined ? "unknown" : account?.name),
    button("More", list.loadMore), button("Follow", () => void follow.toggle()), button("Like", () => void liked.toggle()));
}

const place = createRoot(document.getElementById("place")!);
place.render(h(StrictMode, {}, h(Page)));
Object.assign(window, { unmount: () => place.unmount() });
