/** Groups: accounts to which others post. A group's followers are its members. */
import { doc, documentId, endAt, getDocs, limit, orderBy, query, startAt, where, writeBatch, type Query } from "firebase/firestore";
import { accountOf, changeAccount, type Account, type Posters } from "./accounts.ts";
import { until } from "./errors.ts";
import type { Fields } from "./fields.ts";
import { acceptRequest, follow, requestFollow } from "./follows.ts";
import { isGroup } from "./ids.ts";
import type { Me } from "./me.ts";
import { nameFields } from "./name-key.ts";
import { followingPath, tombstonePath, userPath, usersPath } from "./paths.ts";

/** The settings that a group's owner chooses. */
export interface GroupFields {
  name: string;
  closed: boolean;
  post: Posters;
  /** The app's own fields, beside these. */
  fields?: object;
}

const stored = ({ fields = {}, ...own }: GroupFields): Fields => ({ ...fields, ...own, ...nameFields(own.name) });

/**
 * Creates a group with its owner as the first member: two writes, three for a closed group. After a crash in between, the owner can
 * still join.
 */
export async function createGroup(me: Me, fields: GroupFields): Promise<string> {
  const id = `g_${doc(usersPath(me.db)).id}`; // a new id, because the id of a deleted group is never used again
  await changeAccount(me, id, { ...stored(fields), ownerId: me.id });
  await joinOwnGroup(me, { id, closed: fields.closed });
  return id;
}

/** Makes the owner a member. In a closed group, this takes a request, also for the owner. */
export async function joinOwnGroup(me: Me, { id, closed }: Pick<Account, "id" | "closed">): Promise<void> {
  if (!closed) return follow(me, id);
  await requestFollow(me, id);
  await acceptRequest(me, { id: me.id, group: id });
}

/** Changes a group: one write. */
export async function changeGroup(me: Me, id: string, fields: GroupFields): Promise<void> {
  await changeAccount(me, id, stored(fields));
}

/**
 * Deletes a group: one commit; the functions end its follows. Its posts stay with their authors, in no feed. A tombstone prevents
 * another group with this id.
 */
export async function deleteGroup(me: Me, id: string): Promise<void> {
  me.check();
  const batch = writeBatch(me.db);
  batch.delete(userPath(me.db, id));
  batch.set(tombstonePath(me.db, id), {});
  await batch.commit();
  me.acts.gone(userPath(me.db, id).path);
  me.acts.feed();
}

export const owned = (me: Me): Query => query(usersPath(me.db), where("ownerId", "==", me.id), orderBy(documentId()));

/** In the list of followed accounts, groups are next to each other. */
export const joined = (me: Me): Query => query(followingPath(me.db, me.id), orderBy(documentId()), startAt("g_"), endAt("g_\uf8ff"));

/** Reports whether an account may post to another: to itself, or to a group that allows it. The rules decide the same. */
export function mayPost(me: Me, { id, ownerId, post }: Account<unknown>, member: boolean): boolean {
  if (!isGroup(id)) return id === me.id;
  return post === "anyone" || ownerId === me.id || (post === "members" && member);
}

const mostChoices = 50;

/** Compares names as the reader's language does. */
const byName = new Intl.Collator(undefined, { numeric: true });

/** Reads the groups that the account may post to, by name: two reads for each, at most 50 owned and 50 joined groups. */
export async function groupsToPostTo<A>(me: Me<unknown, A>, signal?: AbortSignal): Promise<Account<A>[]> {
  const [mine, edges] = await until(signal, Promise.all([getDocs(query(owned(me), limit(mostChoices))), getDocs(query(joined(me), limit(mostChoices)))]));
  const groups = new Map(mine.docs.map((group) => [group.id, accountOf(me, group)]));
  const others = edges.docs.map((edge) => edge.id).filter((id) => !groups.has(id));
  for (let i = 0; i < others.length; i += 30) {
    const found = await until(signal, getDocs(query(usersPath(me.db), where(documentId(), "in", others.slice(i, i + 30)), limit(30))));
    for (const group of found.docs) groups.set(group.id, accountOf(me, group));
  }
  return [...groups.values()].filter((group) => mayPost(me, group, true)).sort((a, b) => byName.compare(a.name || a.id, b.name || b.id));
}
