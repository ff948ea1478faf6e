import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * A text that names one run of a process: its id alone may have been given to another since. Undefined when no such
 * process runs (a zombie does not).
 */
export const processIdentity = (pid: number): string | undefined => {
  if (!isAlive(pid)) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold spaces; state and start time are the 1st and 20th field after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return undefined;
    return `${pid} ${fields[19]} ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`;
  } catch {
    return process.platform === "linux" ? undefined : startedAt(pid);
  }
};

/** The command line of a running process, its arguments separated by spaces; empty when there is none. */
export const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return process.platform === "linux" ? "" : ps(pid, "command=");
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
};

const startedAt = (pid: number): string | undefined => {
  const started = ps(pid, "lstart=");
  return started === "" ? undefined : `${pid} ${started}`;
};

const ps = (pid: number, column: string): string => {
  try {
    return execFileSync("ps", ["-p", String(pid), "-o", column], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
};
