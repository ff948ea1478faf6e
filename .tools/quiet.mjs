import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { inRoot, readIfExists } from "./workspace.mjs";

const LOG = inRoot(".tools/.prepare.log");
const SHOWN_LINES = 30;
const CLEAR = "\r\u001B[K";

let line;

/** Where a program writes that only a failure makes interesting: stderr, or while `quietly` works a file. */
export const detailsTo = () => (line === undefined ? 2 : (line.file ??= openLog()));

/** What is under way: a line of its own on stderr, or while `quietly` works the only one. */
export const say = (text) => {
  if (line === undefined) return void process.stderr.write(`${text}\n`);
  line.text = text;
  line.show();
};

/** Works with one line on the terminal that says what is under way and for how long. What programs write goes into a file, whose end is shown when they fail. */
export const quietly = async (work) => {
  const started = Date.now();
  const show = () => {
    if (line.text === undefined) return;
    const text = `${line.text} ${Math.round((Date.now() - started) / 1000)} s`;
    process.stderr.write(CLEAR + text.slice(0, (process.stderr.columns || 80) - 1));
  };
  line = { text: undefined, file: undefined, show };
  const ticking = setInterval(show, 1000).unref();
  const clear = () => process.stderr.write(CLEAR);
  process.once("exit", clear);
  try {
    return await work();
  } catch (error) {
    clear();
    if (line.file !== undefined)
      process.stderr.write(`${readIfExists(LOG).trimEnd().split("\n").slice(-SHOWN_LINES).join("\n")}\n(all of it: ${LOG})\n`);
    throw error;
  } finally {
    clearInterval(ticking);
    process.off("exit", clear);
    clear();
    if (line.file !== undefined) closeSync(line.file);
    line = undefined;
  }
};

/** Whether a stream is a terminal that can rewrite a line. */
export const canRewrite = (stream) => stream.isTTY === true && process.env.TERM !== "dumb";

// Begun anew by whoever holds the lock of the folder.
const openLog = () => {
  mkdirSync(dirname(LOG), { recursive: true });
  return openSync(LOG, "w");
};
