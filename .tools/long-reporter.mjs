import { appendFileSync } from "node:fs";
import { say } from "./quiet.mjs";

/** Says of each test file, when it has ended, what came of it and the figures that its tests tell, and writes that as a line of JSON to the file that LONG_REPORT names. */
export default class LongReporter {
  onTestModuleEnd(module) {
    const tests = [...module.children.allTests()];
    const those = (state) => tests.filter((test) => test.result().state === state);
    const file = {
      file: module.relativeModuleId,
      passed: those("passed").length,
      failed: those("failed").length,
      skipped: those("skipped").map(({ fullName }) => fullName),
      ms: Math.round(module.diagnostic().duration),
      isGreen: module.ok(),
    };
    appendFileSync(process.env["LONG_REPORT"], `${JSON.stringify(file)}\n`);
    const counts = `${file.passed} passed, ${file.failed} failed, ${file.skipped.length} skipped`;
    say(
      `${new Date().toISOString().slice(11, 19)} ${file.isGreen ? "green" : "RED"} ${file.file}: ${counts}, ${Math.round(file.ms / 1000)} s`,
    );
    for (const { message } of tests.flatMap((test) => test.annotations())) say(`  ${message}`);
  }
}
