import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve, join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "shared/postgres/start";
import { openBrowser } from "../../support/browser.ts";
import { migrated, type TestDatabase } from "../../support/database.ts";
import { openStack } from "../stack.ts";
import { fillWorld } from "./fill.ts";
import { shots, take, type View } from "./shots.ts";

/** `npm run screenshots [-- FOLDER] [--only NAME …] [--locale ar]`: takes pictures of every page, empty, full and failing, in both schemes, narrow and wide. */
const longestMs = 15 * 60_000;
/** The number of pages at once: one is drawn while another loads. */
const atOnce = 2;
const schemes = ["light", "dark"] as const;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", multiple: true }, locale: { type: "string" } },
});
const folder = resolve(positionals[0] ?? "screenshots");
const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** The reason why no more pictures are taken; started programs are stopped all the same. */
let stopped: string | null = null;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => (stopped = signal));
setTimeout(() => (stopped = `${longestMs / 60_000} minutes are over: name the pages that you need with --only`), longestMs).unref();
process.exitCode = await run();
process.exit();

async function run(): Promise<number> {
  const browser = await openBrowser({ onSignals: false });
  if (browser === undefined) return 1;
  const views = chosen();
  if (views.length === 0) {
    say(`no such page; there are ${shots.map(({ name }) => name).join(", ")}`);
    return 1;
  }
  say("starting everything…");
  await using database = await ownDatabase();
  await using stack = await openStack(database, { allowSignUp: true });
  say("filling it…");
  const world = await fillWorld(stack);
  await mkdir(folder, { recursive: true });
  const queue = views.entries();
  let failures = 0;
  const work = async (): Promise<void> => {
    for (const [index, view] of queue) {
      if (stopped !== null) return;
      const words = `${index + 1}/${views.length}`;
      try {
        say(`${words} ${(await take(browser, stack.admin.url, folder, world, view)).join(" ")}`);
      } catch (error) {
        failures += 1;
        say(
          `${words} ${view.shot.name}, ${view.state}, ${view.colorScheme} FAILED: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await browser.close();
  say(`the pictures are in ${folder}${failures > 0 ? `; ${failures} pages FAILED` : ""}${stopped === null ? "" : `; stopped: ${stopped}`}`);
  return failures > 0 || stopped !== null ? 1 : 0;
}

function chosen(): View[] {
  const wanted = values.only?.flatMap((names) => names.split(","));
  return shots
    .filter(({ name }) => wanted === undefined || wanted.includes(name))
    .flatMap((shot) => shot.states.flatMap((state) => schemes.map((colorScheme) => ({ shot, state, colorScheme, locale: values.locale }))));
}

/** A migrated PostgreSQL of its own in a temporary folder, outside any test run; removed when disposed. */
async function ownDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "tidings-screenshots-"));
  const postgres = await startPostgres({ dataDir: folder, durable: false });
  const database = await migrated(postgres);
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
