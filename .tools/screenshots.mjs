import { runChild } from "./child.mjs";
import { inRoot } from "./workspace.mjs";

const MAIN = "test/browser/screenshots/main.ts";

/** Takes pictures of every page of the dashboard; arguments name the folder and the pages. Answers the exit code. */
export const runScreenshots = async (args) =>
  runChild(process.execPath, ["--conditions=source", "--import", "tsx", inRoot(MAIN), ...args], { output: 1 });
