/** The menu of a post: what its author does with it, a moderator, and the reader of a timeline. */
import { Ellipsis, Eye, EyeOff, ListX, Pencil, Pin, Trash2, UserX } from "lucide-react";
import { deletePost, type Filters, hidePost, isolatedText, maxText, moderatePost, patternOf, wildcard } from "relationindex-client";
import { type ReactElement, useContext } from "react";
import { Entry, Popover } from "../../shared/menu";
import { confirm, run } from "../../shared/say";
import { Words } from "../../shared/words";
import { ReaderContext, useApp, useFace, useMine } from "../context";
import type { PostItem } from "./post";
import { shownName } from "./words";

interface Props {
  item: PostItem;
  edit: () => void;
  /** Whether an edit of it is kept, and not sent. */
  draft: boolean;
  /** Drops that edit. */
  drop: () => void;
  hidden?: (() => void) | undefined;
}

export function PostMenu(props: Props): ReactElement | null {
  const me = useMine();
  const { moderator } = useApp();
  const reader = useContext(ReaderContext);
  const { item } = props;
  const own = item.post.userId === me.id;
  const hides = !own && reader && item.place && props.hidden;
  if (!own && !moderator && !hides) return null;
  return (
    <span className="post-menu">
      <Popover face={<Ellipsis size={18} />} label="More about this post">
        {own ? <OwnEntries {...props} /> : moderator && <HideEntry item={item} />}
        {hides && <ReaderEntries item={item} hidden={props.hidden!} />}
      </Popover>
    </span>
  );
}

function OwnEntries({ item, edit, draft, drop }: Props): ReactElement {
  const me = useMine();
  const { post } = item;
  const remove = async () => {
    if (!(await confirm("Delete this post?", "Delete"))) return;
    drop();
    run(deletePost(me, post.id), "Deleted.", "Not deleted.");
  };
  const tooLong = post.text.length > maxText;
  return (
    <>
      {!post.repostOf && (
        <Entry icon={<Pencil size={18} />} act={edit} disabled={tooLong}>
          {tooLong ? "Too long to be edited here" : draft ? "Edit draft" : "Edit"}
        </Entry>
      )}
      <HideEntry item={item} />
      <Entry icon={<Trash2 size={18} />} bad act={() => void remove()}>
        Delete
      </Entry>
    </>
  );
}

/**
 * Hides a post from everyone, or shows it again. A moderator finds a hidden post on the page of its author or group, because no feed
 * shows it.
 */
function HideEntry({ item: { post } }: { item: PostItem }): ReactElement {
  const me = useMine();
  const own = post.userId === me.id;
  const may = own ? !post.judged : post.judged || !post.hidden;
  const [hide, done] = own ? ["Hide from everyone", "Hidden from everyone: it is in no feed."] : ["Take down", "Taken down: it is in no feed."];
  const act = () => run((own ? hidePost : moderatePost)(me, post.id, !post.hidden), post.hidden ? "Shown again." : done, "Not changed.");
  return (
    <Entry icon={post.hidden ? <Eye size={18} /> : <EyeOff size={18} />} disabled={!may} act={act}>
      {post.hidden ? "Show again" : hide}
    </Entry>
  );
}

/** Hides the post from the reader's timeline, its kind or its author, or always shows the author's posts of this kind. */
function ReaderEntries({ item: { id, ids, place, post }, hidden }: { item: PostItem; hidden: () => void }): ReactElement | null {
  const reader = useContext(ReaderContext);
  const author = place?.author || post.userId;
  const name = shownName(useFace(author));
  if (!reader) return null;
  const kind = place?.kind ?? "";
  const every = `every ${isolatedText(kind)}`;
  const filter = (list: keyof Filters, pattern: string, what: string) => () =>
    run(reader.add(list, pattern), `${list === "hide" ? "Hidden" : "Always shown"}: ${what}. See Settings.`, "Not changed.");
  const entries: [ReactElement, string, () => void][] = [
    [
      <EyeOff key="" size={18} />,
      "Hide this post",
      () => {
        for (const one of ids ?? [id]) run(reader.hidePost(one), "", "Not hidden.");
        hidden();
      },
    ],
    ...(kind
      ? ([
          [<ListX key="" size={18} />, `Hide ${every}`, filter("hide", patternOf(wildcard, kind), every)],
          [<ListX key="" size={18} />, `Hide ${every} by ${name}`, filter("hide", patternOf(author, kind), `${every} by ${name}`)],
          [<Pin key="" size={18} />, `Always show ${every} by ${name}`, filter("show", patternOf(author, kind), `${every} by ${name}`)],
        ] satisfies [ReactElement, string, () => void][])
      : []),
    [<UserX key="" size={18} />, `Hide everything by ${name}`, filter("hide", patternOf(author, wildcard), `everything by ${name}`)],
  ];
  return (
    <>
      {entries.map(([icon, text, act]) => (
        <Entry key={text} icon={icon} act={act}>
          <Words text={text} />
        </Entry>
      ))}
    </>
  );
}
