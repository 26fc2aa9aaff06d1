/** List of authors to choose from, with a search field. */
import { isolatedText } from "relationindex-client";
import { useEffect, useRef, useState } from "react";
import { type Person, person } from "../data/documents";
import { live, useWatched } from "../data/live";
import { mostIndexed, someUsers, usersLike } from "../data/queries";
import { choose } from "../data/selection";
import { clip, count, number } from "../words/numbers";
import { matching } from "../words/people";
import { useConsole } from "./context";
import { Choice, Choices } from "./panel";
import { Group, Id, Text } from "./text";

const mostFound = 200;

export function People() {
  const { db, names } = useConsole();
  const [text, setText] = useState(""),
    [found, setFound] = useState<Person[]>([]);
  const searches = useRef(0);
  const known = useWatched(() => live(person, someUsers(db), mostIndexed(db)), [db]);
  useEffect(() => known.value?.forEach((p) => names.learn("users", p.id, p.name)), [names, known.value]);
  const search = async (to: string) => {
    setText(to);
    const mine = ++searches.current;
    const more = to.trim() === "" ? [] : await usersLike(db, to.trim()).catch(() => []);
    if (mine === searches.current) setFound(more.slice(-mostFound));
  };
  const shown = matching([...new Map([...found, ...(known.value ?? [])].map((p) => [p.id, p])).values()], text);
  const nobody = text ? "Nobody\nNo name and no uid is like that." : "No accounts yet\nThe Play menu, above, makes some. Or sign up in the app.";
  const field = { id: "author-search", placeholder: "Name or uid", autoComplete: "off", "aria-label": "Search authors by name or uid" };
  return (
    <Choices
      label="Authors"
      search={<input type="search" className="input" {...field} value={text} onChange={(event) => void search(event.currentTarget.value)} />}
      rows={shown.map((p) => <PersonRow key={p.id} {...p} />)}
      of={known}
      what="The accounts"
      loading={shown.length > 0 ? 0 : 5}
      none={known.value && shown.length === 0 && nobody}
    />
  );
}

function PersonRow({ id, name, indexIds: { length } }: Person) {
  const { author } = useConsole();
  const indexes = length > 0 && <Text key="indexes" className="badge" role="img" aria-label={count(length, "index document")} text={number(length)} />;
  const badges = [<Group key="group" id={id} />, indexes];
  return (
    <Choice id={id} chosen={author} choose={() => choose({ author: id })} name={isolatedText(clip(name || id, 22))} badges={badges} flash={length}>
      {name ? <Id id={id} most={20} /> : <code className="muted">no profile</code>}
    </Choice>
  );
}
