import type { Writable } from "node:stream";
import { pino, type DestinationStream, type Logger as PinoLogger, type LoggerOptions } from "pino";
import fullDisk from "../core/full-disk.json" with { type: "json" };
import { headerNames } from "../core/sources/sources.ts";
import secretNames from "./secret-names.json" with { type: "json" };

export type Logger = PinoLogger;

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Members that are redacted, up to two levels down, in case a secret is logged by mistake. */
const secretPaths = [...secretNames, ...headerNames.keys, ...headerNames.signatures].flatMap((name) => [
  `["${name}"]`,
  `*["${name}"]`,
  `*.*["${name}"]`,
]);

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
      hooks: { logMethod: createThinning() },
      redact: { paths: secretPaths, censor: "[redacted]" },
    },
    destination ?? (standardOutput ??= logOutput(process.stdout)),
  );

const mostEvents = 20;

/** The member of a line that names the events that it concerns: some of them where there are many, none where it concerns none. */
export const eventIds = (ids: Iterable<string>): { event_ids?: string[] } => {
  const some = [...new Set(ids)].slice(0, mostEvents);
  return some.length === 0 ? {} : { event_ids: some };
};

/** A kind of lines (level and text) comes once in this time while it tells of errors with a code, as those of a database that is away. */
const thinMs = 1_000;
/** After this time without a line its kind has a stack again. */
const forgetMs = 60_000;
const mostKinds = 1_000;

const warnLevel = 40;
/** On a full disk every job fails: one line stands for all their warnings, and comes again after this time. */
const fullAgainMs = 5 * 60_000;

/** At most one line a second and kind about errors with a code, which have a stack in the first line alone; `omitted` counts the lines in between. */
function createThinning(): NonNullable<NonNullable<LoggerOptions["hooks"]>["logMethod"]> {
  const kinds = new Map<string, { at: number; omitted: number }>();
  return function thin(args, method, level) {
    const [given, text = given] = args as unknown as [unknown, unknown];
    if (text === fullDisk.hasRoom) kinds.delete(fullDisk.isFull);
    const { err: error } = typeof given === "object" && given !== null && "err" in given ? given : { err: undefined };
    const coded = error instanceof Error && "code" in error && typeof text === "string" ? error : undefined;
    const isFull = text === fullDisk.isFull || (coded?.code === fullDisk.code && level === warnLevel);
    if (coded === undefined && !isFull) return method.apply(this, args);
    const kind = isFull ? fullDisk.isFull : `${level} ${String(text)}`;
    const [known, at] = [kinds.get(kind), performance.now()];
    if (known !== undefined && at - known.at < (isFull ? fullAgainMs : thinMs)) return void (known.omitted += 1);
    if (kinds.size >= mostKinds) kinds.clear();
    kinds.set(kind, { at, omitted: 0 });
    if (isFull) return method.call(this, { detail: coded?.message } as unknown as string, fullDisk.isFull);
    if (coded === undefined || known === undefined || at - known.at > forgetMs) return method.apply(this, args);
    const { message, code } = coded;
    const err: unknown = Object.assign(Object.create(Object.getPrototypeOf(error) as object) as object, { message, code, stack: "" });
    const line = { ...(given as object), err, ...(known.omitted > 0 && { omitted: known.omitted }) };
    return method.call(this, line as unknown as string, String(text));
  };
}

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
