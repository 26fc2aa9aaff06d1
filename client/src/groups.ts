/** Groups: accounts whose posts are written by others. Who follows one is its member. */
import { doc, documentId, endAt, getDocs, limit, orderBy, query, startAt, where, writeBatch, type Firestore, type Query } from "firebase/firestore";
import { isGroup } from "./ids.ts";
import { changeAccount, toAccount, type Account, type Posters } from "./accounts.ts";
import { follow } from "./follows.ts";
import { nameFields } from "./name-key.ts";
import { followingPath, tombstonePath, userPath, usersPath } from "./paths.ts";
import { accept, ask } from "./requests.ts";

/** What the owner of a group decides. */
export interface GroupFields {
  name: string;
  closed: boolean;
  post: Posters;
}

/** Makes a group and its owner the first member: two writes, three for a closed one. A crash in between leaves a group whose owner may still join. */
export async function createGroup(db: Firestore, me: string, fields: GroupFields): Promise<string> {
  const id = `g_${doc(usersPath(db)).id}`; // never used before: the id of a group is not used again
  await changeAccount(db, id, { ...fields, ...nameFields(fields.name), ownerId: me });
  await joinOwn(db, me, id, fields.closed);
  return id;
}

/** The owner joins: a closed group has to be asked, by its owner too. */
export async function joinOwn(db: Firestore, me: string, id: string, closed: boolean): Promise<void> {
  if (!closed) return follow(db, me, id);
  await ask(db, me, id);
  await accept(db, id, me);
}

/** One write. */
export async function changeGroup(db: Firestore, id: string, fields: GroupFields): Promise<void> {
  await changeAccount(db, id, { ...fields, ...nameFields(fields.name) });
}

/** One commit; the functions end its follows. Its posts stay with their authors, in no feed. The tombstone keeps the id from being used again. */
export async function deleteGroup(db: Firestore, id: string): Promise<void> {
  const batch = writeBatch(db);
  batch.delete(userPath(db, id));
  batch.set(tombstonePath(db, id), {});
  await batch.commit();
}

/** Groups that I own, by id. One read for each that is shown. */
export const owned = (db: Firestore, me: string): Query => query(usersPath(db), where("ownerId", "==", me), orderBy(documentId()));

/** Edges to the groups that I follow, by id: groups lie together in the list of whom I follow. */
export const joined = (db: Firestore, me: string): Query => query(followingPath(db, me), orderBy(documentId()), startAt("g_"), endAt("g_\uf8ff"));

/** Whether an account may post to an audience: its own followers, or a group that lets it. The rules say the same. */
export function mayPost(me: string, id: string, { ownerId, post }: Account, member: boolean): boolean {
  if (!isGroup(id)) return id === me;
  return post === "anyone" || ownerId === me || (post === "members" && member);
}

const mostChoices = 50;

/** As the reader's language has it. */
const byName = new Intl.Collator(undefined, { numeric: true });

/** Groups of mine to choose from for a post, by name. Two reads for each, and at most 50 owned and 50 joined. */
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
