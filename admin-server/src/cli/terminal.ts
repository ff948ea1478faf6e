import { styleText } from "node:util";
import { demoEmail } from "shared/core/example";
import { isRefusedBecause, refusedWords } from "shared/core/refused";
import { attempt } from "shared/core/text";
import type { NamedEventRow } from "shared/db/event/log";
import type { LogLevel } from "shared/server/logger";
import { type DemoShop, type Login, pasteBlock } from "./demo.ts";
import type { Addresses } from "./parts.ts";
import screens from "./screens.json" with { type: "json" };

/** The members of the output stream that `npm start` uses. */
export type TerminalStream = Pick<NodeJS.WriteStream, "write"> & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns" | "hasColors">>;

/** Reads events that a line is written about. */
export type ReadEvents = (ids: readonly string[]) => Promise<readonly NamedEventRow[]>;

/** Whether people read the log: the stream is a terminal, and the log has its usual level. Else the lines stay JSON. */
export const isForPeople = (stream: TerminalStream, level: LogLevel): boolean =>
  stream.isTTY === true && level !== "debug" && level !== "trace";

const clearLine = "\r\u001B[K";
const beatMs = 250;
/** How long an event's line waits for the results of its messages. */
const patienceMs = 3_000;
/** The lines that are shown of one beat; the rest of a flood is only counted. */
const mostLines = 50;

type Piece = readonly [text: string, style?: "green" | "yellow" | "red" | "dim"];

/** The face of `npm start` on a terminal: one line of progress, a screen, then a line for each event. `rewrites`: whether a line can be replaced by another. */
export function createTerminal(stream: TerminalStream, rewrites: boolean, clock: () => number = Date.now) {
  let isProgressing = false;
  const hasColors = stream.hasColors?.() === true;
  const write = (text: string): void => {
    stream.write((isProgressing ? clearLine : "") + text);
    isProgressing = false;
  };
  const line: WriteLine = (at, ...pieces) =>
    write(`${fit([[at.toTimeString().slice(0, 8), "dim"], ["  "], ...pieces], (stream.columns || 80) - 1, hasColors)}\n`);
  const events = createFollower(line, clock);
  const take = (entry: LogLine): void => {
    if (isEvent(entry)) events.take(entry);
    else if (entry.msg === "stopping" && entry.name === "start") write("Stopping…\n");
    else if (["warn", "error", "fatal"].includes(entry.level)) line(new Date(entry.time), ...describeTrouble(entry));
  };
  return {
    /** Shows what is under way; the next call or output replaces it. */
    progress: (text: string): void => {
      write(rewrites ? text : `${text}\n`);
      isProgressing = rewrites;
    },
    show: write,
    /** Takes JSON lines of the log, in pieces of any size. Each source needs its own. */
    logReader: () =>
      readLines((text) => {
        const entry = text.startsWith("{") ? attempt(() => JSON.parse(text) as LogLine, undefined) : undefined;
        // Text that is no line of the log, such as a warning of Node, is shown unchanged.
        if (entry === undefined) write(`${text}\n`);
        else take(entry);
      }),
    follow: events.follow,
    close: events.close,
  };
}

export type Terminal = ReturnType<typeof createTerminal>;

type WriteLine = (at: Date, ...pieces: readonly Piece[]) => void;

/** Writes a line for each event once its result is known. */
function createFollower(line: WriteLine, clock: () => number) {
  let since = Infinity;
  let waiting: LogLine[] = [];
  let omitted = 0;
  const beat = async (read: ReadEvents): Promise<void> => {
    const asked = waiting;
    waiting = [];
    const ids = asked.flatMap(({ event_id }) => event_id ?? []);
    // An event whose row cannot be read gets the words of the request's line.
    const rows = new Map((ids.length > 0 ? await read(ids).catch(() => []) : []).map((row) => [row.id, row]));
    for (const request of asked) {
      const row = rows.get(request.event_id ?? "");
      const isOpen = row !== undefined && (row.chat === null || row.chat === "accepted");
      if (isOpen && clock() - Date.parse(request.time) < patienceMs) waiting.push(request);
      else line(new Date(request.time), ...(row === undefined ? describeRequest(request) : describeEvent(row)));
    }
    if (omitted > 0) line(new Date(clock()), [`… and ${omitted} more`, "dim"]);
    omitted = 0;
  };
  let beating = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  return {
    take: (request: LogLine): void => {
      if (Date.parse(request.time) < since) return;
      if (waiting.length < mostLines) waiting.push(request);
      else omitted += 1;
    },
    /** Shows events from now on; earlier ones stay out. */
    follow: (read: ReadEvents): void => {
      since = clock();
      timer = setInterval(() => {
        beating = beating.then(async () => beat(read));
      }, beatMs).unref();
    },
    /** Events that are not shown yet are left out. */
    close: (): void => clearInterval(timer),
  };
}

interface LogLine extends Partial<Record<"name" | "msg" | "method" | "path" | "event_id" | "refusal" | "part", string>> {
  level: LogLevel;
  time: string;
  status?: number;
  err?: { message?: string };
}

const eventPath = /^\/api\/public\/(?:ingest\/[^/]+\/([^/]+)|in\/)/;

const isEvent = ({ msg, method, path = "" }: LogLine): boolean => msg === "request" && method === "POST" && eventPath.test(path);

function describeTrouble({ level, name = "", part, msg = "", err }: LogLine): Piece[] {
  const what = [part ?? name, msg, err?.message].filter((text) => text).join(": ");
  return [[printable(what), level === "warn" ? "yellow" : "red"]];
}

const nameWidth = 16;

function describeRequest({ path = "", refusal, status = 0 }: LogLine): Piece[] {
  const name = printable(eventPath.exec(path)?.[1] ?? "from a shop").padEnd(nameWidth);
  if (refusal === undefined) return [[name], [" "], [String(status)]];
  const why = isRefusedBecause(refusal) ? refusedWords[refusal].text : refusal.replaceAll("_", " ");
  return [[name], [" "], [`refused with ${status}: ${why}`, "red"]];
}

function describeEvent(row: NamedEventRow): Piece[] {
  const aside = row.test ? `${row.site_name}, test` : row.site_name;
  return [[row.name.padEnd(nameWidth)], [" "], outcomeOf(row), ["  "], [printable(aside), "dim"]];
}

function outcomeOf({
  chat,
  dry_run,
  recipients_sent: sent,
  recipients_failed: failed,
  recipients_scheduled: scheduled,
}: NamedEventRow): Piece {
  const skipped = skips[chat ?? ""];
  if (skipped !== undefined) return [`${dry_run ? "dry run, " : ""}${skipped}`, "yellow"];
  if (dry_run) return [`dry run, would be: ${chat ?? ""}`];
  const counts = [
    sent > 0 && `${messages(sent)} sent`,
    failed > 0 && `${messages(failed)} failed`,
    scheduled > 0 && `${messages(scheduled)} scheduled`,
  ].filter((text) => text !== false);
  return [counts.join(", ") || "accepted", failed > 0 ? (sent > 0 ? "yellow" : "red") : "green"];
}

const skips: Readonly<Record<string, string>> = screens.skips;

const messages = (count: number): string => `${count} ${count === 1 ? "message" : "messages"}`;

/** Makes a text safe for the terminal: a sender chooses parts of a line, and must not command the terminal. */
const printable = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");

/** The pieces as one line of at most `width` characters. */
function fit(pieces: readonly Piece[], width: number, hasColors: boolean): string {
  let left = width;
  return pieces
    .map(([text, style]) => {
      const shown = text.length > left ? `${text.slice(0, Math.max(0, left - 1))}${left > 0 ? "…" : ""}` : text;
      left = Math.max(0, left - text.length);
      return hasColors && style !== undefined && shown !== "" ? styleText(style, shown, { validateStream: false }) : shown;
    })
    .join("");
}

const longestLine = 100_000;

/** Calls `take` with each whole line. */
function readLines(take: (line: string) => void): (piece: string) => void {
  let rest = "";
  return (piece) => {
    const lines = (rest + piece).split("\n");
    rest = (lines.pop() ?? "").slice(0, longestLine);
    for (const line of lines) if (line !== "") take(line);
  };
}

const sandboxWords = ({ isPlatform }: Addresses): string =>
  isPlatform ? "stands in for WhatsApp: nothing leaves this machine" : "takes what test sites send";

/** The text of a screen. A line with a value that is null is left out; `{name?}` stands for this alone. */
const fill = (lines: readonly string[], values: Readonly<Record<string, string | boolean | null>>): string =>
  lines
    .filter((line) => Array.from(line.matchAll(/\{(\w+)\??\}/g), ([, name = ""]) => values[name]).every((value) => value !== null))
    .map((line) => line.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name])).replaceAll(/\{\w+\?\}/g, ""))
    .join("\n");

/** Written when everything serves. `setupCode` is null when somebody can sign in already. */
export const runningMessage = (addresses: Addresses, setupCode: string | null): string =>
  fill(screens.running, { ...addresses, sandboxWords: sandboxWords(addresses), setupCode });

/** The same for a terminal, without a try-out. `resetCommand` is for the demo's owner; null if there is none. */
export const runningScreen = (addresses: Addresses, setupCode: string | null, resetCommand: string | null): string =>
  fill(screens.runningScreen, { ...addresses, sandboxWords: sandboxWords(addresses), setupCode, resetCommand, demoEmail });

interface TryOutTexts {
  readonly addresses: Addresses;
  readonly login: Login;
  /** False for the login of ADMIN_EMAIL. */
  readonly isDemoOwner: boolean;
  readonly shop: DemoShop;
}

/** The try-out's login, and the block to paste: blank lines around it, none within. */
export const tryOutMessage = (texts: TryOutTexts): string => fill(screens.tryOut, valuesOf(texts));

/** The same for a terminal of 80 columns and 24 rows; only the block shows the shop's credentials. */
export const tryOutScreen = (texts: TryOutTexts): string => fill(screens.tryOutScreen, valuesOf(texts));

const valuesOf = ({ addresses, login, isDemoOwner, shop }: TryOutTexts) => ({
  ...addresses,
  ...shop,
  email: login.email,
  password: isDemoOwner ? login.password : null,
  passwordIn: isDemoOwner ? null : "ADMIN_PASSWORD",
  block: pasteBlock(addresses.gateway, shop),
});

/** The command that sets another password for the demo's owner. `dataDir`: the data folder; null: the folder of every start. */
export const resetCommandOf = (dataDir: string | null): string =>
  `${dataDir === null ? "" : `DATA_DIR='${dataDir.replaceAll("'", `'\\''`)}' `}npm run reset-password -- ${demoEmail}`;
