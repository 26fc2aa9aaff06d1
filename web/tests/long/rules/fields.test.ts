// Rules of an app with fields of its own, as docs/fields.md has them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deleteField, serverTimestamp } from "firebase/firestore";
import { expect, test } from "vitest";

import { root } from "../../system.ts";
import { Lane, files, rules } from "../../rules/lane.ts";
import { create, update } from "../../rules/operations.ts";

const photo = { url: "https://example.com/cat.jpg", width: 640, height: 480 };

test.each(files)("by %s with the isPost of docs/fields.md, posts have a title and a photo, within bounds", async (file) => {
  const page = readFileSync(join(root, "docs", "fields.md"), "utf8");
  const [, functions] = /```js\n(    function isPost\([^]*?\n)```/.exec(page)!;
  const own = rules[file].replace(/    function isPost\([^]*?\n    }\n/, functions!);
  expect(own).not.toBe(rules[file]);
  const lane = await Lane.open(`rules-fields-${files.indexOf(file)}`, file);
  await lane.load(own);
  const writes = (fields: Record<string, unknown>) => {
    const operation = (me: string) => create("posts/new", { userId: me, audience: me, hidden: false, createdAt: serverTimestamp(), text: "new", ...fields });
    return lane.allows({ document: "posts/new", what: "create", who: "author", operation });
  };
  const edits = (fields: Record<string, unknown>) =>
    lane.allows({ document: "posts/hello", what: "update", who: "author", operation: () => update("posts/hello", fields) });

  expect(await writes({})).toBe(true);
  expect(await writes({ title: "x".repeat(200), photo })).toBe(true);
  expect(await edits({ title: "edited", photo })).toBe(true);
  expect(await edits({ photo: deleteField() })).toBe(true);
  for (const wrong of [{ title: "x".repeat(201) }, { title: 1 }, { price: 3 }, ...photos()]) {
    expect([wrong, await writes(wrong)]).toEqual([wrong, false]);
    expect([wrong, await edits(wrong)]).toEqual([wrong, false]);
  }
  await lane.close();
});

/** photos that no client may write. */
function photos(): { photo: unknown }[] {
  const { height: _, ...flat } = photo;
  return [
    { ...photo, exif: "x" },
    { ...photo, url: "javascript:alert(1)" },
    { ...photo, url: `https://${"x".repeat(2001)}` },
    { ...photo, width: "640" },
    flat,
    "cat.jpg",
    [],
  ].map((p) => ({ photo: p }));
}
