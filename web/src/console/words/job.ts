/** Job documents in words, the same words as in `relationindex jobs`. Pure. */
import { isolatedText } from "relationindex-client";
import type { Job, JobState } from "../data/documents";
import { clip, count, duration, number, share } from "./numbers";

export interface Progress {
  done: number;
  /** null: not known. */
  total: number | null;
  /** 0 to 1; null: not known. */
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

/** Says what a job works on, for readers who do not know the parts of its id. */
export function target(job: Pick<Job, "kind" | "args" | "collection">, nameOf: (uid: string) => string = (uid) => uid): string {
  const { author, index, post } = job.args;
  switch (job.kind) {
    case "relations.post":
      return `relations of post ${isolatedText(clip(post ?? ""))}`;
    case "relations.index":
      return `relations of index document ${isolatedText(index ?? "")} of ${nameOf(author ?? "")}`;
    case "relations.purge":
      return author ? `everything of ${nameOf(author)}` : "an account that is gone";
    case "damage":
      return `damage that a repair of ${nameOf(author ?? "")} mends`;
    case "relations.profile":
      return `posts of ${nameOf(author ?? "")}`;
    default:
      return isolatedText(job.collection);
  }
}

/** Sorts jobs: unfinished jobs, the newest first, then ended jobs, the last to end first. */
export function inOrder(jobs: Job[]): Job[] {
  const time = (d: Date | null) => d?.getTime() ?? 0;
  const key = (j: Job) => (finished(j.state) ? time(j.finishedAt ?? j.updatedAt) : time(j.createdAt));
  return [...jobs].sort((a, b) => Number(finished(a.state)) - Number(finished(b.state)) || key(b) - key(a) || (a.id < b.id ? -1 : 1));
}

/**
 * A job as it is shown. The jobs of a post are shown together, each with a range of the post's relations. Any other job is shown
 * alone.
 */
export interface Shown {
  /** The common beginning of the jobs' ids, up to "~", or the id of the only job. */
  id: string;
  /** The job to look at: one that failed, or else the first in order. */
  job: Job;
  /** All the jobs, sorted by id. */
  ranges: Job[];
}

/** Returns jobs in order. The jobs of a post stand together, at the place of the first one. */
export function grouped(all: Job[]): Shown[] {
  const groups = new Map<string, Shown>();
  for (const job of inOrder(all)) {
    const id = job.id.slice(0, job.id.indexOf("~") + 1) || job.id;
    const group = groups.get(id);
    if (!group) groups.set(id, { id, job, ranges: [job] });
    else {
      group.ranges.push(job);
      if (job.state === "failed" && group.job.state !== "failed") group.job = job;
    }
  }
  for (const { ranges } of groups.values()) ranges.sort((a, b) => (a.id < b.id ? -1 : 1));
  return [...groups.values()];
}

/** Adds up the progress of all ranges. The arguments of each job have the post's number of index documents. */
export function progressOf({ job, ranges }: Shown): Progress {
  if (ranges.length < 2) return progress(job);
  const total = Number(job.args["documents"]) || null;
  return progress({ state: job.state, total, done: ranges.reduce((n, r) => n + r.done, 0) });
}

/** Returns "phase 2 of 7"; "" for a job of one phase, and for a job that is done. */
export function phase(job: Pick<Job, "phase" | "phases" | "state">): string {
  return job.phases > 1 && job.state !== "done" ? `phase ${Math.min(job.phase + 1, job.phases)} of ${job.phases}` : "";
}

/** Returns "attempt 3 of 10"; "" while nothing has failed. */
export function attempt(job: Pick<Job, "attempt" | "maxAttempts">): string {
  if (job.attempt < 1) return "";
  return job.maxAttempts > 0 ? `attempt ${job.attempt} of ${job.maxAttempts}` : `attempt ${job.attempt}`;
}

/** Says who has the lease of a job and for how long, or when the job is retried; "" if there is neither. */
export function lease(job: Pick<Job, "lease" | "state" | "wakeAt">, now: Date): string {
  if (job.lease && job.state === "running") {
    const left = job.lease.until.getTime() - now.getTime();
    const holder = isolatedText(clip(job.lease.holder, 11));
    return left > 0 ? `lease of ${holder}, ${seconds(left)} left` : `lease of ${holder} ran out: its step died, another takes over`;
  }
  const wait = job.state === "queued" && job.wakeAt ? job.wakeAt.getTime() - now.getTime() : 0;
  return wait > 1000 ? `tried again in ${seconds(wait)}` : "";
}

/** Returns "3 jobs, 1 unfinished"; "" for one job. */
export function jobs({ ranges }: Pick<Shown, "ranges">): string {
  if (ranges.length < 2) return "";
  const open = ranges.filter((r) => !finished(r.state)).length;
  return open > 0 ? `${count(ranges.length, "job")}, ${number(open)} unfinished` : count(ranges.length, "job");
}

/**
 * Lists the counts of a receipt that are not 0: { relations: 40, posts: 0 } → "40 relations". Names are the task's, as stored.
 */
export function receipt(counts: Record<string, number>): string {
  const some = Object.keys(counts)
    .filter((name) => counts[name] !== 0)
    .sort();
  return some.map((name) => `${number(counts[name] ?? 0)} ${isolatedText(spaced(name))}`).join(", ");
}

function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function seconds(ms: number): string {
  return duration(Math.ceil(ms / 1000) * 1000);
}
