/** What the owner of a group does to it: Edit, and Delete. */
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

  const edit = button("Edit", () => {
    const close = () => {
      fill(formPlace);
      place.querySelector<HTMLElement>(".edit-group")?.focus(); // a change has made the buttons anew
    };
    const form = groupForm("Edit the group", "Save", group, async (fields) => {
      await changeGroup(db, id, fields);
      close();
      announce("Saved.");
    }, close);
    fill(formPlace, form.node);
    form.focus();
  });
  edit.classList.add("edit-group");

  const remove = () => void deleteGroup(db, id).then(
    () => {
      location.hash = href({ to: "groups", tab: "owned" });
      announce(`${isolated(group.name)} is deleted.`);
    },
    (error: unknown) => announce(`Not deleted. ${say(error)}`, true),
  );
  return [edit, button("Delete", () => confirmIn(place, "Delete the group? Its posts leave every feed.", "Delete group", remove))];
}
