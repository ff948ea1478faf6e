import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { testMonth } from "./suite.ts";

// `npm run test:lived`: with 50,000 events, and it can leave the installation to be looked at.

const { LIVED_EVENTS = "6000", LIVED_FOLDER: kept, LIVED_AGAIN: again } = process.env;

await testMonth({
  folder: resolve(kept ?? join(tmpdir(), `tidings-lived-${process.pid}`)),
  events: Number(LIVED_EVENTS),
  today: 400,
  isAgain: again !== undefined,
  isKept: kept !== undefined,
  isThorough: true,
  // One that is kept stays as people left it.
  isSpoiled: kept === undefined,
});
