import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { processIdentity } from "./process.ts";

/**
 * Takes a lock that ends with this process, however it ends: the file names its holder, and one whose holder is gone
 * is taken over. Answers how to release it, or the process id of the running holder.
 */
export const takeFileLock = (path: string): { release: () => void } | { heldBy: number } => {
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
};

/** Whether nobody has the lock, a process that runs has it, or one that is gone never released it. */
export const stateOfFileLock = (path: string): "free" | "held" | "abandoned" => {
  const holder = read(path);
  if (holder === undefined) return "free";
  return isRunning(holder) ? "held" : "abandoned";
};

// A link appears with its content or not at all, unlike a file that is made and then written.
const tryLink = (draft: string, path: string): boolean => {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
};

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
};

const isRunning = (holder: string): boolean => {
  const identity = processIdentity(Number.parseInt(holder, 10));
  return identity !== undefined && holder.startsWith(`${identity} `);
};

// Two may find the same dead holder: what was moved away is put back if it turns out to be the other's fresh lock.
const discard = (path: string, holder: string): void => {
  const aside = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (read(aside) !== holder) tryLink(aside, path);
  rmSync(aside, { force: true });
};

const release = (path: string, self: string): void => {
  if (read(path) === self) rmSync(path, { force: true });
};
