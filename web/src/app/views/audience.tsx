/** Choice of who gets a post, as a chip with a panel: an audience from a list, people whom the author adds, and the kind of post. */
import { Globe, Lock, type LucideIcon, User, Users } from "lucide-react";
import { groupsToPostTo, isolatedText, maxTo, visibleText } from "relationindex-client";
import { type ReactElement, useId, useRef, useState } from "react";
import { Popover } from "../../shared/menu";
import { Words } from "../../shared/words";
import { useApp, useMine } from "../context";
import type { Readers } from "../data/drafts";
import { PeoplePicker } from "./people-picker";

/** The kinds of posts that the form offers. Another client may have other kinds. */
const kinds = { "": "Plain post", photo: "Photo", event: "Event", question: "Question" };

export interface Choice extends Readers {
  kind: string;
}

export const nobodyChosen = ({ audience, to }: Choice): boolean => audience === "" && to.length === 0;

export function AudienceChip({ choice, choose }: { choice: Choice; choose: (next: Choice) => void }): ReactElement {
  const me = useMine();
  const { account } = useApp();
  const name = useId();
  const [groups, setGroups] = useState<{ id: string; name: string }[]>([]);
  const asked = useRef(false);
  const ask = (open: boolean) => {
    if (!open || asked.current) return;
    asked.current = true;
    // Without a network the list stays as it is. The next opening reads it again.
    groupsToPostTo(me).then(
      (all) => setGroups(all.map((group) => ({ id: group.id, name: group.name || group.id }))),
      () => (asked.current = false),
    );
  };
  const mine = account.closed ? "My followers" : "Followers (public)";
  const { audience, to, kind } = choice;
  const chosen = choice.name && !groups.some(({ id }) => id === audience) ? [{ id: audience, name: choice.name }, ...groups] : groups;
  const options: [id: string, text: string, icon: LucideIcon, name: string][] = [
    [me.id, mine, account.closed ? Lock : Globe, ""],
    ...chosen.map(({ id, name }): [string, string, LucideIcon, string] => [id, `Group: ${isolatedText(name)}`, Users, name]),
    ["", "Only people I add", User, ""],
  ];
  const [, text, Icon] = options.find(([id]) => id === audience) ?? options[0]!;
  const people = to.length === 0 ? "" : to.length === 1 ? ` + ${isolatedText(to[0]!.name)}` : ` + ${to.length} people`;
  const shown = `${audience === "" && to.length > 0 ? people.slice(3) : `${text}${people}`}${kind && ` · ${kinds[kind as keyof typeof kinds] ?? visibleText(kind)}`}`;
  return (
    <Popover
      kind="panel"
      className="chip"
      label={`Who gets this post: ${shown}`}
      turned={ask}
      face={
        <>
          <Icon size={16} />
          <span className="clip">
            <Words text={shown} />
          </span>
        </>
      }
    >
      <fieldset className="choices" onKeyDown={(event) => event.key === "Enter" && event.preventDefault() /* it would send the post */}>
        <legend className="small muted">Who gets this post</legend>
        {options.map(([id, label, OptionIcon, groupName]) => (
          <label key={id} className="choice row">
            <OptionIcon size={18} />
            <span className="grow">
              <Words text={label} />
            </span>
            <input type="radio" name={name} checked={id === audience} onChange={() => choose({ ...choice, audience: id, name: groupName })} />
          </label>
        ))}
      </fieldset>
      <PeoplePicker most={maxTo} chosen={to} choose={(next) => choose({ ...choice, to: next })} />
      <label className="row small">
        <span className="grow muted">Kind of post</span>
        <select className="input small-field" value={kind} onChange={({ currentTarget: { value } }) => choose({ ...choice, kind: value })}>
          {Object.entries(kinds).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </Popover>
  );
}
