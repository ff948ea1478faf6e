import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "./child.mjs";
import { say } from "./quiet.mjs";
import { expected, inRoot, readIfExists } from "./workspace.mjs";

/** The files whose random cases, or whose programs, are fewer in every run. */
const PROPERTIES =
  "core/template core/sources/sources core/schedule/window core/fields/learn-fields core/json core/variables driver-patch architecture/regular-expressions core/conditions core/time-zone normalize-phone router-growth callback/statuses inbound/refusals db/connect sql-text event/claim sending/pace http/app webhooks/samples".split(
    " ",
  );

/** What is too long for every run: a name, the runner's projects, the files that it is for, if not all, its environment, and the Node version that runs it, if not this one. */
const RUNS = [
  { name: "faults at full length and whole starts", options: ["--project=long", "--no-file-parallelism"], env: { TESTS: "long" } },
  { name: "every page in detail, in both schemes and at every width", options: ["--project=browser"], env: { TESTS: "long" } },
  {
    name: "properties with every run, samples of every language",
    options: ["--project=unit", "--project=db"],
    files: PROPERTIES,
    env: { TESTS: "long" },
  },
  { name: "a log of a million rows", options: ["--project=db"], files: ["shared/src/db/notification/log"], env: { LOG_ROWS: "1000000" } },
  ...["22", "24", "26"].map((version) => ({
    name: `Node ${version}`,
    options: ["--project=unit", "--project=db", "--project=e2e"],
    env: {},
    version,
  })),
];

const FROM = "--from";
const VITEST = [inRoot("test/node_modules/vitest/vitest.mjs")];
const CONFIG = ["-c", "test/vitest.config.ts"];

/**
 * Runs what is too long for `npm test`, one run after the other, whatever fails; arguments name test files or folders (`-- crash`), and with them only the first run is made.
 * `-- --from waiting` begins at the first file with that in its path. Says of each file at its end what came of it, and in the end of all. What this machine does not allow
 * is skipped, and said so by name. Answers the exit code.
 */
export const runLong = async (args) => {
  const runs = args[0] === FROM ? runsFrom(args[1]) : RUNS;
  const more = args[0] === FROM ? args.slice(2) : args;
  const made = [];
  for (const run of more.length > 0 ? runs.slice(0, 1) : runs) {
    say(`running ${run.name}…`);
    const { code, files } = await vitest(run, more);
    for (const name of files.flatMap(({ skipped }) => skipped)) say(`SKIPPED, this machine does not allow it: ${name}`);
    const total = sum(files);
    say(`${run.name}: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped, ${total.seconds} s of tests`);
    made.push({ name: run.name, files, isGreen: code === 0 && total.passed > 0 });
  }
  const all = made.flatMap(({ files }) => files);
  for (const { name, files } of made) console.log(tableOf(name, files));
  const failed = made.filter(({ isGreen }) => !isGreen);
  if (failed.length > 0) say(`failed: ${failed.map(({ name }) => name).join(", ")}`);
  const { passed, failed: bad, skipped, seconds } = sum(all);
  say(`${seconds} s of tests`);
  console.log(`${passed} passed, ${bad} failed, ${skipped} skipped`);
  return failed.length === 0 ? 0 : 1;
};

const sum = (files) => ({
  passed: files.reduce((n, { passed }) => n + passed, 0),
  failed: files.reduce((n, { failed }) => n + failed, 0),
  skipped: files.reduce((n, { skipped }) => n + skipped.length, 0),
  seconds: Math.round(files.reduce((n, { ms }) => n + ms, 0) / 1000),
});

/** A line for each file that took a second or failed, and one for all others. */
const tableOf = (name, files) => {
  const told = files.filter(({ ms, isGreen }) => ms >= 1000 || !isGreen);
  const others = files.filter((file) => !told.includes(file));
  const line = (first, { passed, failed, skipped, seconds }) => `| ${first} | ${passed} | ${failed} | ${skipped} | ${seconds} |`;
  return [
    `\n| ${name} | passed | failed | skipped | seconds |`,
    "|---|---|---|---|---|",
    ...told.map((file) => line(file.isGreen ? file.file : `RED ${file.file}`, sum([file]))),
    ...(others.length > 0 ? [line(`${others.length} files of less than a second`, sum(others))] : []),
  ].join("\n");
};

/** The runs from the first file on that has this in its path. */
const runsFrom = (part) => {
  for (const [i, run] of RUNS.entries()) {
    const env = { ...process.env, ...run.env };
    const list = [...VITEST, "list", ...CONFIG, ...run.options, "--filesOnly", "--json", ...(run.files ?? [])];
    const { stdout } = spawnSync(process.execPath, list, { cwd: inRoot("."), env, encoding: "utf8", maxBuffer: 2 ** 26 });
    const files = JSON.parse(stdout)
      .map(({ file }) => file.slice(inRoot(".").length).replace(/^\//u, ""))
      .toSorted();
    const at = part === undefined ? -1 : files.findIndex((file) => file.includes(part));
    if (at !== -1) return [{ ...run, files: files.slice(at) }, ...RUNS.slice(i + 1)];
  }
  throw expected(`no long test has ${part} in its path`);
};

const vitest = async ({ options, files = [], env, version }, more) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-long-"));
  const report = join(folder, "files.jsonl");
  const script = [...VITEST, "run", ...CONFIG, ...options, ...files];
  const reporters = ["--reporter=default", `--reporter=${inRoot(".tools/long-reporter.mjs")}`];
  const program = version === undefined ? [process.execPath] : ["npx", "--yes", `node@${version}`];
  try {
    const [command, ...before] = program;
    const code = await runChild(command, [...before, ...script, ...reporters, ...more], {
      output: 1,
      env: { ...process.env, ...env, LONG_REPORT: report },
    });
    const lines = readIfExists(report)
      .split("\n")
      .filter((line) => line !== "");
    return { code, files: lines.map((line) => JSON.parse(line)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
