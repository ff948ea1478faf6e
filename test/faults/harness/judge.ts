import { waitFor } from "../../support/wait-for.ts";
import { journeys } from "./journeys.ts";
import type { Failing } from "./statement-link.ts";
import { type Lane, type removals, startTrip } from "./trips.ts";
import type { Write } from "./writes.ts";

/** The ways in which a statement fails. */
export const failings = {
  refused: { code: "XX000" },
  "a foreign key is gone": { code: "23503" },
  collides: { code: "40001" },
  cut: "cut",
  lost: "lost",
  late: "late",
} as const satisfies Record<string, Failing>;

/** The limits of a gateway whose late statements are given up soon. */
export const impatient = { statementMs: 800, patientMs: 800 };

export interface Case {
  journey: string;
  /** How the statement fails; or what is deleted before it is carried out, or beside it. */
  how: keyof typeof failings | `${keyof typeof removals} ${"gone" | "goes"}`;
  /** Whether the account gets callbacks. */
  tells: boolean;
}

/** Makes a journey while a statement fails; answers what is wrong afterwards. */
export async function judge(lane: Lane, writes: readonly Write[], write: Write, { journey, how, tells }: Case): Promise<string[]> {
  const { pack, besides } = journeys[journey] ?? { pack: async () => Promise.reject(new Error(`there is no journey ${journey}`)) };
  const [removed, when] = how.split(" ");
  const isRemoval = when === "gone" || when === "goes";
  const trip = startTrip(lane, tells);
  const go = await pack(trip);
  const others = writes.filter(({ name }) => besides !== undefined && name.startsWith(besides.write));
  lane.link.breakThose([
    { isIn: write.isIn, how: isRemoval ? "late" : failings[how as keyof typeof failings] },
    ...others.map(({ isIn }) => ({ isIn, how: besides?.how ?? "cut" })),
  ]);
  const gone = go().then(
    () => [],
    (error: unknown) => [String(error)],
  );
  const isMet = await lane.link.givenUp(isRemoval ? 0 : how === "late" ? 1.5 * impatient.statementMs : 200);
  if (isMet && isRemoval)
    await removeDuring(lane, (meanwhile) =>
      trip.remove(removed as keyof typeof removals, when === "goes" ? meanwhile : async () => undefined),
    );
  lane.link.heal();
  const mayRefuse = !isRemoval && typeof failings[how as keyof typeof failings] === "object";
  const wrongs = isMet ? [...(await gone), ...(await trip.wrongs(mayRefuse || besides !== undefined))] : ["the statement is never met"];
  lane.receiver.script((_, response) => response.writeHead(204).end());
  if (wrongs.length > 0) await lane.restart();
  return wrongs.map((wrong) => `${journey}, ${how}${tells ? ", with callbacks" : ""}: ${wrong}`);
}

/** Deletes while a statement is held; lets that go on when the deletion is over, or waits for what the statement's transaction has, or for its own end. */
async function removeDuring({ sql, link }: Lane, remove: (meanwhile: () => Promise<unknown>) => Promise<void>): Promise<void> {
  let isOver = false;
  const somebodyWaits = async () =>
    (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length > 0;
  const goOn = async (): Promise<void> => {
    link.heal();
    // A statement that does not wait for the deletion has passed by then.
    await waitFor("a lock", somebodyWaits, 200).catch(() => undefined);
  };
  const removing = remove(goOn).finally(() => (isOver = true));
  await waitFor("the deletion", async () => isOver || (await somebodyWaits()));
  link.heal();
  await removing;
}
