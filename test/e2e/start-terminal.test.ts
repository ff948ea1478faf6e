import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finished, onTerminal, root } from "../support/process.ts";

/** Runs lines of a program of `.tools` on a terminal, in a folder of its own. */
async function runQuietly(lines: string) {
  const folder = await mkdtemp(join(tmpdir(), "tidings-quiet-"));
  const file = join(folder, "program.mjs");
  const from = (name: string) => JSON.stringify(join(root, ".tools", name));
  await writeFile(
    file,
    `import { runChild } from ${from("child.mjs")};
import { quietly, say } from ${from("quiet.mjs")};
import { withLock } from ${from("lock.mjs")};
const node = (code) => runChild(process.execPath, ["-e", code]);
${lines}`,
  );
  await using program = onTerminal(`${process.execPath} ${file}`, {});
  const { code, stdout } = await finished(program);
  await rm(folder, { recursive: true });
  return { code, stdout };
}

const log = async () => readFile(join(root, ".tools/.prepare.log"), "utf8");

test("installing and building is one line on a terminal, which goes when it is done", async () => {
  const { stdout } = await runQuietly(`
await withLock(async () => quietly(async () => {
  say("installing…");
  await node("console.log('many details')");
  say("building…");
}));
console.log("running");`);
  const shown = stdout.replaceAll(/\d+ s/g, "… s").split("\r\u001B[K");
  // A second may pass between two outputs.
  expect(shown.filter((text, index) => text !== shown[index - 1])).toEqual(["", "installing… … s", "building… … s", "running\r\n"]);
  expect(await log()).toBe("many details\n");
});

test("the end of the details is shown when it fails", async () => {
  const { code, stdout } = await runQuietly(`
await withLock(async () => quietly(async () => {
  say("installing…");
  const code = await node("for (let i = 1; i <= 100; i += 1) console.log('detail ' + i); process.exit(3)");
  if (code !== 0) throw new Error("installing failed, see above");
})).catch((error) => (console.log(error.message), process.exit(1)));`);
  expect(code).toBe(1);
  const lines = stdout.split("\r\n");
  expect(lines.slice(1, 3)).toEqual(["detail 72", "detail 73"]);
  expect(lines.slice(-4)).toEqual([
    "detail 100",
    `(all of it: ${join(root, ".tools/.prepare.log")})`,
    "\r\u001B[Kinstalling failed, see above",
    "",
  ]);
});
