import { spawn } from "node:child_process";
import { constants } from "node:os";
import { ROOT } from "./workspace.mjs";

/**
 * Runs a program to its end and answers its exit code. Its output goes where `output` says (a file descriptor; 2 by default), and signals
 * that reach us are passed on, so that stopping us leaves nothing running.
 */
export const runChild = async (program, args, { env = process.env, cwd = ROOT, output = 2 } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", output, 2] });
    const forward = (signal) => child.kill(signal);
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    const settle = () => signals.forEach((signal) => process.off(signal, forward));
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("exit", (code, signal) => {
      settle();
      if (signal !== null) process.exit(128 + constants.signals[signal]);
      resolve(code);
    });
  });
