/** Posts: documents posts/{id}. Their author writes, edits and deletes them. */
import {
  deleteDoc, deleteField, doc, getDoc, onSnapshot, orderBy, query, serverTimestamp, Timestamp, updateDoc, where,
  type DocumentSnapshot, type Firestore, type Query, type Unsubscribe,
} from "firebase/firestore";
import { countIn } from "./counts.ts";
import { codeOf } from "./errors.ts";
import { isId } from "./ids.ts";
import { act } from "./pace.ts";
import { postPath, postsPath } from "./paths.ts";
import { maxRefs, tagsOf } from "./refs.ts";

export interface Post {
  id: string;
  userId: string;
  /** By the server's clock; while it is being sent, by this device's. */
  createdAt: Date;
  text: string;
  edited: boolean;
  /** Whose followers get it: its author's or a group's; "" for nobody but `to`. */
  audience: string;
  /** People who get it whatever they follow. */
  to: string[];
  /** What it is about: #names, and ids of accounts. */
  refs: string[];
  /** What sort of post it is: the app's own, such as "photo"; "" without one. Readers hide and show kinds. */
  kind: string;
  /** The post that it shows in place of a text, see reposts.ts; "" of any other. */
  repostOf: string;
  /** In no feed; its author and moderators see it. */
  hidden: boolean;
  /** Hidden by a moderator or the owner of its group: its author cannot show it. */
  judged: boolean;
  /** As the functions have counted: 0 without numbers. */
  likes: number;
  comments: number;
  /** Known to this device only: the server has not confirmed it. */
  sending: boolean;
}

/** What its author decides about a new post. */
export type Draft = Pick<Post, "text" | "audience" | "to" | "refs" | "kind"> & { repostOf?: string };

/** What the composer takes, in UTF-16 units; the rules refuse more characters than that. */
export const maxText = 10_000;

/** How many people a post may name; the rules refuse more. */
export const maxTo = 100;

/** An id, chosen before the post is written, so that writing it again is the same post and not a second one. */
export function newPostId(db: Firestore): string {
  return doc(postsPath(db)).id;
}

const written = new WeakMap<Firestore, Set<string>>();

/** The ids of posts that writePost was called for, since the page was opened. */
export function writtenHere(db: Firestore): Set<string> {
  const ids = written.get(db) ?? new Set();
  written.set(db, ids);
  return ids;
}

/**
 * Writes a post: one write. Resolves when the server has it. Offline it waits, also over a reload, and shows in
 * watchPost and in queries at once, as sending. May be repeated with the same id.
 *
 * @param draft its text is enough: it then goes to the followers of its author, and is about the #names of the text.
 */
export async function writePost(db: Firestore, id: string, userId: string, draft: Pick<Draft, "text"> & Partial<Draft>): Promise<void> {
  writtenHere(db).add(id);
  try {
    const { text, audience = userId, to = [], refs = tagsOf(text), kind, repostOf } = draft;
    await act(db, "posts", id, (batch) => batch.set(postPath(db, id), { userId, createdAt: serverTimestamp(), text, audience, to, refs, ...(kind && { kind }), ...(repostOf && { repostOf }), hidden: false }));
  } catch (error) {
    // A post that has arrived is refused the second time, since its createdAt would move: nothing has changed.
    const there = codeOf(error) === "permission-denied" && (await getDoc(postPath(db, id)).catch(() => null));
    if (!there || there.get("userId") !== userId) throw error;
    writtenHere(db).delete(id); // it may be an old one, as a repost is
  }
}

/** One write; feeds show it through watchPost. #names come and go with the text. Refused (not-found) if the post has been deleted meanwhile. */
export async function editPost(db: Firestore, post: Post, text: string): Promise<void> {
  const refs = [...post.refs.filter((ref) => !tagsOf(post.text).includes(ref)), ...tagsOf(text)];
  await act(db, "posts", post.id, (batch) => batch.update(postPath(db, post.id), { text, editedAt: serverTimestamp(), refs: [...new Set(refs)].slice(0, maxRefs) }));
}

/** Takes a post out of every feed, or puts it back: one write, of its author. May be repeated. */
export async function hidePost(db: Firestore, id: string, hidden: boolean): Promise<void> {
  await act(db, "posts", id, (batch) => batch.update(postPath(db, id), { hidden }));
}

/** The same by a moderator: one write. The author cannot put it back, and a moderator puts nothing back that its author has hidden. */
export async function judgePost(db: Firestore, id: string, hidden: boolean): Promise<void> {
  await updateDoc(postPath(db, id), { hidden, hiddenBy: hidden ? "moderator" : deleteField() });
}

/** One delete; the functions take it out of the feeds. May be repeated. */
export async function deletePost(db: Firestore, id: string): Promise<void> {
  await deleteDoc(postPath(db, id));
}

/**
 * Watches a post: one read, and one for each edit. null when there is none, or none for me: it may have been hidden, or its
 * audience closed. A refusal ends a listener of Firestore, and a post that is hidden and shown again before the functions
 * have run keeps its relation: nothing would tell of it. So a refused one is asked for again after 2 seconds, then after
 * twice as long each time, up to a minute, and at most so many times as refusals says: each costs what the rules read.
 *
 * The cache keeps what was refused, and is heard before the server: after a refusal only the server's word counts. The
 * server may send just what the cache has. Only includeMetadataChanges tells of that.
 */
export function watchPost(db: Firestore, id: string, changed: (post: Post | null) => void, failed: (error: Error) => void, refusals = Infinity): Unsubscribe {
  let stop: Unsubscribe = () => undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let wait = 0; // until it is asked for again; 0 unless the server's last word was a refusal
  const listen = () => {
    stop = onSnapshot(postPath(db, id), { includeMetadataChanges: true },
      (found) => {
        if (wait && found.metadata.fromCache) return;
        wait = 0;
        changed(found.exists() ? toPost(found) : null);
      },
      (error) => {
        if (codeOf(error) !== "permission-denied") return failed(error);
        wait = Math.min(2 * wait || 2_000, 60_000);
        if (--refusals > 0) again = setTimeout(listen, wait); // before changed, which may stop this
        changed(null);
      });
  };
  listen();
  return () => {
    clearTimeout(again);
    stop();
  };
}

/** Posts by id, one read for each. Those that are gone, or not for me, are left out. By name: the rules cannot check a query for several. */
export async function getPosts(db: Firestore, ids: string[]): Promise<Map<string, Post>> {
  const found = await Promise.all(ids.map((id) => getDoc(postPath(db, id)).catch((error: unknown) => {
    if (codeOf(error) === "permission-denied") return null;
    throw error;
  })));
  return new Map(found.flatMap((post) => (post?.exists() ? [[post.id, toPost(post)]] : [])));
}

/** My posts, the newest first, wherever they went. It has a composite index of its own in firestore.indexes.json. */
export function postsOf(db: Firestore, me: string): Query {
  return query(postsPath(db), where("userId", "==", me), orderBy("createdAt", "desc"));
}

/** Posts to an audience, the newest first; a moderator sees hidden ones too. Refused (permission-denied) to who may not read them. Its index is firestore.indexes.json's, too. */
export function postsTo(db: Firestore, audience: string, moderator: boolean): Query {
  const shown = moderator ? where("hidden", "in", [false, true]) : where("hidden", "==", false);
  return query(postsPath(db), where("audience", "==", audience), shown, orderBy("createdAt", "desc"));
}

/** Stands for a post that is gone, or not for me. */
export const noPost = (id: string): Post => ({ ...fieldsOf({}), id, createdAt: new Date(0), sending: false });

export function toPost(found: DocumentSnapshot): Post {
  const data = found.data({ serverTimestamps: "estimate" }) ?? {};
  const createdAt = data.createdAt instanceof Timestamp ? data.createdAt.toDate() : new Date(0);
  return { ...fieldsOf(data), id: found.id, createdAt, sending: found.metadata.hasPendingWrites };
}

/** Another client may have written anything: what is not as it should be becomes something harmless. */
export function fieldsOf(data: Record<string, unknown>): Omit<Post, "id" | "createdAt" | "sending"> {
  const texts = (value: unknown) => (Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []);
  const userId = typeof data.userId === "string" ? data.userId : "";
  const text = typeof data.text === "string" ? data.text : "";
  const original = data.repostOf;
  return {
    userId,
    text,
    edited: data.editedAt !== undefined,
    audience: typeof data.audience === "string" ? data.audience : userId, // a server's, or an old one
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
