import { connect, type Socket } from "node:net";
import type { RefusalName } from "gateway/refusal";
import { documentedRefusals } from "../../support/documented-refusals.ts";

/** The possible answers: one of the documented rows, `accepted` (the event is stored), `preflight` or `page` (another success). */
export type Expected = RefusalRow | "accepted" | "preflight" | "page";

/** The kind of an answer in the words of the documentation; null if it is not documented. */
export function kindOf(answer: WireAnswer): Expected | null {
  if (answer.status === 204) return answer.headers["access-control-allow-methods"] === "POST, OPTIONS" ? "preflight" : null;
  if (answer.status === 200) return isAccepted(answer) ? "accepted" : "page";
  return rowOf(answer);
}

export const isAccepted = ({ status, body }: WireAnswer): boolean => status === 200 && body.startsWith('{"ok":true,');

/** Whether no other answer follows on its connection. */
export const isLast = ({ headers }: WireAnswer): boolean => headers["connection"] === "close";

/** A refusal that a client can cause by itself: errors of the server are no answers to a fuzzer. */
export type RefusalRow = Exclude<RefusalName, "internal" | "still_in_progress" | "stopping" | "full" | "database_away">;

/** Of rows with the same answer the first one is meant. */
const bodies = new Map<string, RefusalRow>(
  Object.entries(documentedRefusals)
    .flatMap(([row, [status, error]]): [string, RefusalRow][] =>
      status < 500 ? [[`${status} {"error":"${error}"}`, row as RefusalRow]] : [],
    )
    .toReversed(),
);

/** The documented row that the answer equals, to the byte; null without one. */
export const rowOf = ({ status, body }: WireAnswer): RefusalRow | null => bodies.get(`${status} ${body}`) ?? null;

/** The problems of the gateway's answer, whatever was asked: it is neither a success nor a documented refusal, or it lacks headers that every answer carries. */
export function undocumented(answer: WireAnswer): string[] {
  const { status, headers, body } = answer;
  const isJson = headers["content-type"] === "application/json; charset=utf-8";
  const row = rowOf(answer);
  const problems = [
    ...(row === null && ![200, 204].includes(status) ? [`an answer that is not documented: ${status} ${body.slice(0, 300)}`] : []),
    ...(headers["access-control-allow-origin"] === "*" ? [] : [`${status} without Access-Control-Allow-Origin: *`]),
    ...(row === null || isJson ? [] : [`${status} as ${headers["content-type"]}`]),
    ...(status === 405 && headers["allow"] === undefined ? ["405 without Allow"] : []),
    ...(status === 429 && !/^[1-9]\d*$/.test(headers["retry-after"] ?? "") ? ["429 without Retry-After"] : []),
  ];
  return problems;
}

/** One answer as it was on the wire. */
export interface WireAnswer {
  status: number;
  /** The headers by lower-case name; a repeated name is a fault. */
  headers: Record<string, string>;
  body: string;
}

export interface Reading {
  answers: WireAnswer[];
  /** The fault of the bytes as HTTP; null without one. */
  problem: string | null;
}

/** The answers of a connection, from its first byte to its end. Interim answers (1xx) are left out. `head` tells by place which requests asked for no body. */
export function readAnswers(bytes: Buffer, head: (place: number) => boolean = () => false): Reading {
  const answers: WireAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const read = readOne(rest, head(answers.length));
    if (typeof read === "string") return { answers, problem: `${read}: ${JSON.stringify(rest.subarray(0, 300).toString("latin1"))}` };
    if (read.answer.status >= 200) answers.push(read.answer);
    rest = rest.subarray(read.length);
  }
  return { answers, problem: null };
}

type Read = { answer: WireAnswer; length: number } | string;

const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/;
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\x20-\x7e\t\x80-\xff]*)$/;

function readOne(bytes: Buffer, isHead: boolean): Read {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return "an answer breaks off in its headers";
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(statusLine.exec(first)?.[1]);
  if (Number.isNaN(status)) return "no status line";
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = "", value = ""] = field.exec(line) ?? [];
    if (name === "" || Object.hasOwn(headers, name.toLowerCase())) return `a header that is malformed or stands twice (${line})`;
    headers[name.toLowerCase()] = value;
  }
  const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304;
  const body = hasBody ? readBody(bytes.subarray(end + 4), headers) : { body: "", length: 0 };
  return typeof body === "string" ? body : { answer: { status, headers, body: body.body }, length: end + 4 + body.length };
}

function readBody(bytes: Buffer, headers: Record<string, string>): { body: string; length: number } | string {
  const { "content-length": declared, "transfer-encoding": encoding } = headers;
  if (declared !== undefined && encoding !== undefined) return "both a length and an encoding";
  if (encoding === "chunked") return readChunks(bytes);
  if (encoding !== undefined) return `an encoding that nobody asked for (${encoding})`;
  // Without either, the body ends with the connection.
  const length = declared === undefined ? bytes.length : Number(declared);
  if (declared !== undefined && !/^\d+$/.test(declared)) return `a length that is none (${declared})`;
  if (bytes.length < length) return "an answer breaks off in its body";
  return { body: bytes.subarray(0, length).toString("utf8"), length };
}

function readChunks(bytes: Buffer): { body: string; length: number } | string {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const line = bytes.indexOf("\r\n", at);
    const size = line < 0 ? Number.NaN : Number.parseInt(bytes.subarray(at, line).toString("latin1"), 16);
    const end = line + 2 + size;
    if (Number.isNaN(size) || bytes.subarray(end, end + 2).toString("latin1") !== "\r\n") return "an answer breaks off in its chunks";
    if (size === 0) return { body: Buffer.concat(parts).toString("utf8"), length: end + 2 };
    parts.push(bytes.subarray(line + 2, end));
    at = end + 2;
  }
}

/** The end of a client after its last byte: it waits for the other side, ends its own half, or resets the connection. */
export type Leave = "wait" | "end" | "reset";

export interface Heard {
  /** Everything that came back until the connection's end. */
  bytes: Buffer;
  /** True if the other side broke the connection off: its last answer may be lost. */
  wasReset: boolean;
}

/** Sends the pieces on a connection of their own, each as a packet of its own as far as TCP allows. */
export async function talk(port: number, pieces: readonly Buffer[], leave: Leave = "wait"): Promise<Heard> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const received: Buffer[] = [];
  let wasReset = false;
  socket.on("error", () => (wasReset = true)).on("data", (bytes) => void received.push(bytes));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await Promise.race([new Promise<void>((resolve) => socket.once("connect", resolve)), closed]);
  for (const piece of pieces) await write(socket, piece);
  if (leave === "end") socket.end();
  if (leave === "reset") socket.resetAndDestroy();
  await closed;
  return { bytes: Buffer.concat(received), wasReset };
}

/** Resolves when the kernel has the bytes, or the connection is gone. */
async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (!socket.writable) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      socket.off("close", done);
      resolve();
    };
    socket.once("close", done);
    socket.write(bytes, done);
  });
}
