import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "./child.mjs";
import { inRoot, readIfExists, say } from "./workspace.mjs";

const PROJECTS = ["gateway", "admin-server", "admin-web", "shared", "test"];

/** What is checked beside the tests: a name and a script with its arguments. Two rows of checks at a time: those of the second take one core alone. */
const CHECKS = [
  [
    ["lint", "node_modules/oxlint/bin/oxlint", ["--type-aware"]],
    ["types", "node_modules/typescript/bin/tsc", ["-b", ...PROJECTS]],
  ],
  [
    ["format", "node_modules/oxfmt/bin/oxfmt", ["--check"]],
    ["unused code", "node_modules/knip/bin/knip.js", []],
  ],
];

/** Linter and compiler are written in Go, whose collector takes about a sixth of their work at its usual thrift: up to two gigabytes save it. */
const roomy = { ...process.env, GOGC: "400", GOMEMLIMIT: "2GiB" };

/**
 * Runs every check and every test; with arguments, the tests that they name alone (`npm test -- shared/src/core`). Ends with the runner's
 * own count, alone on a line. Answers the exit code.
 */
export const runTests = async (args) => {
  const failed = args.length === 0 ? (await Promise.all(CHECKS.map(failedOf))).flat() : [];
  const tests = await vitest(args);
  if (!tests.ok) failed.push("tests");
  if (failed.length > 0) say(`failed: ${failed.join(", ")}`);
  console.log(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
  return failed.length === 0 ? 0 : 1;
};

/** The names of those that failed, after one another. */
const failedOf = async (checks) => {
  const failed = [];
  for (const [name, script, options] of checks) {
    say(`checking ${name}…`);
    if ((await node(script, options, roomy)) !== 0) failed.push(name);
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

const vitest = async (args) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-report-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  try {
    const code = await node("test/node_modules/vitest/vitest.mjs", ["run", "-c", "test/vitest.config.ts", ...reporters, ...args], {
      ...process.env,
      ...(args.length === 0 && { TESTS: "all" }),
      TMPDIR: process.env["TMPDIR"] ?? testFolder(),
    });
    const { numPassedTests: passed = 0, numFailedTests: bad = 0, numPendingTests: pending = 0, numTodoTests: todo = 0 } = read(report);
    return { ok: code === 0 && passed > 0, passed, failed: bad, skipped: pending + todo };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const read = (report) => (existsSync(report) ? JSON.parse(readIfExists(report)) : {});

const node = async (script, args, env = process.env) => runChild(process.execPath, [inRoot(script), ...args], { output: 1, env });
