import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { attempt } from "../core/text.ts";
import { processIdentity } from "./process.ts";

/**
 * Takes a lock that ends with this process, however that ends: the file names its holder, and the lock of a holder that is gone is taken over. Answers a
 * function that releases it, or the process id of the running holder.
 */
export function takeFileLock(path: string): { release: () => void } | { heldBy: number } {
  const self = `${processIdentity(process.pid) ?? process.pid} ${randomBytes(6).toString("hex")}`;
  const draft = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, self, { mode: 0o600 });
  try {
    for (;;) {
      if (tryLink(draft, path)) return { release: () => release(path, self) };
      const holder = read(path);
      if (holder === undefined) continue;
      if (isRunning(holder)) return { heldBy: Number.parseInt(holder, 10) };
      discard(path, holder);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** `abandoned` means that the holder is gone and did not release it. */
export function stateOfFileLock(path: string): "free" | "held" | "abandoned" {
  const holder = read(path);
  if (holder === undefined) return "free";
  return isRunning(holder) ? "held" : "abandoned";
}

/** Makes the lock file. A link appears with its content or not at all, unlike a file that is written after it was made. */
function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

const read = (path: string): string | undefined => attempt(() => readFileSync(path, "utf8"), undefined);

function isRunning(holder: string): boolean {
  const identity = processIdentity(Number.parseInt(holder, 10));
  return identity !== undefined && holder.startsWith(`${identity} `);
}

/** Removes the lock of a dead holder. Two processes may find it: if the other has a new lock by now, that one is put back. */
function discard(path: string, holder: string): void {
  const aside = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (read(aside) !== holder) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function release(path: string, self: string): void {
  if (read(path) === self) rmSync(path, { force: true });
}
