/** Panel of jobs: jobs under way, jobs that have ended, and jobs that have failed, with the reason. */
import { isolatedText, visibleText } from "relationindex-client";
import { useState } from "react";
import { Words } from "../../shared/words";
import { type Job, job as jobOf } from "../data/documents";
import { live, useWatched } from "../data/live";
import { recentJobs, unfinishedJobs } from "../data/queries";
import { attempt, finished, grouped, jobs, lease, phase, progress, progressOf, receipt, type Shown, target } from "../words/job";
import { clip } from "../words/numbers";
import { ProgressBar } from "./bar";
import { useConsole, useDev } from "./context";
import { Panel, Scroller, State } from "./panel";
import { Id, Text, useNow, When } from "./text";

const mostShown = 40;

export function JobsPanel() {
  const { db } = useConsole();
  const known = useWatched(() => live(jobOf, recentJobs(db), unfinishedJobs(db)), [db]),
    { value: all = [] } = known;
  const open = all.filter((j) => !finished(j.state)).length,
    failed = all.filter((j) => j.state === "failed").length;
  const summary = `${open > 0 ? open : "none"} unfinished${failed > 0 ? `, ${failed} failed` : ""}`;
  const none = known.value?.length === 0 && "No jobs\nWhat is too much for one call of a function becomes a job. The Play menu starts one.";
  const rows = grouped(all)
    .slice(0, mostShown)
    .map((shown) => <JobRow key={shown.id} shown={shown} />);
  return (
    <Panel title="Jobs" summary={all.length === 0 ? "" : summary}>
      <Scroller label="List of jobs">
        <ul className="jobs-list">{rows}</ul>
        <State of={known} what="The jobs" loading={3} kind="block" none={none} />
      </Scroller>
    </Panel>
  );
}

const badges = { queued: "warn", running: "accent", done: "good", failed: "bad", canceled: "" } as const;

function JobRow({ shown }: { shown: Shown }) {
  const { names } = useConsole(),
    now = useNow();
  const { job, ranges } = shown,
    { part, text, done } = progressOf(shown);
  const counts = job.kind === "relations.purge" && receipt(job.counts); // other kinds count for their own use
  const meta = [phase(job), `hop ${job.hop}`, attempt(job), lease(job, now), jobs(shown), counts && `receipt: ${counts}`];
  return (
    <li className="job" data-job={shown.id} data-kind={job.kind} data-state={job.state}>
      <div className="row">
        <span className={`badge ${badges[job.state]}`}>{job.state}</span>
        <Id id={job.id} most={34} className="job-id grow" />
        <When at={job.updatedAt} />
      </div>
      <p className="small">
        <Text className="muted" text={isolatedText(clip(job.kind || "no kind", 40))} /> <Words text={target(job, names.person)} />
      </p>
      <div className="row">
        <ProgressBar label={`Progress of ${visibleText(clip(job.id, 60))}`} part={part ?? (finished(job.state) ? 0 : null)} text={text} done={done} />
        <span className="figure small">{text}</span>
      </div>
      {ranges.length > 1 && (
        <ul className="ranges" aria-label="Ranges">
          {ranges.map((range) => (
            <Range key={range.id} {...range} />
          ))}
        </ul>
      )}
      <Text as="p" className="small muted meta" text={meta.filter(Boolean).join(" · ")} />
      <Problem {...job} />
    </li>
  );
}

function Range(range: Job) {
  const { part, text } = progress(range);
  return (
    <li className={range.state} title={range.id}>
      <ProgressBar label={`Progress of range ${isolatedText(clip(range.id, 60))}`} part={part} text={`${range.state}, ${text}`} />
    </li>
  );
}

const asking = "Asking dev …";

/** Says why a job has failed, with the button Retry. */
function Problem({ id, hop, state, error }: Job) {
  const { open = true } = useDev();
  const [answer, setAnswer] = useState(""),
    [asked, setAsked] = useState(Infinity);
  const said = hop > asked && finished(state) && answer !== asking ? "" : answer; // the row shows how the retry went
  const stopped = finished(state) && state !== "done";
  if (!error && !stopped && said === "") return null;
  const retry = async () => {
    setAsked(hop);
    setAnswer(asking);
    setAnswer(await retryJob(id).catch((err: Error) => err.message));
  };
  const button = { "aria-label": `Retry ${visibleText(clip(id, 60))}`, disabled: answer === asking || !open, onClick: () => void retry() };
  return (
    <div className={state === "failed" ? "problem bad" : "problem"}>
      {error && (
        <p className="why" title={error.message}>
          <Text as="strong" text={isolatedText(error.code || "Error")} />: <bdi>{clip(error.message, 500)}</bdi>
        </p>
      )}
      {stopped && <p className="small">Mend the cause above. Then press Retry: the job goes on where it stopped.</p>}
      <div className="row wrap">
        {stopped && (
          <button type="button" className="button small" {...button}>
            Retry
          </button>
        )}
        <Text as="p" className="small" role="status" text={said} />
      </div>
    </div>
  );
}

/**
 * Lets a failed or canceled job continue where it stopped, and returns the message of `dev`. If the retry fails, the error says why.
 * A second call finds the job under way, and changes nothing.
 */
async function retryJob(id: string): Promise<string> {
  // Another site's page cannot send this content type without a preflight request.
  const answer = await fetch(`/dev/jobs/${encodeURIComponent(id)}/retry`, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  const said = (await answer.json().catch(() => ({}))) as { message?: string; error?: { message?: string } };
  if (!answer.ok) throw new Error(said.error?.message ?? `dev answered ${answer.status}`);
  return said.message ?? "The job is queued.";
}
