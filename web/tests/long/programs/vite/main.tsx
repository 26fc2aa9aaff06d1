// A wall of a club: people with pictures, posts with a title and a photo, comments, and whom to follow.
import { createUserWithEmailAndPassword } from "firebase/auth";
import { type FormEvent, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { changeProfile, type Config, connect, errorMessage, type Fields, isolatedText, type Post, writeComment, writePost } from "relationindex-client";
import { RelationIndex, useAccountsByName, useAuthor, useComments, useFeed, useFollow, useMe, useProfile, useUser } from "relationindex-client/react";

/** What this app adds to a post. */
interface Own {
  title: string;
  photo?: { url: string; width: number; height: number };
}
function own({ title, photo }: Fields): Own {
  const { url, width, height } = (typeof photo === "object" && photo !== null ? photo : {}) as Fields;
  const shown = typeof url === "string" && url.startsWith("https://") && typeof width === "number" && typeof height === "number";
  return { title: typeof title === "string" ? title : "", ...(shown && { photo: { url, width, height } }) };
}
const config = (await (await fetch("http://127.0.0.1:4000/config.json")).json()) as Config;
const client = connect({ ...config, post: own });

/** A form with a text for each name, which are given to send. */
function Form({ names, action, send }: { names: string[]; action: string; send(typed: string[]): Promise<unknown> }) {
  const [problem, setProblem] = useState("");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    send(names.map((name) => String(form.get(name)))).then(
      () => setProblem(""),
      (error: unknown) => setProblem(errorMessage(error)),
    );
    event.currentTarget.reset();
  };
  return (
    <form onSubmit={submit}>
      {names.map((name) => (
        <label key={name}>
          {name} <input name={name} />
        </label>
      ))}{" "}
      <button>{action}</button> <span role="alert">{problem}</span>
    </form>
  );
}

const SignUp = () => (
  <Form
    names={["Name", "Picture", "E-mail", "Password"]}
    action="Sign up"
    send={async ([name = "", photoURL = "", email = "", password = ""]) => {
      const { user } = await createUserWithEmailAndPassword(client.auth, email, password);
      await changeProfile(client.as(user), { name, photoURL });
    }}
  />
);

function Wall() {
  const me = useMe(),
    feed = useFeed<Own>(),
    people = useAccountsByName();
  const post = ([text = "", title = "", url = ""]: string[]) => writePost(me, { text, fields: own({ title, photo: { url, width: 40, height: 30 } }) });
  return (
    <>
      <Form names={["Text", "Title", "Photo"]} action="Post" send={post} />
      {feed.items.map(({ id, post }) => (
        <Card key={id} post={post} />
      ))}
      {feed.more && <button onClick={feed.loadMore}>Older posts</button>}
      <ul>
        {people.items.map(({ id, account }) => (
          <li key={id}>
            {isolatedText(account.name)} {id !== me.id && <Follow id={id} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function Card({ post }: { post: Post<Own> }) {
  const me = useMe(),
    comments = useComments(post),
    { title, photo } = post.fields,
    picture = useProfile(post.userId)?.photoURL;
  return (
    <article>
      <h2>{title}</h2>
      {picture && <img src={picture} alt="The author" />} {useAuthor(post)}: {post.text} {photo && <img {...photo} src={photo.url} alt="Of the post" />}
      <ol>
        {comments.items.map(({ id, text }) => (
          <li key={id}>{text}</li>
        ))}
      </ol>
      {comments.more && <button onClick={comments.loadMore}>Older comments</button>}
      <Form names={["Comment"]} action="Send" send={([text = ""]) => writeComment(me, post, text)} />
    </article>
  );
}

function Follow({ id }: { id: string }) {
  const { is, closed, toggle } = useFollow(id),
    [problem, setProblem] = useState("");
  const word = { none: closed ? "Ask to follow" : "Follow", requested: "Take back the request", following: "Unfollow" };
  return (
    <>
      <button disabled={!is} onClick={() => void toggle().catch((error: unknown) => setProblem(errorMessage(error)))}>
        {is ? word[is] : "…"}
      </button>{" "}
      {problem}
    </>
  );
}

function Home() {
  const user = useUser();
  return user ? <Wall /> : user === null && <SignUp />;
}
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <RelationIndex client={client}>
      <Home />
    </RelationIndex>
  </StrictMode>,
);
