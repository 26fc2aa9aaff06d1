/** Panel of jobs: jobs under way, jobs that have ended, and jobs that have failed, with the reason. */
import type { ReactElement } from "react";
import { job } from "../data/documents";
import { live, useWatched } from "../data/live";
import { recentJobs, unfinishedJobs } from "../data/queries";
import { finished, grouped } from "../words/job";
import { useDb } from "./context";
import { JobRow } from "./job";
import { Panel, Scroller, State } from "./panel";

const mostShown = 40;

export function JobsPanel(): ReactElement {
  const db = useDb();
  const known = useWatched(() => live(job, recentJobs(db), unfinishedJobs(db)), [db]);
  const all = known.value ?? [];
  const open = all.filter((j) => !finished(j.state)).length,
    failed = all.filter((j) => j.state === "failed").length;
  const summary = `${open > 0 ? open : "none"} unfinished${failed > 0 ? `, ${failed} failed` : ""}`;
  return (
    <Panel name="jobs" title="Jobs" summary={all.length === 0 ? "" : summary}>
      <Scroller label="List of jobs">
        <ul className="jobs-list">
          {grouped(all)
            .slice(0, mostShown)
            .map((shown) => (
              <JobRow key={shown.id} shown={shown} />
            ))}
        </ul>
        <State
          of={known}
          what="The jobs"
          rows={3}
          kind="block"
          none={known.value?.length === 0 && ["No jobs", "What is too much for one call of a function becomes a job. The Play menu starts one."]}
        />
      </Scroller>
    </Panel>
  );
}
