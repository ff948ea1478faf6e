import { access, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { finished, makePlace, npmRun, type Place } from "../../support/start/npm-start.ts";

const refusal = async (place: Place, env: Record<string, string>): Promise<string> => {
  await using start = npmRun("start", { ...place.env, ...env });
  const { code, stdout, stderr } = await finished(start);
  expect(code).not.toBe(0);
  expect(stdout).toBe("");
  const lines = stderr
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("npm "));
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
};

test("a wrong variable is one line that names it, before anything is made", async () => {
  await using place = await makePlace();
  expect(await refusal(place, { IN_DOUBT_SECONDS: "soon" })).toMatch(/^IN_DOUBT_SECONDS must be a whole number/);
  expect(await refusal(place, { HOST: "192.0.2.1" })).toMatch(/^HOST 192\.0\.2\.1 is no address of this machine/);
  await expect(access(place.dataDir)).rejects.toThrow(/ENOENT/);
});

test("a port that is taken is one line that names the port and the variable, before anything is made", async () => {
  await using place = await makePlace();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(Number(place.env["ADMIN_PORT"]), "127.0.0.1", resolve));
  expect(await refusal(place, {})).toMatch(
    new RegExp(`^ADMIN_PORT ${place.env["ADMIN_PORT"]} is taken on 127\\.0\\.0\\.1: .* set ADMIN_PORT`),
  );
  await expect(access(place.dataDir)).rejects.toThrow(/ENOENT/);
  other.close();
});

test("a database that cannot be reached is one line that names the variable, without its password", async () => {
  await using place = await makePlace();
  const env = { DATABASE_URL: "postgres://ann:hunter2@127.0.0.1:9/none", MASTER_KEY: Buffer.alloc(32).toString("base64") };
  const line = await refusal(place, env);
  expect(line).toMatch(/^DATABASE_URL names a database that cannot be reached \(.*ECONNREFUSED.*\): start it or correct the address$/);
  expect(line).not.toContain("hunter2");
});

test("a data folder that cannot be used is one line that names the variable", async () => {
  await using place = await makePlace();
  await writeFile(place.dataDir, "");
  expect(await refusal(place, {})).toMatch(/^DATA_DIR .* is not a folder: set DATA_DIR to a folder of your own$/);
});
