import { pino } from "pino";
import type { DestinationStream, Logger as PinoLogger } from "pino";
import { logOutput } from "./log-output.ts";

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
