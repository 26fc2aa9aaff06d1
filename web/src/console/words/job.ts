/** Job documents in words, the same words as in `relationindex jobs`. Pure. */
import { isolatedText } from "relationindex-client";
import type { Job, JobState } from "../data/documents";
import { clip, count, duration, number, share } from "./numbers";

/** Returns how far a job is: the total, null if it is not known, the part of it, 0 to 1, and "40 of 120 documents". */
export function progress({ done, total, state }: Pick<Job, "done" | "total" | "state">) {
  const text = total === null ? count(done, "document") : `${number(done)} of ${count(total, "document")}`;
  const part = state === "done" ? 1 : total === null ? null : share(done, total);
  return { done, total, part, text };
}

export const finished = (state: JobState): boolean => state === "done" || state === "failed" || state === "canceled";

/** Says what a job works on, for readers who do not know the parts of its id. */
export function target(job: Pick<Job, "kind" | "args" | "collection">, nameOf: (uid: string) => string = (uid) => uid): string {
  const { author = "", index = "", post = "" } = job.args;
  const targets = new Map([
    ["relations.post", `relations of post ${isolatedText(clip(post))}`],
    ["relations.index", `relations of index document ${isolatedText(index)} of ${nameOf(author)}`],
    ["relations.purge", author ? `everything of ${nameOf(author)}` : "an account that is gone"],
    ["relations.profile", `posts of ${nameOf(author)}`],
    ["damage", `damage that a repair of ${nameOf(author)} mends`],
  ]);
  return targets.get(job.kind) ?? isolatedText(job.collection);
}

/** Sorts jobs: unfinished jobs, the newest first, then ended jobs, the last to end first. */
export function inOrder(jobs: Job[]): Job[] {
  const key = (j: Job) => (finished(j.state) ? (j.finishedAt ?? j.updatedAt) : j.createdAt)?.getTime() ?? 0;
  return [...jobs].sort((a, b) => Number(finished(a.state)) - Number(finished(b.state)) || key(b) - key(a) || (a.id < b.id ? -1 : 1));
}

/**
 * A job as it is shown. The jobs of a post are shown together, each with a range of the post's relations. Any other job is shown
 * alone.
 */
export type Shown = ReturnType<typeof grouped>[number];

/** Returns jobs in order. The jobs of a post stand together, at the place of the first one. */
export function grouped(all: Job[]) {
  const groups = new Map<string, Job[]>();
  for (const job of inOrder(all)) {
    const id = job.id.slice(0, job.id.indexOf("~") + 1) || job.id;
    groups.set(id, [...(groups.get(id) ?? []), job]);
  }
  return [...groups].map(([id, jobs]) => ({
    /** The common beginning of the jobs' ids, up to "~", or the id of the only job. */
    id,
    /** The job to look at: one that failed, or else the first in order. */
    job: jobs.find((j) => j.state === "failed") ?? jobs[0]!,
    ranges: jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }));
}

/** Adds up the progress of all ranges. The arguments of each job have the post's number of index documents. */
export function progressOf({ job, ranges }: Shown) {
  if (ranges.length < 2) return progress(job);
  return progress({ state: job.state, total: Number(job.args["documents"]) || null, done: ranges.reduce((n, r) => n + r.done, 0) });
}

/** Returns "phase 2 of 7"; "" for a job of one phase, and for a job that is done. */
export const phase = (job: Pick<Job, "phase" | "phases" | "state">): string =>
  job.phases > 1 && job.state !== "done" ? `phase ${Math.min(job.phase + 1, job.phases)} of ${job.phases}` : "";

/** Returns "attempt 3 of 10"; "" while nothing has failed. */
export const attempt = (job: Pick<Job, "attempt" | "maxAttempts">): string =>
  job.attempt < 1 ? "" : job.maxAttempts > 0 ? `attempt ${job.attempt} of ${job.maxAttempts}` : `attempt ${job.attempt}`;

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

const seconds = (ms: number): string => duration(Math.ceil(ms / 1000) * 1000);

/** Returns "3 jobs, 1 unfinished"; "" for one job. */
export function jobs({ ranges }: Pick<Shown, "ranges">): string {
  const open = ranges.filter((r) => !finished(r.state)).length;
  return ranges.length < 2 ? "" : count(ranges.length, "job") + (open > 0 ? `, ${number(open)} unfinished` : "");
}

/**
 * Lists the counts of a receipt that are not 0: { relations: 40, posts: 0 } → "40 relations". Names are the task's, as stored.
 */
export const receipt = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, n]) => n !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, n]) => `${number(n)} ${isolatedText(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))}`)
    .join(", ");
