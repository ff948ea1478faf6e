import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "./child.mjs";
import { say } from "./quiet.mjs";
import { inRoot, readIfExists } from "./workspace.mjs";

const PROJECTS = ["gateway", "admin-server", "admin-web", "shared", "test"];

/** What is checked beside the tests: a name, then a script and its arguments. */
const CHECKS = [
  ["types", "node_modules/typescript/bin/tsc", "-b", "--singleThreaded", ...PROJECTS],
  ["lint", "node_modules/oxlint/bin/oxlint", "--type-aware", "--threads=1"],
  ["format", "node_modules/oxfmt/bin/oxfmt", "--check"],
  ["unused code", "node_modules/knip/bin/knip.js"],
];

/**
 * Linter and compiler are written in Go, whose collector takes about a sixth of their work at its usual thrift: up to two gigabytes save it. A quarter
 * of their work is for several threads, which the tests leave no processor.
 */
const frugal = { ...process.env, GOGC: "400", GOMEMLIMIT: "2GiB", GOMAXPROCS: "1" };

/**
 * Runs every check and every test; with arguments, the tests that they name alone (`npm test -- shared/src/core`). Ends with the runner's
 * own count, alone on a line. Answers the exit code.
 */
export const runTests = async (args) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-report-"));
  try {
    const checks = args.length === 0 ? check(folder) : [];
    const tests = await vitest(folder, args);
    const failed = await checks;
    for (const { name, output } of failed) process.stdout.write(`\n${name}:\n${readIfExists(output)}`);
    const names = [...failed.map(({ name }) => name), ...(tests.ok ? [] : ["tests"])];
    if (names.length > 0) say(`failed: ${names.join(", ")}`);
    console.log(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
    return names.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Those that failed, and where what they said is kept until the tests have had their say. One after the other and behind everything else: the tests
 * wait for processes often enough to leave the checks the time that they need.
 */
const check = async (folder) => {
  const failed = [];
  for (const [name, script, ...options] of CHECKS) {
    const output = join(folder, `${name}.txt`);
    const file = openSync(output, "w");
    try {
      const command = [inRoot(script), ...options];
      const code = await runChild(process.execPath, command, { output: file, errors: file, env: frugal, isPatient: true });
      say(code === 0 ? `checked ${name}` : `checked ${name}: failed, see below`);
      if (code !== 0) failed.push({ name, output });
    } finally {
      closeSync(file);
    }
  }
  return failed;
};

const MEMORY = "/dev/shm";
const ENOUGH = 4 * 2 ** 30;

/** Where the tests keep their folders: in memory where there is plenty, as their many databases are copied file by file. Some run programs from there. */
const testFolder = () => {
  const mounts = readIfExists("/proc/mounts")
    .split("\n")
    .map((line) => line.split(" "));
  const options = mounts.find(([, folder, type]) => folder === MEMORY && type === "tmpfs")?.[3];
  if (options === undefined || options.split(",").includes("noexec")) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) < ENOUGH ? tmpdir() : MEMORY;
};

const vitest = async (folder, args) => {
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const script = inRoot("test/node_modules/vitest/vitest.mjs");
  const code = await runChild(process.execPath, [script, "run", "-c", "test/vitest.config.ts", ...reporters, ...args], {
    output: 1,
    env: { ...process.env, ...(args.length === 0 && { TESTS: "all" }), TMPDIR: process.env["TMPDIR"] ?? testFolder() },
  });
  const { numPassedTests: passed = 0, numFailedTests: bad = 0, numPendingTests: pending = 0, numTodoTests: todo = 0 } = read(report);
  return { ok: code === 0 && passed > 0, passed, failed: bad, skipped: pending + todo };
};

const read = (report) => (existsSync(report) ? JSON.parse(readIfExists(report)) : {});
