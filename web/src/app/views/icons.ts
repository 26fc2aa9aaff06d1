/** Icons of the app. */
import { outline } from "../../shared/outline";

const outlines = {
  feed: "M4 6h16M4 12h16M4 18h10",
  people: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6M18.5 14.5a6.5 6.5 0 0 1 3 5.5",
  groups: "M4 5h16v11H9l-5 4ZM8 9h8M8 12h5",
  notifications: "M6 17h12l-1.5-2.5V10a4.5 4.5 0 0 0-9 0v4.5ZM10 20h4",
  profile: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5a7.5 7.5 0 0 1 15 0",
  repost: "M4 11V8a2 2 0 0 1 2-2h13M16 3l3 3-3 3M20 13v3a2 2 0 0 1-2 2H5M8 21l-3-3 3-3",
  up: "M12 19V5M6 11l6-6 6 6",
} as const;

export const icon = (name: keyof typeof outlines): SVGSVGElement => outline(outlines[name]);

/** Returns the app's logo, the same as in the browser's tab. */
export function mark(size = 28): HTMLImageElement {
  const image = new Image(size, size);
  image.src = "/icon.svg";
  image.alt = "";
  return image;
}
