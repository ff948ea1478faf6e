import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "./child.mjs";
import { say } from "./quiet.mjs";
import { inRoot, readIfExists } from "./workspace.mjs";

/** The files whose random cases, or whose programs, are fewer in every run. */
const PROPERTIES =
  "core/template core/sources/sources core/schedule/window core/fields/learn-fields core/json core/variables driver-patch architecture/regular-expressions core/conditions core/time-zone normalize-phone router-growth callback/statuses inbound/refusals db/connect sql-text event/claim sending/pace http/app webhooks/samples".split(
    " ",
  );

/** What is too long for every run: a name, the runner's arguments and environment, and the Node version that runs it, if not this one. */
const RUNS = [
  { name: "faults at full length and whole starts", args: ["--project", "long", "--no-file-parallelism"], env: { TESTS: "long" } },
  { name: "every page in detail, in both schemes and at every width", args: ["--project", "browser"], env: { TESTS: "long" } },
  {
    name: "properties with every run, samples of every language",
    args: ["--project", "unit", "--project", "db", ...PROPERTIES],
    env: { TESTS: "long" },
  },
  { name: "a log of a million rows", args: ["--project", "db", "shared/src/db/notification/log"], env: { LOG_ROWS: "1000000" } },
  ...["22", "24"].map((version) => ({
    name: `Node ${version}`,
    args: ["--project", "unit", "--project", "db", "--project", "e2e"],
    env: {},
    version,
  })),
];

/**
 * Runs what is too long for `npm test`, one run after the other; arguments name test files or folders (`-- crash`), and with them only the
 * first run is made. What this machine does not allow is skipped, and said so by name. Answers the exit code.
 */
export const runLong = async (args) => {
  const failed = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const run of args.length > 0 ? RUNS.slice(0, 1) : RUNS) {
    say(`running ${run.name}…`);
    const { code, tests } = await vitest(run, args);
    const skipped = tests.filter(({ status }) => status === "skipped" || status === "pending");
    for (const { fullName } of skipped) say(`SKIPPED, this machine does not allow it: ${fullName}`);
    const count = (status) => tests.filter((test) => test.status === status).length;
    counts.passed += count("passed");
    counts.failed += count("failed");
    counts.skipped += skipped.length;
    say(`${run.name}: ${count("passed")} passed, ${count("failed")} failed, ${skipped.length} skipped`);
    if (code !== 0 || count("passed") === 0) failed.push(run.name);
  }
  if (failed.length > 0) say(`failed: ${failed.join(", ")}`);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return failed.length === 0 ? 0 : 1;
};

const vitest = async ({ args, env, version }, more) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-long-"));
  const report = join(folder, "report.json");
  const script = [inRoot("test/node_modules/vitest/vitest.mjs"), "run", "-c", "test/vitest.config.ts", ...args];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const program = version === undefined ? [process.execPath] : ["npx", "--yes", `node@${version}`];
  try {
    const [command, ...before] = program;
    const code = await runChild(command, [...before, ...script, ...reporters, ...more], { output: 1, env: { ...process.env, ...env } });
    const results = existsSync(report) ? JSON.parse(readIfExists(report)).testResults : [];
    return { code, tests: results.flatMap(({ assertionResults }) => assertionResults) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
