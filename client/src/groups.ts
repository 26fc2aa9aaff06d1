/** Groups: accounts to which others post. A group's followers are its members. */
import { doc, documentId, endAt, getDocs, limit, orderBy, query, startAt, where, writeBatch, type Firestore, type Query } from "firebase/firestore";
import { isGroup } from "./ids.ts";
import { changeAccount, toAccount, type Account, type Posters } from "./accounts.ts";
import { follow } from "./follows.ts";
import { nameFields } from "./name-key.ts";
import { followingPath, tombstonePath, userPath, usersPath } from "./paths.ts";
import { accept, ask } from "./requests.ts";

/** The settings that a group's owner chooses. */
export interface GroupFields {
  name: string;
  closed: boolean;
  post: Posters;
}

/**
 * Creates a group with its owner as the first member: two writes, three for a closed group. After a crash in between, the owner can
 * still join.
 */
export async function createGroup(db: Firestore, me: string, fields: GroupFields): Promise<string> {
  const id = `g_${doc(usersPath(db)).id}`; // a new id, because the id of a deleted group is never used again
  await changeAccount(db, id, { ...fields, ...nameFields(fields.name), ownerId: me });
  await joinOwn(db, me, id, fields.closed);
  return id;
}

/** Makes the owner a member. In a closed group, this takes a request, also for the owner. */
export async function joinOwn(db: Firestore, me: string, id: string, closed: boolean): Promise<void> {
  if (!closed) return follow(db, me, id);
  await ask(db, me, id);
  await accept(db, id, me);
}

/** Changes a group: one write. */
export async function changeGroup(db: Firestore, id: string, fields: GroupFields): Promise<void> {
  await changeAccount(db, id, { ...fields, ...nameFields(fields.name) });
}

/**
 * Deletes a group: one commit; the functions end its follows. Its posts stay with their authors, in no feed. A tombstone prevents
 * another group with this id.
 */
export async function deleteGroup(db: Firestore, id: string): Promise<void> {
  const batch = writeBatch(db);
  batch.delete(userPath(db, id));
  batch.set(tombstonePath(db, id), {});
  await batch.commit();
}

/** The groups that the account owns, by id: one read for each. */
export const owned = (db: Firestore, me: string): Query => query(usersPath(db), where("ownerId", "==", me), orderBy(documentId()));

/** Edges to the groups that the account follows, by id. In the list of followed accounts, groups are next to each other. */
export const joined = (db: Firestore, me: string): Query => query(followingPath(db, me), orderBy(documentId()), startAt("g_"), endAt("g_\uf8ff"));

/** Reports whether an account may post to an audience: its own followers, or a group that allows it. The rules decide the same. */
export function mayPost(me: string, id: string, { ownerId, post }: Account, member: boolean): boolean {
  if (!isGroup(id)) return id === me;
  return post === "anyone" || ownerId === me || (post === "members" && member);
}

const mostChoices = 50;

/** Compares names as the reader's language does. */
const byName = new Intl.Collator(undefined, { numeric: true });

/** Reads the groups that the account may post to, by name: two reads for each, at most 50 owned and 50 joined groups. */
export async function postable(db: Firestore, me: string): Promise<{ id: string; name: string }[]> {
  const [mine, edges] = await Promise.all([getDocs(query(owned(db, me), limit(mostChoices))), getDocs(query(joined(db, me), limit(mostChoices)))]);
  const groups = new Map(mine.docs.map((group) => [group.id, toAccount(group.data())]));
  const others = edges.docs.map((edge) => edge.id).filter((id) => !groups.has(id));
  for (let i = 0; i < others.length; i += 30) {
    const found = await getDocs(query(usersPath(db), where(documentId(), "in", others.slice(i, i + 30)), limit(30)));
    for (const group of found.docs) groups.set(group.id, toAccount(group.data()));
  }
  return [...groups]
    .filter(([id, group]) => mayPost(me, id, group, true))
    .map(([id, { name }]) => ({ id, name: name || id }))
    .sort((a, b) => byName.compare(a.name, b.name));
}
