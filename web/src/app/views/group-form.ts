/** Form that creates or changes a group. */
import { type GroupFields, type Posters, errorMessage } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { announce } from "./say";

const posters: Record<Posters, string> = { owner: "Only you", members: "Members", anyone: "Anyone" };

export function groupForm(
  title: string,
  button: string,
  now: GroupFields,
  save: (fields: GroupFields) => Promise<void>,
  cancel: () => void,
): { node: HTMLElement; focus(): void } {
  const name = el("input", { class: "input", id: "group-name", value: now.name, maxLength: 50, required: true, autocomplete: "off" });
  const post = el("select", { class: "input", id: "group-post" }, ...Object.entries(posters).map(([value, text]) => el("option", { value }, text)));
  post.value = now.post;
  const closed = el("input", { type: "checkbox", checked: now.closed });
  const hint = el("p", { class: "small muted" });
  const problem = el("p", { class: "small problem", role: "alert" });
  const submit = el("button", { type: "submit", class: "button primary" }, button);
  const field = (label: string, input: HTMLInputElement | HTMLSelectElement) => el("div", { class: "field" }, el("label", { htmlFor: input.id }, label), input);
  const node = el(
    "form",
    { class: "card stack", aria: { label: title } },
    el("h2", {}, title),
    field("Name of the group", name),
    field("Who may post", post),
    el("label", { class: "switch" }, closed, "Closed"),
    hint,
    problem,
    el(
      "div",
      { class: "row" },
      el("span", { class: "grow" }),
      el("button", { type: "button", class: "button quiet", on: { click: cancel } }, "Cancel"),
      submit,
    ),
  );

  const describe = () => fill(hint, describeGroup({ closed: closed.checked, post: post.value as Posters }));
  node.addEventListener("change", describe);
  describe();
  node.addEventListener("keydown", (event) => event.key === "Escape" && cancel());
  let busy = false;
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = { name: name.value.trim(), post: post.value as Posters, closed: closed.checked };
    if (busy || !fields.name) return;
    busy = true;
    submit.setAttribute("aria-disabled", "true");
    fill(problem);
    await save(fields).catch((error: unknown) => {
      if (node.isConnected) fill(problem, errorMessage(error));
      else announce(`Not saved. ${errorMessage(error)}`, true);
    });
    busy = false;
    submit.removeAttribute("aria-disabled");
  });
  return { node, focus: () => name.select() };
}

/** Describes a group: "A topic: everyone reads it, anyone posts in it." */
export function describeGroup({ closed, post }: Pick<GroupFields, "closed" | "post">): string {
  const writes = { owner: "its owner posts in it", members: "members post in it", anyone: "anyone posts in it" }[post];
  if (closed) return `A closed group: only members read it, ${writes}. To join, people ask.`;
  return `${post === "anyone" ? "A topic" : "An open group"}: everyone reads it, ${writes}.`;
}
