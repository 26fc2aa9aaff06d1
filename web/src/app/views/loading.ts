/** The words of a place whose content is being read. */
import { el } from "../../shared/dom";

/** Returns "Loading…", which screen readers announce too. */
export const loading = (): HTMLElement => el("p", { class: "small muted", role: "status" }, "Loading…");
