/** Panel of jobs: jobs under way, jobs that have ended, and jobs that have failed, with the reason. */
import { el, fill } from "../../shared/dom";
import type { Db } from "../data/connect";
import { type Job, job } from "../data/documents";
import { live } from "../data/live";
import type { Names } from "../data/names";
import { recentJobs, unfinishedJobs } from "../data/queries";
import { finished, grouped, type Shown } from "../words/job";
import { jobRow } from "./job";
import { keyed, say } from "./keyed";
import { empty, failure, panel, type Panel, scroller, skeletons } from "./panel";

const mostShown = 40;
const tickMs = 1000;

export function jobsPanel(db: Db, names: Names): Panel {
  const list = el("ul", { class: "jobs-list" }),
    state = el("div", {}, skeletons(3, "block"));
  const node = panel("jobs", "Jobs", scroller("List of jobs", list, state));
  const show = keyed<Shown>(
    list,
    (s) => s.id,
    () => jobRow(names),
  );

  const known = { recent: [] as Job[], unfinished: [] as Job[] };
  const answers = new Set<string>();
  const draw = () => {
    const all = [...new Map([...known.recent, ...known.unfinished].map((j) => [j.id, j])).values()];
    const shown = grouped(all).slice(0, mostShown);
    const open = all.filter((j) => !finished(j.state)).length,
      failed = all.filter((j) => j.state === "failed").length;
    say(
      node.summary,
      all.length === 0 ? "" : [open > 0 ? `${open} unfinished` : "none unfinished", failed > 0 ? `${failed} failed` : ""].filter(Boolean).join(", "),
    );
    if (answers.size === 2)
      fill(state, shown.length === 0 && empty("No jobs", `What is too much for one call of a function becomes a job. The Play menu starts one.`));
    show(shown);
  };
  for (const [name, query] of [
    ["recent", recentJobs(db)],
    ["unfinished", unfinishedJobs(db)],
  ] as const) {
    live(query, job, (now) => {
      if (now.state === "failed") return fill(state, failure("The jobs cannot be read.", now.why));
      if (now.state !== "ready") return;
      answers.add(name);
      known[name] = now.value;
      draw();
    });
  }
  // Leases and waits run down without any write, so the panel also redraws by itself.
  setInterval(() => {
    if ([...known.unfinished, ...known.recent].some((j) => !finished(j.state))) draw();
  }, tickMs);
  return node;
}
