import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runChild } from "./child.mjs";
import { expected, inRoot } from "./workspace.mjs";

const options = {
  events: { type: "string", default: "50000" },
  keep: { type: "string" },
  again: { type: "string" },
  start: { type: "string" },
  rows: { type: "string" },
};

/**
 * Runs the tests over an installation with a month behind it. `--keep FOLDER` leaves it there, `--again FOLDER` runs them over one that was kept, and
 * `--start FOLDER` starts one to be looked at. `--rows N` times every query instead, with so many messages (500 sites, 20 accounts). Answers the exit code.
 */
export const runLived = async (args) => {
  const { events, keep, again, start, rows } = parseArgs({ args, options }).values;
  if (start !== undefined) return await startKept(resolve(start));
  const folder = keep ?? again;
  if (rows !== undefined)
    return await timeRows(resolve(folder ?? join(tmpdir(), `tidings-size-${process.pid}`)), rows, again !== undefined);
  const env = {
    ...process.env,
    TESTS: "long",
    LIVED_EVENTS: events,
    ...(folder !== undefined && { LIVED_FOLDER: resolve(folder) }),
    ...(again !== undefined && { LIVED_AGAIN: "1" }),
  };
  const script = inRoot("test/node_modules/vitest/vitest.mjs");
  const code = await runChild(
    process.execPath,
    [script, "run", "-c", "test/vitest.config.ts", "--project", "long", "test/lived/lived.long.ts"],
    {
      output: 1,
      env,
    },
  );
  if (folder !== undefined) console.log(`The installation is in ${resolve(folder)}: npm run test:lived -- --start ${folder}`);
  return code;
};

/** Says who can sign in, and runs `npm start` over a kept installation. */
const startKept = async (folder) => {
  const read = (name) => {
    try {
      return JSON.parse(readFileSync(join(folder, name), "utf8"));
    } catch {
      throw expected(`${folder} holds no installation: make one with npm run test:lived -- --keep ${folder}`);
    }
  };
  const { environment } = read("environment.json");
  for (const { name, owner, operator, viewer } of read("world.json").accounts)
    console.log(`${name}: ${[owner, operator, viewer].map(({ email }) => email).join(", ")}, with the password "${owner.password}"`);
  return await runChild(process.execPath, [inRoot(".tools/run.mjs"), "start"], {
    output: 1,
    errors: 2,
    env: { ...process.env, ...environment },
  });
};

/** Fills an installation, which stays in its folder, and times its queries. */
const timeRows = async (folder, rows, isAgain) => {
  const program = [inRoot("test/lived/size/main.ts"), folder, rows, ...(isAgain ? ["again"] : [])];
  const code = await runChild(process.execPath, ["--conditions=source", "--import", "tsx", ...program], { output: 1, errors: 2 });
  console.log(`The installation is in ${folder}: npm run test:lived -- --start ${folder}`);
  return code;
};
