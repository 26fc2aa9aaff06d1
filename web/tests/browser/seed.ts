// People and posts that look alive.
import { idle, profile, write } from "../firestore.ts";
import type { Timelines } from "../timelines.ts";

const names = [
  "Ada Okafor",
  "Ben Lindqvist",
  "Chidi Anagonye-Mbeki",
  "Dorothea Winterbottom",
  "Emre Yıldız",
  "Farah Haddad",
  "Greta Sørensen",
  "Hiroshi Tanaka",
  "Inês Carvalho",
  "Jonas Weber",
  "Kavya Raghunathan",
  "Liu Wei",
  "Mia",
];

const texts = [
  "First frost on the allotment this morning. The kale does not mind; I do.",
  "Finished the translation. Four hundred pages, eleven months, one word I am still not sure of.",
  "Does anyone have a good way to explain eventual consistency to a nine-year-old? Mine asked why her drawing was not on grandma's tablet \u201cyet\u201d.",
  "Night train to Trieste. The conductor recommends the window side after Villach and he has never been wrong.",
  "Bread, day three of the new starter:\n\n\u2022 more water than you think\n\u2022 less flour than you think\n\u2022 longer than you have\n\nIt rose. I am insufferable about it.",
  "Rain.",
  "We moved the museum\u2019s catalogue over the weekend. 212,000 objects, of which one teapot has gone missing and then turned out to be two teapots.",
  "A small thing I learned too late: the library lends telescopes. You ask at the desk and they hand you a telescope, in a padded bag, with a note that says \u201cplease do not look at the sun\u201d. That is the whole procedure. We took it up the hill behind the school on Sunday, the four of us, and my father, who is eighty-one and has not been impressed by anything since 1969, looked at Saturn for a long time and then said: well, there it is.\n\nWe stayed until the dew came. On the way down he told me about the evening in 1969, which I had heard before, and about the evening after it, which I had not: how everyone went out to look at the moon, though there was nothing to be seen, and how people who had not spoken for years stood next to each other in the street.\n\nThe bag goes back on Thursday. I have already put my name down for January.",
  "Looking for a second-hand loom, four shafts or more, anywhere near Porto. I can carry it up any number of stairs.",
  "The swifts left today. Same day as last year, give or take one.",
  "Hot take: the best part of any conference is the walk to the second-best restaurant.",
  "Our youngest has decided that the cat is called \u201cReturn Policy\u201d. The cat has accepted this.",
];

const bio = "Bread on weekdays, hills on Sundays. I translate from Turkish and Catalan.\nhttps://www.example.org/farah";

const shared = { write: (documents: Parameters<typeof write>[0]) => write(documents), idle: () => idle() };

const group = (name: string, ownerId: string, closed: boolean, post: string) => ({ ...profile(name), ownerId, closed, post });

/** choir is a closed group of reader's, with members and requests. */
export const choir = (reader: string) => `g_choir-${reader}`;

/**
 * seed writes people with their posts of the last days, whom reader follows, and some who follow reader or ask to; a post that
 * several repost; a topic with posts, a closed group of somebody else's, and one of reader's; and a message. seed-12 is private. It writes to the
 * system that all tests share, unless another is named.
 */
export async function seed(reader: string, { write, idle }: Pick<Timelines, "write" | "idle"> = shared): Promise<void> {
  const now = Date.now();
  await write(
    Object.fromEntries([
      ...names.map((name, i) => [`users/seed-${i}`, { ...profile(name), closed: i === 12, bio: i === 5 ? bio : "" }]),
      ["users/g_allotment", group("Allotment Society", "seed-0", false, "anyone")],
      ["users/g_board", group("Board of the Society", "seed-1", true, "owner")],
      [`users/${choir(reader)}`, group("Sunday Choir", reader, true, "members")],
      ...Array.from({ length: 42 }, (_, i) => [
        `posts/seed-${i}`,
        {
          userId: `seed-${(i * 5) % 12}`,
          audience: `seed-${(i * 5) % 12}`,
          hidden: false,
          createdAt: new Date(now - (i * i * 97 + i * 11 + 4) * 1000),
          text: texts[i % texts.length],
        },
      ]),
      [
        "posts/seed-trains",
        {
          userId: "seed-9",
          audience: "seed-9",
          hidden: false,
          refs: ["#nighttrains"],
          createdAt: new Date(now - 400_000),
          editedAt: new Date(now - 300_000),
          text: "Every night train of next year, with its beds and its breakfast: https://www.example.org/timetables/2027/central-europe/vienna-trieste-ljubljana.html #NightTrains",
        },
      ],
      ...[4, 7, 10].map((i) => [
        `posts/seed-${i}.seed-trains`,
        {
          userId: `seed-${i}`,
          audience: `seed-${i}`,
          hidden: false,
          kind: "repost",
          repostOf: "seed-trains",
          createdAt: new Date(now - 300_000 + i * 10_000),
          text: "",
        },
      ]),
      [
        "posts/seed-plot",
        {
          userId: "seed-6",
          audience: "g_allotment",
          hidden: false,
          refs: ["#frost", "seed-0"],
          createdAt: new Date(now - 150_000),
          text: "Plot 14 is free from January. Ask Ada, she has the key.\n\nAnd cover the figs: #frost until Thursday.",
        },
      ],
      [
        "posts/seed-tools",
        {
          userId: "seed-3",
          audience: "g_allotment",
          hidden: false,
          to: ["seed-4", "seed-5"],
          createdAt: new Date(now - 7_000_000),
          text: "The tool shed is open on Sunday from ten.",
        },
      ],
      [
        `posts/seed-message-${reader}`,
        {
          userId: "seed-2",
          audience: "",
          hidden: false,
          to: [reader, "seed-3", "seed-4", "seed-5", "seed-6"],
          createdAt: new Date(now - 60_000),
          text: "Dinner at ours on Friday? Only the five of you.",
        },
      ],
    ]),
  );
  await idle();
  const follows = [
    ...[...names.keys()].slice(0, 12).map((i) => `users/seed-${i}/followers/${reader}`),
    ...[3, 4, 5, 6, 7].flatMap((i) => [`users/${reader}/followers/seed-${i}`, `users/${choir(reader)}/followers/seed-${i}`]),
    `users/g_allotment/followers/${reader}`,
  ];
  const requests = [8, 9].flatMap((i) =>
    [reader, choir(reader)].map((to) => [`users/${to}/requests/seed-${i}`, { followerId: `seed-${i}`, createdAt: new Date() }]),
  );
  await write(Object.fromEntries([...follows.map((path) => [path, { createdAt: new Date() }]), ...requests]));
  await idle();
}
