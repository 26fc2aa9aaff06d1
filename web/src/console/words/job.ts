/** What a job's document says, in words. Pure; the words are those of `relationindex jobs`. */
import { isolated } from "../../shared/theirs";
import type { Job, JobState } from "../data/documents";
import { clip, count, duration, number, share } from "./numbers";

export interface Progress {
  done: number;
  /** null: not known. */
  total: number | null;
  /** 0 to 1; null where nobody knows. */
  part: number | null;
  /** "40 of 120 documents". */
  text: string;
}

export function progress(job: Pick<Job, "done" | "total" | "state">): Progress {
  const { done, total } = job;
  if (job.state === "done") return { done, total: total ?? done, part: 1, text: total === null ? count(done, "document") : of(done, total) };
  if (total === null) return { done, total, part: null, text: count(done, "document") };
  return { done, total, part: share(done, total), text: of(done, total) };
}

function of(done: number, total: number): string {
  return `${number(done)} of ${count(total, "document")}`;
}

export function finished(state: JobState): boolean {
  return state === "done" || state === "failed" || state === "canceled";
}

/** What a job is about: kind and target, for whoever does not know its id's parts. */
export function target(job: Pick<Job, "kind" | "args" | "collection">, nameOf: (uid: string) => string = (uid) => uid): string {
  const { author, index, post } = job.args;
  switch (job.kind) {
    case "relations.post":
      return `relations of post ${isolated(clip(post ?? ""))}`;
    case "relations.index":
      return `relations of index document ${isolated(index ?? "")} of ${nameOf(author ?? "")}`;
    case "relations.purge":
      return author ? `everything of ${nameOf(author)}` : "an account that is gone";
    case "relations.profile":
      return `posts of ${nameOf(author ?? "")}`;
    default:
      return isolated(job.collection);
  }
}

/** Unfinished jobs first, the newest first; then those that ended, the last first. */
export function inOrder(jobs: Job[]): Job[] {
  const time = (d: Date | null) => d?.getTime() ?? 0;
  const key = (j: Job) => (finished(j.state) ? time(j.finishedAt ?? j.updatedAt) : time(j.createdAt));
  return [...jobs].sort((a, b) => Number(finished(a.state)) - Number(finished(b.state)) || key(b) - key(a) || (a.id < b.id ? -1 : 1));
}

/** A job with those of its lanes that are known. */
export interface Shown {
  job: Job;
  lanes: Job[];
}

/** Jobs in order, each parent with those of its lanes that are known; a lane without its parent stands for itself. */
export function grouped(all: Job[]): Shown[] {
  const parents = new Set(all.filter((j) => j.lanes > 0).map((j) => j.id));
  return inOrder(all.filter((j) => !j.lane || !parents.has(j.lane.parent))).map((j) => ({
    job: j,
    lanes: j.lanes > 0 ? all.filter((l) => l.lane?.parent === j.id).sort((a, b) => (a.id < b.id ? -1 : 1)) : [],
  }));
}

/**
 * The progress of a job as its lanes have it. A parent's own document tells only of lanes whose steps have ended, and
 * would be at 100 % when the first of them is.
 */
export function progressOf({ job, lanes }: Shown): Progress {
  if (finished(job.state) || job.lanes === 0 || lanes.length < job.lanes) return progress(job);
  const total = lanes.every((l) => l.total !== null) ? lanes.reduce((n, l) => n + (l.total ?? 0), 0) : null;
  return progress({ state: job.state, total, done: lanes.reduce((n, l) => n + l.done, 0) });
}

/** "phase 2 of 7"; "" for a job of one phase, and for one that is done. */
export function phase(job: Pick<Job, "phase" | "phases" | "state">): string {
  return job.phases > 1 && job.state !== "done" ? `phase ${Math.min(job.phase + 1, job.phases)} of ${job.phases}` : "";
}

/** "attempt 3 of 10"; "" while nothing has failed. */
export function attempt(job: Pick<Job, "attempt" | "maxAttempts">): string {
  if (job.attempt < 1) return "";
  return job.maxAttempts > 0 ? `attempt ${job.attempt} of ${job.maxAttempts}` : `attempt ${job.attempt}`;
}

/** Who may write the job and for how long, or when it is tried again; "" where neither is so. */
export function lease(job: Pick<Job, "lease" | "state" | "wakeAt">, now: Date): string {
  if (job.lease && job.state === "running") {
    const left = job.lease.until.getTime() - now.getTime();
    const holder = isolated(clip(job.lease.holder, 11));
    return left > 0 ? `lease of ${holder}, ${seconds(left)} left` : `lease of ${holder} ran out: its step died, another takes over`;
  }
  const wait = job.state === "queued" && job.wakeAt ? job.wakeAt.getTime() - now.getTime() : 0;
  return wait > 1000 ? `tried again in ${seconds(wait)}` : "";
}

/** "3 lanes, 1 unfinished"; "" for a job that is no parent. */
export function lanes(job: Pick<Job, "lanes" | "lanesOpen">): string {
  if (job.lanes < 1) return "";
  return job.lanesOpen > 0 ? `${count(job.lanes, "lane")}, ${number(job.lanesOpen)} unfinished` : count(job.lanes, "lane");
}

/** The receipt, what there was of each: { relations: 40, posts: 0 } → "40 relations". Names are the task's, as stored. */
export function receipt(counts: Record<string, number>): string {
  const some = Object.keys(counts).filter((name) => counts[name] !== 0).sort();
  return some.map((name) => `${number(counts[name] ?? 0)} ${isolated(spaced(name))}`).join(", ");
}

function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function seconds(ms: number): string {
  return duration(Math.ceil(ms / 1000) * 1000);
}
