// The table as docs/rules.md shows it: the plain operations, and who may do them.
import { type Cell, pathOf } from "./row.ts";
import type { Who } from "./world.ts";

const columns = ["get", "list", "count", "create", "update", "delete"];

/** markdown returns a table of who may do what, with a line for each document. */
export function markdown(all: Map<string, Cell[]>): string {
  const lines = [...all].map(([document, cells]) => {
    const path = pathOf(document);
    const name = document.includes("{") ? `\`${path}\`${document.slice(path.length)}` : "any other path";
    return [name, ...columns.map((what) => people(cells.filter((cell) => cell.what === what && cell.allowed)))];
  });
  const rows = [["", ...columns], ["---", ...columns.map(() => "---")], ...lines];
  return [...new Set(rows.map((line) => `|${line.join("|")}|`))].join("\n");
}

/** people sums up who is allowed. If a stranger is, all users are, except the columns that are denied; or all with a profile. */
function people(cells: Cell[]): string {
  const allowed = cells.map((cell) => cell.who);
  const named: Who[] = ["blocked", "follower", "author"];
  const but = named.filter((w) => !allowed.includes(w));
  if (!allowed.includes("stranger") || !(allowed.includes("anonymous") || allowed.includes("moderator"))) {
    return allowed.join(", ");
  }
  const all = allowed.includes("signed-out") ? "everyone" : allowed.includes("anonymous") ? "users" : "people";
  return all + (but.length > 0 ? `, not ${but.join(" or ")}` : "");
}
