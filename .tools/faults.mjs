import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "./child.mjs";
import { inRoot, readIfExists, say } from "./workspace.mjs";

/**
 * Runs the fault tests at full length, one file at a time; arguments name the ones to run. What this machine does not allow is skipped, and said
 * so by name. Answers the exit code.
 */
export const runFaults = async (args) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-faults-"));
  const report = join(folder, "report.json");
  const options = ["run", "-c", "test/vitest.config.ts", "--project", "faults", "--no-file-parallelism"];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  try {
    const vitest = [inRoot("test/node_modules/vitest/vitest.mjs"), ...options, ...reporters, ...args];
    const code = await runChild(process.execPath, vitest, { output: 1, env: { ...process.env, FAULTS: "long" } });
    const tests = existsSync(report)
      ? JSON.parse(readIfExists(report)).testResults.flatMap(({ assertionResults }) => assertionResults)
      : [];
    const count = (status) => tests.filter((test) => test.status === status).length;
    const skipped = tests.filter(({ status }) => status === "skipped" || status === "pending");
    for (const { fullName } of skipped) say(`SKIPPED, this machine does not allow it: ${fullName}`);
    console.log(`${count("passed")} passed, ${count("failed")} failed, ${skipped.length} skipped`);
    return code === 0 && count("passed") > 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
