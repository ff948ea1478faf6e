import { existsSync } from "node:fs";
import { runChild } from "./child.mjs";
import { expected, inRoot } from "./workspace.mjs";

const MAIN = "test/bench/main.ts";

/** Runs the benchmarks; arguments name the ones to run. Answers the exit code. */
export const runBench = async (args) => {
  if (!existsSync(inRoot(MAIN))) throw expected(`there are no benchmarks in ${MAIN}`);
  return runChild(process.execPath, ["--conditions=source", "--import", "tsx", inRoot(MAIN), ...args], { output: 1 });
};
