import type { LivedWorld } from "../world.ts";

/** A line that belongs to the month, and why. */
type Expected = { words: RegExp; because: string };

/** What programs may warn of. */
const ofPrograms: readonly Expected[] = [
  { words: /an endpoint is switched off/u, because: "endpoints answer 503 for five days, or 410" },
  { words: /another server has taken the (?:erasure|operation) over/u, because: "the month's clock jumps over what is left of a lease" },
  { words: /CONNECTION_CLOSED.*a periodic job failed and will be tried again/u, because: "the database is restarted" },
  { words: /the platform refuses the account; its messages pause/u, because: "the platform's token expires" },
];

/** What PostgreSQL may say. */
const ofDatabase: readonly Expected[] = [
  {
    words: /FATAL: {2}the database system is (?:starting up|shutting down|not yet accepting connections|in recovery mode)/u,
    because: "it was killed, and is started again",
  },
  { words: /FATAL: {2}connection to client lost/u, because: "a gateway is killed while it waits for an answer" },
  {
    words: /ERROR: {2}canceling statement due to lock timeout/u,
    because: "a new partition waits for a lock at most two seconds, and comes with the next try",
  },
  {
    words: /ERROR: {2}deadlock detected/u,
    because: "results and callbacks of the same messages may meet; the refused one is tried again at once",
  },
];

/** The lines of all logs that nobody expects: warnings and errors of the programs, what is no JSON, and errors of the database. */
export async function unexpectedLines(world: LivedWorld): Promise<string[]> {
  const { past, programs, database } = await world.logs();
  const isNews = (line: string, expected: readonly Expected[]): boolean => !expected.some(({ words }) => words.test(line));
  return [
    ...[past, programs].flatMap((log) => log.split("\n").filter((line) => isWorrying(line) && isNews(line, ofPrograms))),
    ...database.split("\n").filter((line) => /\b(?:ERROR|FATAL|PANIC|WARNING):/u.test(line) && isNews(line, ofDatabase)),
  ];
}

const warning = 40;

/** Whether a line of a program is a warning, an error, or an outcry that is no JSON. */
function isWorrying(line: string): boolean {
  if (!line.startsWith("{")) return /error|denied|unhandled|warning|exception/iu.test(line);
  return (JSON.parse(line) as { level: number }).level >= warning;
}
