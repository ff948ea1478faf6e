import { readFileSync } from "node:fs";
import { isStartedByNpm } from "./config-reader.ts";

const POLL_MS = 500;
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"]);

/**
 * Calls `onGone` when the program that started this one ended without a word (kill -9): a parent that talks to us over
 * an IPC channel, or npm, which runs us directly or through a shell. Started in any other way, nothing is watched, so
 * that `nohup` and daemons work as usual.
 */
export const watchParent = (onGone: () => void): void => {
  if (process.connected) process.once("disconnect", onGone);
  else if (isStartedByNpm()) pollParent(onGone);
};

const pollParent = (onGone: () => void): void => {
  const parent = process.ppid;
  const shell = SHELLS.has(statusOf(parent)["Name"] ?? "");
  const grandparent = shell ? statusOf(parent)["PPid"] : undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent && (grandparent === undefined || statusOf(parent)["PPid"] === grandparent)) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
};

// Linux only; elsewhere only the parent itself is watched.
const statusOf = (pid: number): Record<string, string> => {
  try {
    const lines = readFileSync(`/proc/${pid}/status`, "utf8").split("\n");
    return Object.fromEntries(lines.map((line) => line.split(/:\s+/, 2) as [string, string]));
  } catch {
    return {};
  }
};
