/** What the owner of a group does to it: Change, and Delete. */
import { type Account, changeGroup, deleteGroup, isolated, say } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { href } from "../routes";
import { confirmIn } from "./confirm";
import { groupForm } from "./group-form";
import { announce } from "./say";

/** place is where the buttons stand and a question is asked, formPlace where the form opens. */
export function ownerButtons({ db }: Context, id: string, group: Account, place: HTMLElement, formPlace: HTMLElement): HTMLElement[] {
  const button = (label: string, click: () => void) => el("button", { type: "button", class: "button small quiet", on: { click } }, label);

  const change = button("Change", () => {
    const close = () => {
      fill(formPlace);
      place.querySelector<HTMLElement>(".change-group")?.focus(); // a change has made the buttons anew
    };
    const form = groupForm("Change the group", "Save", group, async (fields) => {
      await changeGroup(db, id, fields);
      close();
      announce("Saved.");
    }, close);
    fill(formPlace, form.node);
    form.focus();
  });
  change.classList.add("change-group");

  const remove = () => void deleteGroup(db, id).then(
    () => {
      announce(`${isolated(group.name)} is deleted.`);
      location.hash = href({ to: "groups", tab: "owned" });
    },
    (error: unknown) => announce(`Not deleted. ${say(error)}`, true),
  );
  return [change, button("Delete", () => confirmIn(place, "Delete the group? Its posts leave every feed.", "Delete group", remove))];
}
