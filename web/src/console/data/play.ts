/**
 * Actions of the Play menu. They write only documents that clients would write. The triggers, functions and jobs that follow are
 * real.
 */
import { collection, deleteDoc, doc, getDocs, limit, orderBy, query, serverTimestamp, setDoc, Timestamp, updateDoc, writeBatch } from "firebase/firestore";
import { isGroup, isolatedText, nameKey } from "relationindex-client";
import type { Db } from "./connect";
import type { Person } from "./documents";
import { text } from "./fields";
import { postsOf, posts, users } from "./queries";

export type Author = Pick<Person, "id" | "name">;

/** A Play does something for an author, and returns what it did. If it fails, the error says why. */
export type Play = (db: Db, author: Author) => Promise<string>;

const firstNames = "Bob Cleo Dee Eli Fay Gus Hana Ivo Jun Kai Lea Mo Nia Oz Pia Quin Rui Sol Tess Uma Vic Wim Xia Yao Zoe".split(" ");
const texts = ["Good morning", "Coffee, anyone?", "Lunch at noon", "The train is late", "What a view", "Reading in the park", "New shoes", "It rains again"];

const any = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)]!;
const accounts = (n: number, does: string): string => (n === 1 ? `An account ${does}s` : `${n} accounts ${does}`);

/** Returns another account each time: an author of startJob has only one first follower. */
export const newAuthor = (name: string): Author => ({ id: `${name.toLowerCase()}-${Math.random().toString(36).slice(2, 7)}`, name });

/** Signs up n accounts that follow the author, in one commit. */
export async function follow(db: Db, author: Author, n: number): Promise<string> {
  const batch = writeBatch(db.firestore),
    start = firstNames.indexOf(any(firstNames));
  for (let i = 0; i < n; i++) {
    const follower = newAuthor(firstNames[(start + i) % firstNames.length]!);
    batch.set(doc(users(db), follower.id), named(follower.name), { merge: true });
    batch.set(doc(followers(db, author.id), follower.id), { createdAt: serverTimestamp() });
  }
  await signUp(db, author);
  await batch.commit();
  return `${accounts(n, "follow")} ${isolatedText(author.name)}.`;
}

export async function unfollow(db: Db, author: Author, n: number): Promise<string> {
  const newest = await newestFollowers(db, author, n);
  const batch = writeBatch(db.firestore);
  for (const snap of newest) batch.delete(snap.ref);
  await batch.commit();
  return `${accounts(newest.length, "unfollow")} ${isolatedText(author.name)}.`;
}

export const write: Play = async (db, { id, name }) => {
  await signUp(db, { id, name });
  await setDoc(doc(posts(db)), { userId: isGroup(id) ? "ada" : id, audience: id, hidden: false, createdAt: serverTimestamp(), text: any(texts) });
  return isGroup(id) ? `Ada posts in ${isolatedText(name)}.` : `${isolatedText(name)} posts.`;
};

export const edit: Play = async (db, author) => {
  const newest = (await getDocs(query(postsOf(db, author.id), limit(1)))).docs[0];
  if (!newest) throw new Error(`${isolatedText(author.name)} has no post to edit. Let ${isolatedText(author.name)} post first.`);
  const before = text(newest.data()["text"]).replace(/ \(edited.*/, "");
  await updateDoc(newest.ref, { text: `${before} (edited at ${new Date().toLocaleTimeString("en-GB")})`, editedAt: serverTimestamp() });
  return `${isolatedText(author.name)} edits the newest post.`;
};

/** Deletes the account of the newest follower. The functions must then end its follows. */
export const leave: Play = async (db, author) => {
  const [newest] = await newestFollowers(db, author, 1);
  await deleteDoc(doc(users(db), newest!.id));
  return `The account ${isolatedText(newest!.id)}, which follows ${isolatedText(author.name)}, is deleted.`;
};

/** The number of posts with which an author's first follow becomes a job. */
export const manyPosts = 1200;

export const startJob: Play = async (db, author) => {
  await signUp(db, author);
  const now = Date.now();
  for (let from = 0; from < manyPosts; from += 100) {
    const batch = writeBatch(db.firestore);
    for (let n = from; n < from + 100; n++) {
      const createdAt = Timestamp.fromMillis(now - (manyPosts - n) * 60_000);
      const fields = { userId: author.id, audience: author.id, hidden: false, createdAt, text: `Day ${n + 1}` };
      batch.set(doc(posts(db), `${author.id}-${String(n).padStart(4, "0")}`), fields);
    }
    await batch.commit();
  }
  await follow(db, author, 1);
  return `${isolatedText(author.name)} has ${manyPosts} posts and the first follower: a job gives each post its relation.`;
};

/** Writes the author's profile. Profiles are always merged: see the rules. */
const signUp = (db: Db, author: Author): Promise<void> => setDoc(doc(users(db), author.id), named(author.name), { merge: true });

const named = (name: string) => ({ name, nameLower: nameKey(name) });

const followers = (db: Db, author: string) => collection(users(db), author, db.collections.followers);

async function newestFollowers(db: Db, author: Author, n: number) {
  const { docs } = await getDocs(query(followers(db, author.id), orderBy("createdAt", "desc"), limit(n)));
  if (docs.length === 0) throw new Error(`${isolatedText(author.name)} has no followers. Let some follow first.`);
  return docs;
}
