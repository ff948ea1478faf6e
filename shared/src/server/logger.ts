import type { Writable } from "node:stream";
import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";

export type Logger = PinoLogger;

export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

// By name wherever they stand up to two levels down: a secret logged by mistake must not reach the log.
const SECRETS = [
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
  "x-service-site-key",
  "x-service-signature",
].flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

/** One for the whole process, which may have several loggers. */
let standardOutput: DestinationStream | undefined;

/** JSON lines on stdout (or `destination`): level as a word, time in ISO 8601, `name` telling which program speaks. */
export const createLogger = (name: string, level: LogLevel, destination?: DestinationStream): Logger =>
  pino(
    {
      name,
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS, censor: "[redacted]" },
    },
    destination ?? (standardOutput ??= logOutput(process.stdout)),
  );

/** Bytes that may wait for whoever reads the log. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Lines to a stream such as stdout, without ever waiting for its reader: a pipe that nobody empties would otherwise stop the program
 * after 64 KB. Beyond `maxWaiting` bytes lines are left out, and their number is told once there is room again. That a reader is gone
 * is no error. The lines of one turn of the event loop are written together, the last ones when the process exits.
 */
export const logOutput = (stream: Writable, maxWaiting: number = MAX_WAITING_BYTES): DestinationStream => {
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
};

const omission = (lines: number): string =>
  `${JSON.stringify({ level: "warn", time: new Date().toISOString(), pid: process.pid, lines, msg: "nobody read the log; lines left out" })}\n`;
