/** Posts: documents posts/{id}. Their author writes, edits and deletes them. */
import {
  deleteDoc,
  deleteField,
  doc,
  getDoc,
  orderBy,
  query,
  serverTimestamp,
  Timestamp,
  updateDoc,
  where,
  type DocumentSnapshot,
  type Query,
} from "firebase/firestore";
import { codeOf, until } from "./errors.ts";
import { countIn, textIn, textsIn, type Fields } from "./fields.ts";
import { isId } from "./ids.ts";
import { listenDoc } from "./listen.ts";
import type { Me } from "./me.ts";
import { act, stored } from "./pace.ts";
import { postPath, postsPath } from "./paths.ts";
import { maxRefs, tagsOf } from "./refs.ts";

export interface Post<P = Fields> {
  id: string;
  userId: string;
  /** The author's name, if the deployment copies it into posts: show it by isolatedText. "": it does not. */
  authorName: string;
  /** By the server's clock; by this device's clock while the post is being sent. */
  createdAt: Date;
  text: string;
  edited: boolean;
  /** The account or group whose followers get the post; "": only the people in `to`. */
  audience: string;
  /** People who get the post, whether they follow its audience or not. */
  to: string[];
  /** Subjects of the post: #names, and ids of accounts. Text of others: show it by isolatedText, as `kind`. */
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
  /** Only what is copied into the feed is known: the text, the author, the audience, and the fields of Config.copied. */
  copied?: boolean;
  /** The app's own fields: see Options.post of connect. */
  fields: P;
}

/**
 * What an author chooses for a new post. A text is enough: the post then goes to its author's followers, and its refs are the #names
 * in the text.
 */
export interface Draft extends Partial<Pick<Post, "audience" | "to" | "refs" | "kind" | "repostOf">> {
  text: string;
  /** The app's own fields, as they are to be stored, beside the ones of this package. The rules must allow them: docs/fields.md. */
  fields?: object;
}

/** The most UTF-16 units of a text; the rules reject more characters. */
export const maxText = 10_000;

/** The most people in `to`; the rules reject more. */
export const maxTo = 100;

/** Returns an id for a new post. A repeated write with the same id makes no second post. */
export const newPostId = (me: Me): string => doc(postsPath(me.db)).id;

/**
 * Writes a post: one write. Resolves to its id when the server has the post. Offline, the write waits, also across a reload; lists
 * show the post at once, as sending. May be repeated with the same id.
 */
export async function writePost(me: Me, draft: Draft, id = newPostId(me)): Promise<string> {
  me.written.add(id);
  me.acts.back(postPath(me.db, id).path);
  try {
    const { text, audience = me.id, to = [], refs = tagsOf(text), kind, repostOf, fields } = draft;
    await act(me, "posts", id, (batch) =>
      batch.set(postPath(me.db, id), {
        ...fields,
        userId: me.id,
        createdAt: serverTimestamp(),
        text,
        audience,
        to,
        refs,
        ...(kind && { kind }),
        ...(repostOf && { repostOf }),
        hidden: false,
      }),
    );
  } catch (error) {
    // The rules reject a second write of a stored post, because its createdAt would change. The stored post is unchanged.
    const there = codeOf(error) === "permission-denied" && (await stored(postPath(me.db, id)));
    if (!there || there.get("userId") !== me.id) throw error;
    me.written.delete(id); // the stored post may be old, such as a repost
  }
  me.acts.back(postPath(me.db, id).path);
  me.acts.feed();
  return id;
}

/**
 * Changes a post's text, and its #names with it, and the app's own fields: one write. Lists on this page show the change at once.
 * Rejects with not-found if the post was deleted.
 */
export async function editPost(me: Me, post: Post<unknown>, text: string, fields: object = {}): Promise<void> {
  if (post.copied) post = (await getPosts(me, [post.id])).get(post.id) ?? post; // a copy does not know all refs
  const refs = [...new Set([...post.refs.filter((ref) => !tagsOf(post.text).includes(ref)), ...tagsOf(text)])].slice(0, maxRefs);
  await act(me, "posts", post.id, (batch) => batch.update(postPath(me.db, post.id), { ...fields, text, editedAt: serverTimestamp(), refs }));
  const now = Object.keys(fields).length > 0 ? (await getPosts(me, [post.id])).get(post.id) : undefined; // with the app's own fields
  me.acts.changed(postPath(me.db, post.id).path, { text, refs, edited: true, ...(now && { fields: now.fields as Fields }) });
  me.acts.feed();
}

/** Removes a post from every feed, or puts it back: one write by its author. May be repeated. */
export async function hidePost(me: Me, id: string, hidden: boolean): Promise<void> {
  await act(me, "posts", id, (batch) => batch.update(postPath(me.db, id), { hidden }));
  me.acts.changed(postPath(me.db, id).path, { hidden });
  me.acts.feed();
}

/**
 * Hides or shows a post as a moderator: one write. The author cannot undo that, and a moderator cannot
 * show a post that its author hid.
 */
export async function moderatePost(me: Me, id: string, hidden: boolean): Promise<void> {
  me.check();
  await updateDoc(postPath(me.db, id), { hidden, hiddenBy: hidden ? "moderator" : deleteField() });
  me.acts.changed(postPath(me.db, id).path, { hidden, judged: hidden });
  me.acts.feed();
}

/** Deletes a post: one delete. The functions remove it from feeds; lists on this page drop it at once. May be repeated. */
export async function deletePost(me: Me, id: string): Promise<void> {
  me.check();
  await deleteDoc(postPath(me.db, id));
  me.acts.gone(postPath(me.db, id).path);
  me.acts.feed();
}

/**
 * Watches a post: one read, and one for each edit. Calls changed with null if the post does not exist, or if the account may not
 * read it: the post may be hidden, or its audience closed. fromCache: only the cache has answered, the server may have the post.
 *
 * A rejection ends a listener of Firestore. If the post is then shown again, nothing reports that. So watchPost listens again, six times
 * within two minutes, and each time the page is looked at again.
 */
export function watchPost<P>(me: Me<P>, id: string, changed: (post: Post<P> | null, fromCache: boolean) => void, failed?: (error: Error) => void): () => void {
  return listenDoc(
    me,
    postPath(me.db, id),
    (found) => {
      changed(found.exists() ? toPost(me, found) : null, found.metadata.fromCache);
    },
    (error) => {
      if (codeOf(error) !== "permission-denied") return failed?.(error);
      changed(null, false);
    },
  );
}

/**
 * Reads posts by id, one read for each, without those that do not exist or that the account may not read. The rules allow no query
 * by ids.
 */
export async function getPosts<P>(me: Me<P>, ids: string[], signal?: AbortSignal): Promise<Map<string, Post<P>>> {
  me.check();
  const found = await until(
    signal,
    Promise.all(
      ids.map((id) =>
        getDoc(postPath(me.db, id)).catch((error: unknown) => {
          if (codeOf(error) === "permission-denied") return null;
          throw error;
        }),
      ),
    ),
  );
  return new Map(found.flatMap((post) => (post?.exists() ? [[post.id, toPost(me, post)]] : [])));
}

/** The account's posts to every audience, newest first. The query has its own composite index in firestore.indexes.json. */
export const postsOf = (me: Me): Query => query(postsPath(me.db), where("userId", "==", me.id), orderBy("createdAt", "desc"));

/** Posts to an audience, newest first. Its index is in firestore.indexes.json. */
export function postsTo(me: Me, audience: string, moderator: boolean): Query {
  const shown = moderator ? where("hidden", "in", [false, true]) : where("hidden", "==", false);
  return query(postsPath(me.db), where("audience", "==", audience), shown, orderBy("createdAt", "desc"));
}

/** Stands for a post that does not exist, or that the account may not read. */
export const noPost = <P>(me: Me<P>, id: string): Post<P> => postFrom(me, id, {}, new Date(0));

export function toPost<P>(me: Me<P>, found: DocumentSnapshot): Post<P> {
  const data = found.data({ serverTimestamps: "estimate" }) ?? {};
  const createdAt = data.createdAt instanceof Timestamp ? data.createdAt.toDate() : new Date(0);
  return postFrom(me, found.id, data, createdAt, found.metadata.hasPendingWrites);
}

/** Another client may have written any value: a field of the wrong type becomes empty. */
export function postFrom<P>(me: Me<P>, id: string, data: Fields, createdAt: Date, sending = false): Post<P> {
  const userId = textIn(data, "userId"),
    text = textIn(data, "text"),
    original = data["repostOf"];
  return {
    id,
    userId,
    authorName: textIn(data, "authorName"),
    createdAt,
    text,
    edited: data["editedAt"] !== undefined,
    audience: typeof data["audience"] === "string" ? data["audience"] : userId, // written by a server, or an old post
    to: textsIn(data, "to"),
    refs: textsIn(data, "refs"),
    kind: textIn(data, "kind"),
    repostOf: text === "" && typeof original === "string" && isId(original) ? original : "",
    hidden: data["hidden"] === true,
    judged: data["hiddenBy"] !== undefined,
    likes: countIn(data, "likes"),
    comments: countIn(data, "comments"),
    sending,
    fields: me.client.post(data),
  };
}
