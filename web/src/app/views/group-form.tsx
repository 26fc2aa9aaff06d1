/** Form that creates or changes a group. */
import type { GroupFields, Posters } from "relationindex-client";
import { type ReactElement, useState } from "react";
import { Field, Form, textOf } from "./form";

const posters: Record<Posters, string> = { owner: "Only you", members: "Members", anyone: "Anyone" };

interface Props {
  title: string;
  button: string;
  now: GroupFields;
  save: (fields: GroupFields, isHere: () => boolean) => Promise<void>;
  cancel: () => void;
}

export function GroupForm({ title, button, now, save, cancel }: Props): ReactElement {
  const [post, setPost] = useState(now.post);
  const [closed, setClosed] = useState(now.closed);
  const act = async (fields: FormData, isHere: () => boolean) => {
    const name = textOf(fields, "name");
    if (name) await save({ name, post, closed }, isHere);
  };
  return (
    <Form title={title} button={button} className="card stack" act={act} cancel={cancel}>
      <Field
        label="Name of the group"
        field={(id) => <input className="input" id={id} name="name" defaultValue={now.name} maxLength={50} required autoComplete="off" />}
      />
      <Field
        label="Who may post"
        field={(id) => (
          <select className="input" id={id} value={post} onChange={({ currentTarget: { value } }) => setPost(value as Posters)}>
            {Object.entries(posters).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        )}
      />
      <label className="switch">
        <input type="checkbox" checked={closed} onChange={({ currentTarget: { checked } }) => setClosed(checked)} />
        Closed
      </label>
      <p className="small muted">{describeGroup({ closed, post })}</p>
    </Form>
  );
}

/** Describes a group: "A topic: everyone reads it, anyone posts in it." */
export function describeGroup({ closed, post }: Pick<GroupFields, "closed" | "post">): string {
  const writes = { owner: "its owner posts in it", members: "members post in it", anyone: "anyone posts in it" }[post];
  if (closed) return `A closed group: only members read it, ${writes}. To join, people ask.`;
  return `${post === "anyone" ? "A topic" : "An open group"}: everyone reads it, ${writes}.`;
}
