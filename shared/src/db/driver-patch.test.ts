import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isLong } from "../../../test/faults/harness/scale.ts";

// The patch changes the ES modules that we import. The CommonJS build in the same package stays as it was published.
const require = createRequire(import.meta.url);
const published = require.resolve("postgres");
const library = join(dirname(published), "../..");
const patched = join(library, "src/index.js");
const patches = fileURLToPath(new URL("../../../.patches/", import.meta.url));

test("the patch is made for the version that is installed", async () => {
  const { version } = require(join(library, "package.json")) as { version: string };
  const names = (await readdir(patches)).filter((name) => name.startsWith("postgres@"));
  expect(names, "the driver has another version: see .patches/README.md, When the version moves").toEqual([`postgres@${version}.patch`]);
});

const outcome = async (file: string, fault: string): Promise<string> =>
  promisify(execFile)(process.execPath, [join(patches, "reproduce.mjs"), file, fault]).then(
    ({ stdout }) => stdout.trim(),
    (error: { stderr: string }) => error.stderr,
  );

const refused = /^(ECONNRESET|CONNECTION_CLOSED)$/;

const faults: [fault: string, symptom: RegExp, mended: RegExp][] = [
  ["forgotten", /^never settled$/, refused],
  ["fatal", /TypeError: .*reading 'write'/, refused],
  ["stray", /^ran outside of the transaction$/, refused],
  ["endless", /^connected 20 times$/, refused],
  ["kept", /^kept$/, /^let go$/],
  ["growing", /^a place for each statement$/, /^a place for each connection$/],
  ["rotating", /^3 used$/, /^1 used$/],
  ["homeless", /^TypeError: .*of undefined/, /^committed$/],
  ["unwritten", /^UNDEFINED_VALUE$/, /^answered$/],
];

test.runIf(isLong).each(faults)("the published driver has the fault %j", async (fault, symptom) => {
  expect(await outcome(published, fault), `the fault is gone: take its part out of the patch, see .patches/README.md`).toMatch(symptom);
});

test.each(faults)("the patched driver has not the fault %j", async (fault, _, mended) => {
  expect(await outcome(patched, fault)).toMatch(mended);
});
