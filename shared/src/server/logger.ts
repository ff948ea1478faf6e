import type { Writable } from "node:stream";
import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";
import { headerNames } from "../core/sources/sources.ts";

export type Logger = PinoLogger;

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Members that are redacted, up to two levels down, in case a secret is logged by mistake. */
const secretPaths = [
  "password",
  "passwordHash",
  "token",
  "accessToken",
  "appSecret",
  "webhookSecret",
  "apiKey",
  "secret",
  "masterKey",
  "databaseUrl",
  "authorization",
  "cookie",
  "set-cookie",
  ...headerNames.keys,
  ...headerNames.signatures,
].flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

/** One for the whole process, which may have several loggers. */
let standardOutput: DestinationStream | undefined;

/** JSON lines on stdout (or `destination`): level as a word, time in ISO 8601, the program's `name`. */
export const createLogger = (name: string, level: LogLevel, destination?: DestinationStream): Logger =>
  pino(
    {
      name,
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: "[redacted]" },
    },
    destination ?? (standardOutput ??= logOutput(process.stdout)),
  );

/** How many bytes may wait for the log's reader. */
const maxWaitingBytes = 1024 * 1024;

/**
 * Writes lines to a stream such as stdout and never waits for its reader: a full pipe would otherwise stop the program after 64 KB. Beyond `maxWaiting`
 * bytes lines are left out, and their number is logged once there is room again. A reader that is gone is no error. The lines of one turn of the event
 * loop are written together, the last ones when the process exits.
 */
export function logOutput(stream: Writable, maxWaiting: number = maxWaitingBytes): DestinationStream {
  let lines = "";
  let omitted = 0;
  const flush = (): void => {
    const written = lines;
    lines = "";
    if (written !== "") stream.write(written);
  };
  stream.on("error", () => undefined);
  process.once("exit", flush);
  return {
    write: (line) => {
      if (stream.writableLength + lines.length > maxWaiting) {
        omitted += 1;
        return;
      }
      if (lines === "") setImmediate(flush);
      lines += omitted > 0 ? omission(omitted) + line : line;
      omitted = 0;
    },
  };
}

const omission = (lines: number): string =>
  `${JSON.stringify({ level: "warn", time: new Date().toISOString(), pid: process.pid, lines, msg: "nobody read the log; lines left out" })}\n`;
