import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { detailsTo } from "./quiet.mjs";
import { ROOT } from "./workspace.mjs";

const STOP_MS = 5_000;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a program to its end and answers its exit code. Its output goes where `output` says, its errors where `errors` says (file descriptors; by default as `detailsTo` says).
 * `isPatient`: it gets what time others leave. A signal that reaches us ends it, with everything that it started, and then us.
 */
export const runChild = async (
  program,
  args,
  { env = process.env, cwd = ROOT, output = detailsTo(), errors = detailsTo(), isPatient = false } = {},
) =>
  new Promise((resolve, reject) => {
    // A process group of its own can be ended as a whole: package managers do not pass every signal on.
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", output, errors], detached: true });
    if (isPatient && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    let stoppedBy;
    const stop = (signal) => {
      stoppedBy ??= signal;
      killGroup(child.pid, signal);
      setTimeout(() => killGroup(child.pid, "SIGKILL"), STOP_MS);
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    const settle = (finish, value) => {
      for (const signal of SIGNALS) process.off(signal, stop);
      if (stoppedBy !== undefined) process.exit(128 + constants.signals[stoppedBy]);
      finish(value);
    };
    child.once("error", (error) => settle(reject, error));
    child.once("exit", (code, signal) => settle(resolve, code ?? 128 + constants.signals[signal]));
  });

const killGroup = (pid, signal) => {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
};
