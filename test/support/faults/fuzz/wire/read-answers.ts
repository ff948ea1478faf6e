/** One answer as it stood on the wire. */
export interface WireAnswer {
  status: number;
  /** By lower-case name; a name that stands twice is a fault of its own. */
  headers: Record<string, string>;
  body: string;
}

export interface Reading {
  answers: WireAnswer[];
  /** What is wrong with the bytes as HTTP; null: nothing. */
  problem: string | null;
}

/** What a connection carried back, from its first byte to its end. Interim answers (1xx) are left out. `head`: the requests, by place, that asked for no body. */
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
  // Without either it ends with the connection.
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
