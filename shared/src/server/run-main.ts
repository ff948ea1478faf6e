import { ConfigurationError } from "./configuration-error.ts";

/** Exit code of a program that cannot start until somebody changes something (EX_CONFIG): starting it again is no use. */
const EXIT_CONFIGURATION = 78;

/** Runs a program's `main`. A problem that a person can put right is printed as one line each on stderr; anything else with its stack. */
export const runMain = async (main: () => Promise<void>): Promise<void> => {
  try {
    await main();
  } catch (error) {
    const configuration = error instanceof ConfigurationError;
    const text = error instanceof Error && !configuration ? (error.stack ?? error.message) : String(configuration ? error.message : error);
    process.stderr.write(`${text}\n`);
    process.exit(configuration ? EXIT_CONFIGURATION : 1);
  }
};
