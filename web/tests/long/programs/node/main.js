// Writes a post with a title and a photo, prints the titles of the feed, and ends: node main.js SITE E-MAIL PASSWORD TITLE.
import { signInWithEmailAndPassword } from "firebase/auth";
import { connect, feed, Paged, signOutAndForget, writePost } from "relationindex-client";

const [site, email, password, title] = process.argv.slice(2);
const config = await (await fetch(`${site}/config.json`)).json();
const client = connect({ ...config, cache: "memory", post: (data) => ({ title: String(data.title ?? "") }) });
const { user } = await signInWithEmailAndPassword(client.auth, email, password);
const me = client.as(user);
await writePost(me, { text: "From a script.", fields: { title, photo: { url: "https://pictures.example/script.png", width: 40, height: 30 } } });

const list = new Paged(feed(me));
const items = await new Promise((resolve, reject) => {
  list.subscribe(({ items, status, error }) => {
    if (error) reject(error);
    else if (status === "ready" && items.some(({ post }) => post.fields.title === title)) resolve(items);
  });
});
for (const { post } of items) console.log(post.fields.title);
list.close();
await signOutAndForget(client);
