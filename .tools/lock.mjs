import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "./quiet.mjs";
import { expected, inRoot, readIfExists, ROOT } from "./workspace.mjs";

const LOCK = inRoot(".tools/.lock");

/** Runs `work` while no other process installs or builds in this checkout; waits for one that does. A lock whose holder is gone does not count. */
export const withLock = async (work) => {
  const self = `${process.pid} ${startTime(process.pid)} ${randomBytes(6).toString("hex")}`;
  for (let said = false; !tryTake(self); await sleep(200)) {
    const holder = readIfExists(LOCK);
    if (!isRunning(holder)) discard(holder);
    else if (!said) {
      said = true;
      say("waiting for another start that installs and builds in this folder…");
    }
  }
  try {
    return await work();
  } finally {
    if (readIfExists(LOCK) === self) rmSync(LOCK, { force: true });
  }
};

// A link appears with its content or not at all.
const tryTake = (self) => {
  const draft = `${LOCK}.${process.pid}`;
  try {
    writeFileSync(draft, self);
    linkSync(draft, LOCK);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw expected(`${ROOT} cannot be written (${error.code}): start as the user who owns it, once, or copy it to a folder of your own`);
  } finally {
    rmSync(draft, { force: true });
  }
};

// Two may find the same dead holder: what was moved away is put back if it turns out to be the other's fresh lock.
const discard = (holder) => {
  const aside = `${LOCK}.${process.pid}.old`;
  try {
    renameSync(LOCK, aside);
    if (readFileSync(aside, "utf8") !== holder) linkSync(aside, LOCK);
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
  }
  rmSync(aside, { force: true });
};

const isRunning = (holder) => {
  const [pid = "", start] = holder.split(" ");
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === "EPERM";
  }
  return startTime(pid) === start;
};

// Linux tells it; elsewhere the process id must do.
const startTime = (pid) => {
  const stat = readIfExists(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "-";
};
