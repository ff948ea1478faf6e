import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stateOfFileLock, takeFileLock } from "./file-lock.ts";
import { processIdentity } from "./process.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidings-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = () => join(folder, "lock");
const take = () => {
  const taken = takeFileLock(path());
  if ("heldBy" in taken) throw new Error(`held by ${taken.heldBy}`);
  return taken;
};

test("one takes it, another is told who has it, and after the release it is free", () => {
  const first = take();
  expect(takeFileLock(path())).toEqual({ heldBy: process.pid });
  first.release();
  expect(stateOfFileLock(path())).toBe("free");
  take().release();
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock of a process that is gone is taken over", () => {
  writeFileSync(path(), "999999999 12345 some-boot abc");
  expect(stateOfFileLock(path())).toBe("abandoned");
  take();
  expect(stateOfFileLock(path())).toBe("held");
  expect(readFileSync(path(), "utf8")).toMatch(new RegExp(`^${process.pid} `));
});

test("a lock of an earlier process with the same id, as after a restart of a container, is taken over", () => {
  const identity = processIdentity(process.pid) ?? "";
  writeFileSync(path(), `${identity.replace(/ /, " 1")} abc`);
  expect(take).not.toThrow();
});

test("a cut-off lock file does not block", () => {
  writeFileSync(path(), "");
  expect(take).not.toThrow();
});

test("a release that comes late does not take away another's lock", () => {
  const first = take();
  const other = `${processIdentity(process.pid)} other`;
  writeFileSync(path(), other);
  first.release();
  expect(readFileSync(path(), "utf8")).toBe(other);
});
