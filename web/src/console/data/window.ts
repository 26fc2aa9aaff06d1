/** Newest index documents of an author, live. The account's own document lists the ids of all index documents, in order. */
import { doc, onSnapshot } from "firebase/firestore";
import type { Db } from "./connect";
import { indexDocument, type IndexDocument, type Person, person } from "./documents";
import { live, type Stop, type Watch } from "./live";
import { indexDocuments, newestParts, users } from "./queries";

export interface Window {
  account: Person;
  /** The newest first. */
  newest: IndexDocument[];
  /** The number of all index documents. */
  total: number;
}

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
      stopNewest = live(
        indexDocument,
        indexDocuments(db, author, first),
      )((now) => {
        if (now.why !== undefined) show({ why: now.why });
        newest = now.value?.reverse().slice(0, newestParts) ?? newest;
        draw();
      });
    };
    const stopAccount = onSnapshot(
      doc(users(db), author),
      { includeMetadataChanges: true },
      (snap) => {
        if (snap.metadata.fromCache && from === undefined) return; // the server has not answered yet
        account = person(author, snap.data() ?? {});
        const ids = account.indexIds;
        // The window moves by half its size, because each move reads its documents again.
        const listenedTo = from === undefined ? Infinity : from === "" ? ids.length : ids.length - ids.indexOf(from);
        if (listenedTo > 1.5 * newestParts) open(ids.at(-newestParts) ?? "");
        draw();
      },
      (err) => show({ why: err.message }),
    );
    return () => (stopAccount(), stopNewest());
  };
