/** Newest index documents of an author, live. The account's own document lists the ids of all index documents, in order. */
import type { Db } from "./connect";
import { indexDocument, type IndexDocument, type Person, person } from "./documents";
import { live, type Stop, type Watch } from "./live";
import { accountOf, indexDocuments, newestParts } from "./queries";

/** The newest index documents, from the newest on, and the number of all. */
export type Window = { account: Person; newest: IndexDocument[]; total: number };

export const indexWindow =
  (db: Db, author: string): Watch<Window> =>
  (show) => {
    let from: string | undefined,
      account = person(author, {}),
      newest: IndexDocument[] | undefined,
      stopNewest: Stop = () => {};
    const draw = () => newest && show({ value: { account, newest, total: Math.max(account.indexIds.length, newest.length) } });
    const open = (first: string) => {
      stopNewest();
      from = first;
      const watch = live(indexDocument, indexDocuments(db, author, first));
      stopNewest = watch((now) => {
        if (now.why !== undefined) return show({ why: now.why });
        newest = now.value?.reverse().slice(0, newestParts);
        draw();
      });
    };
    const watchAccount = live(person, accountOf(db, author));
    const stopAccount = watchAccount((now) => {
      if (now.why !== undefined) return show({ why: now.why });
      account = now.value?.[0] ?? person(author, {});
      const ids = account.indexIds;
      // The window moves by half its size, because each move reads its documents again.
      const listenedTo = from === undefined ? Infinity : from === "" ? ids.length : ids.length - ids.indexOf(from);
      if (listenedTo > 1.5 * newestParts) open(ids.at(-newestParts) ?? "");
      draw();
    });
    return () => (stopAccount(), stopNewest());
  };
