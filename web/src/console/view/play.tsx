/** Play menu. It makes things happen, so that there is something to see without a second window. */
import { isolatedText } from "relationindex-client";
import { type ReactElement, useState } from "react";
import { Popover } from "../../shared/menu";
import { Words } from "../../shared/words";
import { type Author, edit, follow, leave, manyPosts, newAuthor, type Play, startJob, unfollow, write } from "../data/play";
import { choose, useSelected } from "../data/selection";
import { useDb, useDev, useNames } from "./context";
import { Text } from "./text";

/** The author of a play if no author is chosen. */
const ada: Author = { id: "ada", name: "Ada" };

const items: [words: (a: string) => string, play: Play, about?: () => Author][] = [
  [(a) => `An account follows ${a}`, follow(1)],
  [(a) => `20 accounts follow ${a}`, follow(20)],
  [(a) => `${a} posts`, write],
  [(a) => `${a} edits the newest post`, edit],
  [(a) => `5 accounts unfollow ${a}`, unfollow(5)],
  [(a) => `Delete an account that follows ${a}`, leave],
  [() => `A job: the first follower of an author with ${manyPosts} posts`, startJob, () => newAuthor("Grace")],
];

export function PlayMenu(): ReactElement {
  const db = useDb(),
    names = useNames(),
    { open = true } = useDev(),
    { author: id } = useSelected();
  const [said, setSaid] = useState(""),
    [busy, setBusy] = useState(false);
  const chosen = id === "" ? ada : { id, name: names.name(id) };
  const run = async (play: Play, author: Author) => {
    setBusy(true);
    setSaid("Writing …");
    try {
      setSaid(await play(db, author));
      names.learn(author.id, author.name);
      if (author.id !== id) choose({ author: author.id });
    } catch (err) {
      setSaid((err as Error).message);
    }
    setBusy(false);
  };
  return (
    <fieldset className="bare" disabled={!open}>
      <Popover face="Play" label="Play" className="button primary small" kind="panel">
        <div id="play" className="menu">
          <p className="small muted">Documents as clients write them</p>
          {items.map(([words, play, about = () => chosen], n) => (
            <button key={n} type="button" className="choice" disabled={busy} onClick={() => void run(play, about())}>
              <span>
                <Words text={words(isolatedText(chosen.name))} />
              </span>
            </button>
          ))}
          <Text as="p" className="small muted" role="status" text={said} />
        </div>
      </Popover>
    </fieldset>
  );
}
