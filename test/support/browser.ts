import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import sparticuz from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/** The names of the program. The shell draws without a window, with a third less work than the whole browser. */
const programNames = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * Options that save work: pages are drawn in software, without the process that plays a graphics card, which takes a third of the browser's work.
 * Optimizing compilers take a tenth, and no page lives long enough to gain by it.
 */
const frugal = ["--disable-gpu", "--disable-gpu-rasterization", "--disable-software-rasterizer", "--js-flags=--no-opt --no-maglev"];

/**
 * A headless Chromium: the one that CHROMIUM names, else the machine's, else the one from npm. Undefined, with a loud message, if none of them starts, so
 * that the tests can be skipped. `onSignals`: whether an interruption closes it and ends the process, or the caller handles it.
 */
export const openBrowser = async ({ onSignals = true } = {}): Promise<Browser | undefined> => {
  const problems: string[] = [];
  for (const find of [fromEnvironment, fromMachine, fromNpm]) {
    try {
      const found = await find();
      if (found === undefined) continue;
      return await chromium.launch({
        executablePath: found,
        args: frugal,
        handleSIGINT: onSignals,
        handleSIGTERM: onSignals,
        chromiumSandbox: process.getuid?.() !== 0 && find !== fromNpm,
      });
    } catch (error) {
      problems.push(`${find.name}: ${error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error)}`);
    }
  }
  process.stderr.write(
    `\n*** NO BROWSER: the browser tests are skipped. Install chromium or name one in CHROMIUM. ${problems.join("; ")} ***\n\n`,
  );
  return undefined;
};

const fromEnvironment = async (): Promise<string | undefined> => process.env["CHROMIUM"] || undefined;

const fromMachine = async (): Promise<string | undefined> => {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return programNames.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
};

/** The browser from npm, without its own arguments: they keep everything in one process, which ends with the first closed page. */
const fromNpm = async (): Promise<string> => sparticuz.executablePath();
