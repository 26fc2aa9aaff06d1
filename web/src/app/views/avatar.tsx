import { type Account, isGroup, visibleText } from "relationindex-client";
import { type CSSProperties, type ReactElement, useState } from "react";
import { isOurPicture } from "./pictures";

/**
 * Avatar of an account: its picture, or the initials of its name, in a circle, or for a group in a square. The id decides the
 * colour. The initials are content of the style, not text: a link's visible text is then the name that its label has.
 */
export function Avatar({ account, small = false }: { account: Pick<Account, "id" | "name" | "photoURL">; small?: boolean }): ReactElement {
  const { id, name, photoURL } = account;
  const [broken, setBroken] = useState("");
  const look = `avatar${isGroup(id) ? " group" : ""}${small ? " small-face" : ""}`;
  return (
    <span className={look} aria-hidden="true" style={{ "--hue": String(hueOf(id)) } as CSSProperties} data-initials={initials(name)}>
      {isOurPicture(photoURL) && photoURL !== broken && (
        <img src={photoURL} alt="" loading="lazy" referrerPolicy="no-referrer" onError={() => setBroken(photoURL)} />
      )}
    </span>
  );
}

function initials(name: string): string {
  const words = visibleText(name).trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0] ?? "");
  return letters.join("").toUpperCase();
}

function hueOf(id: string): number {
  let sum = 0;
  for (const c of id) sum = (sum * 31 + (c.codePointAt(0) ?? 0)) % 100_003;
  return Math.round(sum * 137.508) % 360; // the golden angle: neighbouring sums get hues that are far apart
}
