import { runChild } from "./child.mjs";
import { expected, inRoot } from "./workspace.mjs";

const TARGETS = ["core", "spine"];

/**
 * Runs the mutation tests of a target, the core's by default; what follows the target goes to Stryker (`-- core --force`). Answers the exit
 * code: 0 when the tests notice enough of the mutants.
 */
export const runMutate = async ([target = "core", ...args]) => {
  if (!TARGETS.includes(target)) throw expected(`${target} is no target: npm run mutate -- <${TARGETS.join("|")}>`);
  const stryker = [inRoot("test/node_modules/@stryker-mutator/core/bin/stryker.js"), "run", "test/.stryker.config.mjs", ...args];
  return runChild(process.execPath, stryker, { output: 1, env: { ...process.env, MUTATION_TARGET: target } });
};
