/** Picker that chooses people by name: a search field, the people found, and the people chosen. */
import { X } from "lucide-react";
import { type Account, errorMessage, findAccounts, isGroup, isolatedText } from "relationindex-client";
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from "react";
import { plain, Words } from "../../shared/words";
import { useMine } from "../context";
import { Avatar } from "./avatar";
import { shownName } from "./words";

interface Picked {
  id: string;
  name: string;
}

const mostFound = 5;

/** The text of a field, a moment after the last letter: a query for each word, not for each letter. */
export function useTyped(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), 200);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}

/** Costs at most 10 reads per search. Results leave out groups, and people who are chosen already. */
export function PeoplePicker({ most, chosen, choose }: { most: number; chosen: Picked[]; choose: (people: Picked[]) => void }): ReactElement {
  const me = useMine();
  const [text, setText] = useState("");
  const [found, setFound] = useState<{ by: string; people: Account[]; problem: string }>({ by: "", people: [], problem: "" });
  const field = useRef<HTMLInputElement>(null);
  const typed = useTyped(text).trim();
  useEffect(() => {
    if (!typed) return;
    const asking = new AbortController();
    findAccounts(me, typed, 2 * mostFound, asking.signal).then(
      (people) => asking.signal.aborted || setFound({ by: typed, people, problem: "" }),
      (error: unknown) => asking.signal.aborted || setFound({ by: typed, people: [], problem: errorMessage(error) }),
    );
    return () => asking.abort();
  }, [me, typed]);

  const taken = new Set([me.id, ...chosen.map(({ id }) => id)]);
  const offered = text.trim() ? found.people.filter(({ id }) => !isGroup(id) && !taken.has(id)).slice(0, mostFound) : [];
  const known = found.by !== "" && found.by === text.trim();
  const take = ({ id, name }: Account) => {
    setText("");
    choose([...chosen, { id, name: name || id }]);
    field.current?.focus();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape" && text) {
      event.preventDefault(); // the panel stays
      setText("");
    }
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // Enter would send the post
    if (known && offered[0]) take(offered[0]);
  };
  return (
    <div className="picker">
      {chosen.length > 0 && (
        <ul className="row wrap" aria-label="People who get it">
          {chosen.map((one) => (
            <li key={one.id}>
              <button
                type="button"
                className="chip"
                aria-label={plain(`Remove ${isolatedText(one.name)}`)}
                onClick={() => {
                  choose(chosen.filter(({ id }) => id !== one.id));
                  field.current?.focus();
                }}
              >
                <Words text={isolatedText(one.name)} />
                <X size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        ref={field}
        className="input"
        type="search"
        placeholder="Add people by name"
        aria-label="Add people by name"
        autoComplete="off"
        disabled={chosen.length >= most}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={key}
      />
      <p className="small muted" role="status">
        {known && (found.problem || (offered.length === 0 && "Nobody by that name."))}
      </p>
      <ul className="found" aria-label="People found">
        {offered.map((one) => (
          <li key={one.id}>
            <button type="button" className="row" aria-label={plain(`Add ${shownName(one)}`)} onClick={() => take(one)}>
              <Avatar account={one} small />
              <Words text={shownName(one)} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
