/** Buttons with which the owner edits and deletes a group. */
import { type Account, changeGroup, deleteGroup, isolatedText, errorMessage } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { href } from "../routes";
import { confirmIn } from "./confirm";
import { groupForm } from "./group-form";
import { announce } from "./say";

/**
 * Returns Edit and Delete. `place` contains the buttons, and shows the question before a deletion. The form opens in formPlace.
 */
export function ownerButtons({ me }: Context, id: string, group: Account, place: HTMLElement, formPlace: HTMLElement): HTMLElement[] {
  const button = (label: string, click: () => void) => el("button", { type: "button", class: "button small quiet", on: { click } }, label);

  const edit = button("Edit", () => {
    const close = () => {
      fill(formPlace);
      place.querySelector<HTMLElement>(".edit-group")?.focus(); // a change has replaced the buttons
    };
    const form = groupForm(
      "Edit the group",
      "Save",
      group,
      async (fields) => {
        await changeGroup(me, id, fields);
        if (form.node.isConnected) close();
        announce("Saved.");
      },
      close,
    );
    fill(formPlace, form.node);
    form.focus();
  });
  edit.classList.add("edit-group");

  const remove = () =>
    void deleteGroup(me, id).then(
      () => {
        if (place.isConnected) location.hash = href({ to: "groups", tab: "owned" }); // else the user went on meanwhile
        announce(`${isolatedText(group.name)} is deleted.`);
      },
      (error: unknown) => announce(`Not deleted. ${errorMessage(error)}`, true),
    );
  return [edit, button("Delete", () => confirmIn(place, "Delete the group? Its posts leave every feed.", "Delete group", remove))];
}
