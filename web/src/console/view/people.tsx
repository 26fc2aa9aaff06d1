/** List of authors to choose from, with a search field. */
import { isGroup, isolatedText } from "relationindex-client";
import { type ReactElement, useEffect, useState } from "react";
import { type Person, person } from "../data/documents";
import { live, useWatched } from "../data/live";
import { mostIndexed, someUsers, usersLike } from "../data/queries";
import { choose, useSelected } from "../data/selection";
import { clip, count, number } from "../words/numbers";
import { matching } from "../words/people";
import { useDb, useNames } from "./context";
import { Choice, Choices, State } from "./panel";
import { Id, Text } from "./text";

export function People(): ReactElement {
  const db = useDb(),
    names = useNames(),
    { author } = useSelected();
  const [text, setText] = useState(""),
    [found, setFound] = useState<Person[]>([]);
  const known = useWatched(() => live(person, someUsers(db), mostIndexed(db)), [db]);
  const sought = text.trim();
  useEffect(() => known.value?.forEach((p) => names.learn(p.id, p.name)), [names, known.value]);
  useEffect(() => {
    let over = sought === "";
    if (!over)
      usersLike(db, sought).then(
        (all) => over || setFound(all.map((d) => person(d.id, d.data()))),
        () => {},
      );
    return () => {
      over = true; // another text was typed meanwhile
    };
  }, [db, sought]);
  const all = new Map([...found, ...(known.value ?? [])].map((p) => [p.id, p]));
  const shown = matching([...all.values()], text);
  const none: [string, string] = text
    ? ["Nobody", "No name and no uid is like that."]
    : ["No accounts yet", "The Play menu, above, makes some. Or sign up in the app."];
  return (
    <div className="rail">
      <input
        type="search"
        className="input"
        placeholder="Name or uid"
        id="author-search"
        autoComplete="off"
        aria-label="Search authors by name or uid"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Choices
        label="Authors"
        state={<State of={known} what="The accounts" rows={shown.length > 0 ? 0 : 5} none={known.value && shown.length === 0 && none} />}
      >
        {shown.map((p) => (
          <PersonRow key={p.id} person={p} chosen={p.id === author} />
        ))}
      </Choices>
    </div>
  );
}

function PersonRow({ person: { id, name, indexIds }, chosen }: { person: Person; chosen: boolean }): ReactElement {
  const n = indexIds.length;
  return (
    <Choice id={id} chosen={chosen} choose={() => choose({ author: id })} flash={n}>
      <span className="grow stacked">
        <Text className="name" text={isolatedText(clip(name || id, 22))} />
        {name ? <Id className="muted" id={id} most={20} /> : <code className="muted">no profile</code>}
      </span>
      {isGroup(id) && <span className="badge accent">Group</span>}
      {n > 0 && (
        <span className="badge" role="img" aria-label={count(n, "index document")}>
          {number(n)}
        </span>
      )}
    </Choice>
  );
}
