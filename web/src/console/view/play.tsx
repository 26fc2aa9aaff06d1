/** Play menu. It makes things happen, so that there is something to see without a second window. */
import { isolatedText } from "relationindex-client";
import { useState } from "react";
import { Popover } from "../../shared/menu";
import { type Author, edit, follow, leave, manyPosts, newAuthor, type Play, startJob, unfollow, write } from "../data/play";
import { choose } from "../data/selection";
import { useConsole, useDev } from "./context";
import { Text } from "./text";

/** The author of a play if no author is chosen. */
const ada: Author = { id: "ada", name: "Ada" };

const items: [words: (a: string) => string, play: Play, about?: () => Author][] = [
  [(a) => `An account follows ${a}`, (db, a) => follow(db, a, 1)],
  [(a) => `20 accounts follow ${a}`, (db, a) => follow(db, a, 20)],
  [(a) => `${a} posts`, write],
  [(a) => `${a} edits the newest post`, edit],
  [(a) => `5 accounts unfollow ${a}`, (db, a) => unfollow(db, a, 5)],
  [(a) => `Delete an account that follows ${a}`, leave],
  [() => `A job: the first follower of an author with ${manyPosts} posts`, startJob, () => newAuthor("Grace")],
];

const writing = "Writing …";

export function PlayMenu() {
  const { db, names, author: id } = useConsole(),
    { open = true } = useDev();
  const [said, setSaid] = useState("");
  const chosen = id === "" ? ada : { id, name: names.name(id) };
  const run = async (play: Play, author: Author) => {
    setSaid(writing);
    try {
      setSaid(await play(db, author));
      names.learn("users", author.id, author.name);
      if (author.id !== id) choose({ author: author.id });
    } catch (err) {
      setSaid((err as Error).message);
    }
  };
  return (
    <fieldset className="bare" disabled={!open}>
      <Popover face="Play" label="Play" className="button primary small" kind="panel">
        <div id="play" className="menu">
          <p className="small muted">Documents as clients write them</p>
          {items.map(([words, play, about = () => chosen], n) => (
            <button key={n} type="button" className="choice" disabled={said === writing} onClick={() => void run(play, about())}>
              <Text text={words(isolatedText(chosen.name))} />
            </button>
          ))}
          <Text as="p" className="small muted" role="status" text={said} />
        </div>
      </Popover>
    </fieldset>
  );
}
