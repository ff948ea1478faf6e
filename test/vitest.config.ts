import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = "{gateway,admin-server,admin-web,shared}/src/**";

/** What people join with a hundred times is made, and judged, for less. */
const standIns = {
  "@node-rs/argon2": `${root}test/support/cheap-argon2.ts`,
  "@zxcvbn-ts/core": `${root}test/support/remembered-zxcvbn.ts`,
};

/** One project for each kind of need, by the suffix: `x.test.ts` needs nothing, `x.db.test.ts` PostgreSQL. */
const project = (name: string, include: string[], exclude: string[] = [], extra = {}) => ({
  resolve: { conditions: ["source"], alias: standIns },
  ssr: { resolve: { conditions: ["source"] } },
  // The modules of a worker serve all its files: nothing in them holds state between tests, and loading them anew costs more than most tests. The young generation at its
  // usual 16 MB would be collected so often that this takes a seventh of the run. Code is optimized after fifteen times the usual work: most runs too little to pay for that.
  test: {
    name,
    root,
    isolate: false,
    execArgv: ["--max-semi-space-size=64", "--interrupt-budget=1000000"],
    // A package that they use names TypeScript as its source, which Node does not read there.
    server: { deps: { inline: [/\/node_modules\/(?:ai|@ai-sdk|@modelcontextprotocol|eventsource-parser)\//] } },
    // A second, the usual limit, is too short for what a page or a program does on a machine with other work, and twenty looks a second are work of their own.
    expect: { poll: { timeout: 30_000, interval: 100 } },
    include,
    exclude: ["**/node_modules/**", "**/dist/**", ...exclude],
    ...extra,
  },
});

const database = { globalSetup: ["test/support/database-setup.ts"], testTimeout: 60_000, hookTimeout: 120_000 };

const built = { ...database, globalSetup: ["test/support/build-setup.mjs", ...database.globalSetup] };

const isLong = process.env["TESTS"] === "long";

/** Counts the steps of all that runs in its worker, for long. */
const counting = isLong ? [] : ["**/router-growth.test.ts"];

const projects = [
  project("unit", [`${sources}/*.test.ts`, "test/{architecture,lint}/**/*.test.ts"], ["**/*.db.test.ts", ...counting], {
    testTimeout: 60_000,
    hookTimeout: 60_000,
  }),
  project("db", [`${sources}/*.db.test.ts`, "test/{architecture,support}/**/*.db.test.ts"], [], database),
  project("e2e", ["test/{e2e,faults,lived}/**/*.test.ts"], [], built),
  // A long test walks through all pages.
  project("browser", ["test/browser/**/*.test.ts", ...(isLong ? ["test/browser/**/*.long.ts"] : [])], [], {
    ...built,
    testTimeout: isLong ? 600_000 : built.testTimeout,
  }),
  // `npm run test:long` runs the same at full length, and tests that take too long or need too much for every run.
  ...(isLong
    ? [project("long", ["test/faults/**/*.test.ts", "test/e2e/rotation.test.ts", "test/{e2e,faults,lived}/**/*.long.ts"], [], built)]
    : []),
];

/** Every file but the long ones, in one project: a worker ends when the next file in turn is another project's, and each new one reads all modules again. */
const whole = project("all", [`${sources}/*.test.ts`, "test/!(browser)/**/*.test.ts", "test/browser/every.ts"], counting, built);

/** Files that take longer than any other. Begun last, one would run alone in the end. The long run goes by name, so that it can be begun at a file. */
const longest = /\/(?:lived\/lived\.test|browser\/every|faults\/statements\.test)\.ts$/u;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    if (isLong) return files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1));
    const isLongest = ({ moduleId }: TestSpecification) => Number(longest.test(moduleId));
    return (await super.sort(files)).toSorted((one, other) => isLongest(other) - isLongest(one));
  }
}

export default defineConfig({
  test: {
    root,
    sequence: { sequencer: LongestFirst },
    // Differences are shown whole.
    chaiConfig: { truncateThreshold: 0 },
    // Most tests wait for processes rather than for a processor: with one worker for each core, two cores would be idle for a third of the time.
    maxWorkers: availableParallelism() + 3,
    projects: process.env["TESTS"] === "all" ? [whole] : projects,
  },
});
