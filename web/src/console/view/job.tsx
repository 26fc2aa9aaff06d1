/** Row that shows a job in the list of jobs, with its ranges. */
import { isolatedText, visibleText } from "relationindex-client";
import { type ReactElement, useState } from "react";
import { Words } from "../../shared/words";
import type { Job } from "../data/documents";
import { attempt, finished, jobs, lease, phase, progress, progressOf, receipt, type Shown, target } from "../words/job";
import { clip } from "../words/numbers";
import { ProgressBar } from "./bar";
import { useDev, useNames } from "./context";
import { Id, Text } from "./text";
import { useNow, When } from "./when";

const badges = { queued: "warn", running: "accent", done: "good", failed: "bad", canceled: "" } as const;

export function JobRow({ shown }: { shown: Shown }): ReactElement {
  const names = useNames(),
    now = useNow();
  const { job, ranges } = shown,
    { part, text, done } = progressOf(shown);
  const counts = job.kind === "relations.purge" && receipt(job.counts); // other kinds count for their own use
  const meta = [phase(job), `hop ${job.hop}`, attempt(job), lease(job, now), jobs(shown), counts && `receipt: ${counts}`];
  return (
    <li className="job" data-job={shown.id} data-kind={job.kind} data-state={job.state}>
      <div className="row">
        <span className={`badge ${badges[job.state]}`}>{job.state}</span>
        <span className="grow">
          <Id className="job-id" id={job.id} most={34} />
        </span>
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
            <Range key={range.id} range={range} />
          ))}
        </ul>
      )}
      <Text as="p" className="small muted meta" text={meta.filter(Boolean).join(" · ")} />
      <Problem job={job} />
    </li>
  );
}

function Range({ range }: { range: Job }): ReactElement {
  const { part, text } = progress(range);
  return (
    <li className={range.state} title={range.id}>
      <ProgressBar label={`Progress of range ${isolatedText(clip(range.id, 60))}`} part={part} text={`${range.state}, ${text}`} />
    </li>
  );
}

/** Says why a job has failed, with the button Retry. */
function Problem({ job: { id, hop, state, error } }: { job: Job }): ReactElement | null {
  const { open = true } = useDev();
  const [answer, setAnswer] = useState(""),
    [busy, setBusy] = useState(false),
    [asked, setAsked] = useState(Infinity);
  const stopped = state === "failed" || state === "canceled";
  // Afterwards, the row itself shows how the retry went.
  const said = hop > asked && (stopped || state === "done") && !busy ? "" : answer;
  if (!error && !stopped && said === "") return null;
  const retry = async () => {
    setBusy(true);
    setAsked(hop);
    setAnswer("Asking dev …");
    setAnswer(await retryJob(id).catch((err: Error) => err.message));
    setBusy(false);
  };
  return (
    <div className={state === "failed" ? "problem bad" : "problem"}>
      <p className="why" title={error?.message}>
        {error && (
          <>
            <Text as="strong" text={isolatedText(error.code || "Error")} />: <bdi>{clip(error.message, 500)}</bdi>
          </>
        )}
      </p>
      {stopped && <p className="small">Mend the cause above. Then press Retry: the job goes on where it stopped.</p>}
      <div className="row wrap">
        {stopped && (
          <button
            type="button"
            className="button small"
            aria-label={`Retry ${visibleText(clip(id, 60))}`}
            disabled={busy || !open}
            onClick={() => void retry()}
          >
            Retry
          </button>
        )}
        <p className="small" role="status">
          {said}
        </p>
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
