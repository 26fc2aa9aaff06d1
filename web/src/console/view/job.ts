/** Row that shows a job in the list of jobs, with its ranges. */
import { isolatedText, visibleText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Job } from "../data/documents";
import type { Names } from "../data/names";
import { retryJob } from "../data/retry";
import { attempt, finished, jobs, lease, phase, progress, progressOf, receipt, type Shown, target } from "../words/job";
import { clip } from "../words/numbers";
import { progressBar } from "./bar";
import { keyed, type Row, say } from "./keyed";
import { when } from "./when";

const badges = { queued: "warn", running: "accent", done: "good", failed: "bad", canceled: "" } as const;

export function jobRow(names: Names): Row<Shown> {
  const state = el("span", { class: "badge" }),
    id = el("code", { class: "job-id" }),
    updated = when();
  const about = el("p", { class: "small" }),
    done = el("span", { class: "figure small" }),
    meta = el("p", { class: "small muted meta" });
  const bar = progressBar("Progress");
  const rangeList = el("ul", { class: "ranges", aria: { label: "Ranges" } });
  const showRanges = keyed<Job>(rangeList, (r) => r.id, rangeRow);
  const problem = failureBox();
  const node = el(
    "li",
    { class: "job" },
    el("div", { class: "row" }, state, el("span", { class: "grow" }, id), updated.node),
    about,
    el("div", { class: "row" }, bar.node, done),
    rangeList,
    meta,
    problem.node,
  );
  return {
    node,
    update(shown) {
      const { job, ranges } = shown,
        now = new Date(),
        p = progressOf(shown);
      node.dataset["job"] = shown.id;
      node.dataset["kind"] = job.kind;
      node.dataset["state"] = job.state;
      state.className = `badge ${badges[job.state]}`;
      say(state, job.state);
      say(id, isolatedText(clip(job.id, 34)));
      id.title = job.id;
      updated.show(job.updatedAt);
      fill(
        about,
        el("span", { class: "muted" }, isolatedText(clip(job.kind || "no kind", 40))),
        " ",
        target(job, (uid) => names.person(uid)),
      );
      bar.node.setAttribute("aria-label", `Progress of ${visibleText(clip(job.id, 60))}`);
      bar.show(p.part ?? (finished(job.state) ? 0 : null), p.text);
      bar.node.dataset["done"] = String(p.done);
      say(done, p.text);
      showRanges(ranges);
      rangeList.hidden = ranges.length < 2;
      const counts = job.kind === "relations.purge" && receipt(job.counts); // other kinds count for their own use
      say(meta, [phase(job), `hop ${job.hop}`, attempt(job), lease(job, now), jobs(shown), counts && `receipt: ${counts}`].filter(Boolean).join(" · "));
      problem.update(job);
    },
  };
}

function rangeRow(first: Job): Row<Job> {
  const bar = progressBar(`Progress of range ${isolatedText(clip(first.id, 60))}`);
  const node = el("li", { title: first.id }, bar.node);
  return {
    node,
    update(range) {
      const p = progress(range);
      node.className = range.state;
      bar.show(p.part, `${range.state}, ${p.text}`);
    },
  };
}

/** Returns a box that says why a job has failed, with the button Retry. */
function failureBox(): { node: HTMLElement; update(job: Job): void } {
  const why = el("p", { class: "why" }),
    said = el("p", { class: "small", role: "status" });
  const remedy = el("p", { class: "small" }, "Mend the cause above. Then press Retry: the job goes on where it stopped.");
  const button = el("button", { type: "button", class: "button small" }, "Retry");
  const node = el("div", { class: "problem" }, why, remedy, el("div", { class: "row wrap" }, button, said));
  let id = "",
    hop = 0,
    asked = Infinity,
    underWay = false;
  button.addEventListener("click", async () => {
    underWay = button.disabled = true;
    asked = hop;
    say(said, "Asking dev …");
    try {
      say(said, await retryJob(id));
    } catch (err) {
      say(said, err instanceof Error ? err.message : String(err));
    }
    underWay = button.disabled = false;
  });
  return {
    node,
    update(job) {
      [id, hop] = [job.id, job.hop];
      const stopped = job.state === "failed" || job.state === "canceled";
      fill(
        why,
        job.error && el("strong", {}, isolatedText(job.error.code || "Error")),
        job.error && ": ",
        job.error && el("bdi", {}, clip(job.error.message, 500)),
      );
      why.title = job.error?.message ?? "";
      button.hidden = remedy.hidden = !stopped;
      button.setAttribute("aria-label", `Retry ${visibleText(clip(job.id, 60))}`);
      node.classList.toggle("bad", job.state === "failed");
      if (hop > asked && (stopped || job.state === "done") && !underWay) say(said, ""); // the row shows how the retry went
      node.hidden = !job.error && !stopped && said.textContent === "";
    },
  };
}
