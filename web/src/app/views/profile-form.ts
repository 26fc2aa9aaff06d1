/** Form that changes the name and the bio of the user's own profile. */
import { el } from "../../shared/dom";
import type { Profile } from "../data/session";

const longestBio = 300;

/** problem says why the form is open again; "" if the user has opened it. */
export function profileForm(now: Profile, problem: string, save: (typed: Profile) => void, cancel: () => void): { node: HTMLElement; focus(): void } {
  const name = el("input", { class: "input", id: "profile-name", value: now.name, maxLength: 50, required: true, autocomplete: "name" });
  const bio = el("textarea", { class: "input", id: "profile-bio", value: now.bio, maxLength: longestBio, rows: 3, dir: "auto" });
  const field = (label: string, input: HTMLElement) => el("div", { class: "field" }, el("label", { htmlFor: input.id }, label), input);
  const node = el(
    "form",
    { class: "card stack", aria: { label: "Edit profile" } },
    el("h2", {}, "Edit profile"),
    field("Name", name),
    field("About you", bio),
    el("p", { class: "small problem", role: "alert" }, problem),
    el(
      "div",
      { class: "row" },
      el("span", { class: "grow" }),
      el("button", { type: "button", class: "button quiet", on: { click: cancel } }, "Cancel"),
      el("button", { type: "submit", class: "button primary" }, "Save"),
    ),
  );
  node.addEventListener("keydown", (event) => event.key === "Escape" && cancel());
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = { name: name.value.trim(), bio: bio.value.trim() };
    if (typed.name) save(typed);
  });
  return { node, focus: () => name.select() };
}
