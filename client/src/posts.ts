/** Posts: documents posts/{id}. Their author writes, edits and deletes them. */
import {
  deleteDoc, deleteField, doc, getDoc, onSnapshot, orderBy, query, serverTimestamp, Timestamp, updateDoc, where,
  type DocumentSnapshot, type Firestore, type Query, type Unsubscribe,
} from "firebase/firestore";
import { countIn } from "./counts.ts";
import { codeOf } from "./errors.ts";
import { isId } from "./ids.ts";
import { act, stored } from "./pace.ts";
import { postPath, postsPath } from "./paths.ts";
import { maxRefs, tagsOf } from "./refs.ts";

export interface Post {
  id: string;
  userId: string;
  /** By the server's clock; by this device's clock while the post is being sent. */
  createdAt: Date;
  text: string;
  edited: boolean;
  /** The account or group whose followers get the post; "": only the people in `to`. */
  audience: string;
  /** People who get the post, whether they follow its audience or not. */
  to: string[];
  /** Subjects of the post: #names, and ids of accounts. */
  refs: string[];
  /** A word of the app's, such as "photo"; "": none. Readers hide and show kinds. */
  kind: string;
  /** The id of the post that this repost shows instead of a text, see reposts.ts; "": not a repost. */
  repostOf: string;
  /** A hidden post is in no feed; its author and moderators see it. */
  hidden: boolean;
  /** A moderator or the group's owner hid the post: its author cannot show it. */
  judged: boolean;
  /** Counted by the functions; 0 if the project has no numbers. */
  likes: number;
  comments: number;
  /** The server has not confirmed the last write of the post. */
  sending: boolean;
}

/** The fields that an author chooses for a new post. */
export type Draft = Pick<Post, "text" | "audience" | "to" | "refs" | "kind"> & { repostOf?: string };

/** The most UTF-16 units of a text; the rules reject more characters. */
export const maxText = 10_000;

/** The most people in `to`; the rules reject more. */
export const maxTo = 100;

/** Returns an id for a new post. A repeated write with the same id makes no second post. */
export function newPostId(db: Firestore): string {
  return doc(postsPath(db)).id;
}

const written = new WeakMap<Firestore, Set<string>>();

/** The ids that writePost was called with since the page was opened. */
export function writtenHere(db: Firestore): Set<string> {
  const ids = written.get(db) ?? new Set();
  written.set(db, ids);
  return ids;
}

/**
 * Writes a post: one write. Resolves when the server has the post. Offline, the write waits, also across a reload; watchPost and
 * queries show the post at once, as sending. May be repeated with the same id.
 *
 * @param draft a text is enough: the post then goes to its author's followers, and its refs are the #names in the text.
 */
export async function writePost(db: Firestore, id: string, userId: string, draft: Pick<Draft, "text"> & Partial<Draft>): Promise<void> {
  writtenHere(db).add(id);
  try {
    const { text, audience = userId, to = [], refs = tagsOf(text), kind, repostOf } = draft;
    await act(db, "posts", id, (batch) => batch.set(postPath(db, id), { userId, createdAt: serverTimestamp(), text, audience, to, refs, ...(kind && { kind }), ...(repostOf && { repostOf }), hidden: false }));
  } catch (error) {
    // The rules reject a second write of a stored post, because its createdAt would change. The stored post is unchanged.
    const there = codeOf(error) === "permission-denied" && (await stored(postPath(db, id)));
    if (!there || there.get("userId") !== userId) throw error;
    writtenHere(db).delete(id); // the stored post may be old, such as a repost
  }
}

/**
 * Changes a post's text, and its #names with it: one write. Feeds show the change through watchPost. Rejects with not-found if the
 * post was deleted.
 */
export async function editPost(db: Firestore, post: Post, text: string): Promise<void> {
  const refs = [...post.refs.filter((ref) => !tagsOf(post.text).includes(ref)), ...tagsOf(text)];
  await act(db, "posts", post.id, (batch) => batch.update(postPath(db, post.id), { text, editedAt: serverTimestamp(), refs: [...new Set(refs)].slice(0, maxRefs) }));
}

/** Removes a post from every feed, or puts it back: one write by its author. May be repeated. */
export async function hidePost(db: Firestore, id: string, hidden: boolean): Promise<void> {
  await act(db, "posts", id, (batch) => batch.update(postPath(db, id), { hidden }));
}

/**
 * Hides or shows a post as a moderator: one write. The author cannot undo that, and a moderator cannot show a post that its author
 * hid.
 */
export async function judgePost(db: Firestore, id: string, hidden: boolean): Promise<void> {
  await updateDoc(postPath(db, id), { hidden, hiddenBy: hidden ? "moderator" : deleteField() });
}

/** Deletes a post: one delete. The functions remove it from feeds. May be repeated. */
export async function deletePost(db: Firestore, id: string): Promise<void> {
  await deleteDoc(postPath(db, id));
}

/**
 * Watches a post: one read, and one for each edit. Calls changed with null if the post does not exist, or if the account may not
 * read it: the post may be hidden, or its audience closed. fromCache: only the cache has answered, the server may have the post.
 *
 * A rejection ends a listener of Firestore. If the post is then shown again, nothing reports that. So watchPost listens again
 * after 2 seconds, and doubles the wait each time, up to a minute. It stops after `refusals` rejections, because each costs the
 * reads of the rules.
 *
 * The cache keeps a rejected post, and answers before the server. So after a rejection, watchPost ignores the cache. If the
 * server then sends the cached version, only includeMetadataChanges reports it.
 */
export function watchPost(db: Firestore, id: string, changed: (post: Post | null, fromCache: boolean) => void, failed: (error: Error) => void, refusals = Infinity): Unsubscribe {
  let stop: Unsubscribe = () => undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let wait = 0; // until the next listener; 0 unless the server's last answer was a rejection
  const listen = () => {
    stop = onSnapshot(postPath(db, id), { includeMetadataChanges: true },
      (found) => {
        if (wait && found.metadata.fromCache) return;
        wait = 0;
        changed(found.exists() ? toPost(found) : null, found.metadata.fromCache);
      },
      (error) => {
        if (codeOf(error) !== "permission-denied") return failed(error);
        wait = Math.min(2 * wait || 2_000, 60_000);
        if (--refusals > 0) again = setTimeout(listen, wait); // before changed, which may stop the watch
        changed(null, false);
      });
  };
  listen();
  return () => {
    clearTimeout(again);
    stop();
  };
}

/**
 * Reads posts by id, one read for each, without those that do not exist or that the account may not read. The rules allow no query
 * by ids.
 */
export async function getPosts(db: Firestore, ids: string[]): Promise<Map<string, Post>> {
  const found = await Promise.all(ids.map((id) => getDoc(postPath(db, id)).catch((error: unknown) => {
    if (codeOf(error) === "permission-denied") return null;
    throw error;
  })));
  return new Map(found.flatMap((post) => (post?.exists() ? [[post.id, toPost(post)]] : [])));
}

/** The account's posts to every audience, newest first. The query has its own composite index in firestore.indexes.json. */
export function postsOf(db: Firestore, me: string): Query {
  return query(postsPath(db), where("userId", "==", me), orderBy("createdAt", "desc"));
}

/**
 * Posts to an audience, newest first; a moderator sees hidden ones too. Rejected with permission-denied if the account may not read
 * them. Its index is in firestore.indexes.json.
 */
export function postsTo(db: Firestore, audience: string, moderator: boolean): Query {
  const shown = moderator ? where("hidden", "in", [false, true]) : where("hidden", "==", false);
  return query(postsPath(db), where("audience", "==", audience), shown, orderBy("createdAt", "desc"));
}

/** Stands for a post that does not exist, or that the account may not read. */
export const noPost = (id: string): Post => ({ ...fieldsOf({}), id, createdAt: new Date(0), sending: false });

export function toPost(found: DocumentSnapshot): Post {
  const data = found.data({ serverTimestamps: "estimate" }) ?? {};
  const createdAt = data.createdAt instanceof Timestamp ? data.createdAt.toDate() : new Date(0);
  return { ...fieldsOf(data), id: found.id, createdAt, sending: found.metadata.hasPendingWrites };
}

/** Another client may have written any value: a field of the wrong type becomes empty. */
export function fieldsOf(data: Record<string, unknown>): Omit<Post, "id" | "createdAt" | "sending"> {
  const texts = (value: unknown) => (Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []);
  const userId = typeof data.userId === "string" ? data.userId : "";
  const text = typeof data.text === "string" ? data.text : "";
  const original = data.repostOf;
  return {
    userId,
    text,
    edited: data.editedAt !== undefined,
    audience: typeof data.audience === "string" ? data.audience : userId, // written by a server, or an old post
    to: texts(data.to),
    refs: texts(data.refs),
    kind: typeof data.kind === "string" ? data.kind : "",
    repostOf: text === "" && typeof original === "string" && isId(original) ? original : "",
    hidden: data.hidden === true,
    judged: data.hiddenBy !== undefined,
    likes: countIn(data, "likes"),
    comments: countIn(data, "comments"),
  };
}
