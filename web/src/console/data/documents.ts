/**
 * Documents that the console shows, with the names of schema/documents.go and chunker/jobdocs/job.go.
 *
 * A developer's database may contain anything: a field of an unexpected type counts as missing.
 */
import { Timestamp } from "firebase/firestore";

/** users/{u}. */
export interface Person {
  id: string;
  /** "" without a profile. */
  name: string;
  /** The ids of their index documents, in the order in which the documents were opened. */
  indexIds: string[];
  /** The numbers of followers, followed accounts and posts; empty if the functions keep no numbers. */
  counts: Record<string, number>;
}

/** users/{u}/notifications/{verb}.{object}. */
export interface Notification {
  id: string;
  count: number;
  /** The accounts that did it, the newest five at most. */
  actors: string[];
  at: Date | null;
}

/** users/{u}/followers_index/{i}, without its followers. */
export interface IndexDocument {
  id: string;
  count: number;
  version: number;
  sizeBytes: number;
  /** False until every post has its relation. */
  backfilled: boolean;
}

/** posts/{p}. */
export interface Post {
  id: string;
  author: string;
  /**
   * The account whose followers get the post; "" if only the people in `to` get it. Without the field, the author's followers do.
   */
  audience: string;
  /** The people that the post names. */
  to: string[];
  /** Whether the post is hidden from all feeds. */
  hidden: boolean;
  /** The first of the fields text, title and body that is not empty; "" if all are. */
  text: string;
  /** The numbers of likes and comments; empty if the functions keep no numbers. */
  counts: Record<string, number>;
  createdAt: Date | null;
}

/** _relations/{p}_{i}, without its followers. */
export interface Relation {
  id: string;
  indexId: string;
  /** The account whose index document the relation copies; "" for a direct relation, and for a relation of an earlier release. */
  audience: string;
  /** The version of the index document that the relation copies. */
  indexVersion: number;
  followers: number;
  sizeBytes: number;
}

export const jobStates = ["queued", "running", "done", "failed", "canceled"] as const;
export type JobState = (typeof jobStates)[number];

/** _functions/{job}, with the names of chunker/jobdocs/job.go. */
export interface Job {
  id: string;
  kind: string;
  /** failed, if the document has no valid state. */
  state: JobState;
  collection: string;
  args: Record<string, string>;
  phase: number;
  /** 0: not known. */
  phases: number;
  done: number;
  /** null: not known. */
  total: number | null;
  counts: Record<string, number>;
  hop: number;
  attempt: number;
  /** 0: the engine's default. */
  maxAttempts: number;
  lease: { holder: string; until: Date } | null;
  wakeAt: Date | null;
  error: { code: string; message: string; at: Date | null } | null;
  createdAt: Date | null;
  updatedAt: Date | null;
  finishedAt: Date | null;
}

export type Fields = Record<string, unknown>;

export function person(id: string, data: Fields): Person {
  return {
    id,
    name: text(data["name"]) || text(data["displayName"]),
    indexIds: list(data["followers_index"]).map(String),
    counts: valuesOf(data["counts"], whole),
  };
}

export function notification(id: string, data: Fields): Notification {
  return { id, count: whole(data["count"]), actors: list(data["actors"]).map(text), at: date(data["at"]) };
}

export function indexDocument(id: string, data: Fields): IndexDocument {
  return { id, count: whole(data["count"]), version: whole(data["version"]), sizeBytes: whole(data["sizeBytes"]), backfilled: data["backfilled"] === true };
}

export function post(id: string, data: Fields): Post {
  const texts = ["text", "title", "body"].map((name) => text(data[name]));
  const author = text(data["userId"]);
  return {
    id,
    author,
    audience: data["audience"] === undefined ? author : text(data["audience"]),
    to: list(data["to"]).map(text),
    hidden: data["hidden"] === true,
    text: texts.find((t) => t !== "") ?? "",
    counts: valuesOf(data["counts"], whole),
    createdAt: date(data["createdAt"]),
  };
}

export function relation(id: string, data: Fields): Relation {
  return {
    id,
    indexId: text(data["indexId"]),
    audience: text(data["audience"]),
    indexVersion: whole(data["indexVersion"]),
    followers: list(data["followers"]).length,
    sizeBytes: whole(data["sizeBytes"]),
  };
}

export function job(id: string, data: Fields): Job {
  const lease = map(data["lease"]),
    error = map(data["error"]),
    until = date(lease?.["until"]);
  const state = jobStates.find((s) => s === data["state"]);
  const damage = { code: "InvalidArgument", message: `state ${JSON.stringify(data["state"] ?? null)} is none of ${jobStates.join(", ")}`, at: null };
  return {
    id,
    kind: text(data["kind"]),
    state: state ?? "failed",
    collection: text(data["collection"]),
    args: valuesOf(data["args"], text),
    phase: whole(data["phase"]),
    phases: whole(data["phases"]),
    done: whole(data["done"]),
    total: typeof data["total"] === "number" ? data["total"] : null,
    counts: valuesOf(data["counts"], whole),
    hop: whole(data["hop"]),
    attempt: whole(data["attempt"]),
    maxAttempts: whole(data["maxAttempts"]),
    lease: lease && until ? { holder: text(lease["holder"]), until } : null,
    wakeAt: date(data["wakeAt"]),
    error: error ? { code: text(error["code"]), message: text(error["message"]), at: date(error["at"]) } : state ? null : damage,
    createdAt: date(data["createdAt"]),
    updatedAt: date(data["updatedAt"]),
    finishedAt: date(data["finishedAt"]),
  };
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function whole(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a map; null for any other value. Timestamps, references and geo points are objects, but no maps. */
export function map(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype ? (value as Fields) : null;
}

function valuesOf<T>(value: unknown, read: (v: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map(value) ?? {}).map(([name, v]) => [name, read(v)]));
}

function date(value: unknown): Date | null {
  return value instanceof Timestamp ? value.toDate() : null;
}

/**
 * The indexId of a direct relation, _relations/{post}_00000. A direct relation's followers are the people that the post names in
 * `to`.
 */
export const directIndex = "00000";
