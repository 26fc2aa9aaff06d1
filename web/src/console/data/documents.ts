/** Documents that the console shows, with the names of schema/documents.go and chunker/jobdocs/job.go. */
import { date, type Fields, fieldsOf, flag, known, list, map, mapOf, text, texts, whole } from "./fields";

/** users/{u}. */
export const person = (id: string, data: Fields) => ({
  id,
  /** "" without a profile. */
  name: text(data["name"]) || text(data["displayName"]),
  /** The ids of their index documents, in the order in which the documents were opened. */
  indexIds: texts(data["followers_index"]),
  /** The numbers of followers, followed accounts and posts; empty if the functions keep no numbers. */
  counts: mapOf(whole)(data["counts"]),
});
export type Person = ReturnType<typeof person>;

/** users/{u}/notifications/{verb}.{object}. It names the newest five accounts that did it, at most. */
export const notification = (id: string, data: Fields) => ({ id, ...fieldsOf(data, { count: whole, actors: texts, at: date }) });
export type Notification = ReturnType<typeof notification>;

/** users/{u}/followers_index/{i}, without its followers. It is backfilled when every post has its relation. */
export const indexDocument = (id: string, data: Fields) => ({
  id,
  indexId: id,
  followers: whole(data["count"]),
  ...fieldsOf(data, { version: whole, sizeBytes: whole, backfilled: flag }),
});
export type IndexDocument = ReturnType<typeof indexDocument>;

/** posts/{p}. A hidden post is in no feed. Without numbers of likes and comments, the functions keep none. */
export const post = (id: string, data: Fields) => ({
  id,
  author: text(data["userId"]),
  /** The account whose followers get the post; "" if only the people in `to` get it. Without the field, the author's followers do. */
  audience: text(data["audience"] === undefined ? data["userId"] : data["audience"]),
  /** The first of the fields text, title and body that is not empty; "" if all are. */
  text: text(data["text"]) || text(data["title"]) || text(data["body"]),
  ...fieldsOf(data, { to: texts, hidden: flag, counts: mapOf(whole), createdAt: date }),
});
export type Post = ReturnType<typeof post>;

/**
 * _relations/{p}_{i}, without its followers. The audience is the account whose index document the relation copies; "" for a direct
 * relation, and for a relation of an earlier release.
 */
export const relation = (id: string, data: Fields) => ({
  id,
  followers: list(data["followers"]).length,
  version: whole(data["indexVersion"]),
  ...fieldsOf(data, { indexId: text, audience: text, sizeBytes: whole }),
});
export type Relation = ReturnType<typeof relation>;

/**
 * The indexId of a direct relation, _relations/{post}_00000. A direct relation's followers are the people that the post names in
 * `to`.
 */
export const directIndex = "00000";

export const jobStates = ["queued", "running", "done", "failed", "canceled"] as const;
export type JobState = (typeof jobStates)[number];

/** _functions/{job}, with the names of chunker/jobdocs/job.go. A document without a valid state is shown as failed. */
export function job(id: string, data: Fields) {
  const state = jobStates.find((s) => s === data["state"]);
  const damage = { code: "InvalidArgument", message: `state ${JSON.stringify(data["state"] ?? null)} is none of ${jobStates.join(", ")}` };
  const lease = map(data["lease"]),
    until = date(lease?.["until"]),
    error = map(data["error"]);
  return {
    id,
    state: state ?? ("failed" as const),
    lease: lease && until && { holder: text(lease["holder"]), until },
    error: error ? fieldsOf(error, { code: text, message: text }) : state ? null : damage,
    ...fieldsOf(data, { kind: text, collection: text, args: mapOf(text), counts: mapOf(whole) }),
    /** 0 phases: not known; no total: not known; 0 for maxAttempts: the engine's default. */
    ...fieldsOf(data, { phase: whole, phases: whole, done: whole, total: known, hop: whole, attempt: whole, maxAttempts: whole }),
    ...fieldsOf(data, { wakeAt: date, createdAt: date, updatedAt: date, finishedAt: date }),
  };
}
export type Job = ReturnType<typeof job>;
