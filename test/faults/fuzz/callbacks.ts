import { printJson, type JsonValue } from "shared/core/json";
import { newId } from "shared/db/ids";
import { signBody } from "shared/secrets/signature";
import type { CallbackCase, StatusWord } from "../../support/arbitrary/callback.ts";
import { type InsertedNotification, insertNotifications, type NotificationState } from "../../support/gateway.ts";
import { type RefusalRow, rowOf, undocumented, readAnswers, talk } from "./answers.ts";
import { toChunks } from "./events.ts";
import type { FuzzWorld } from "./world.ts";

/** The first states of a run's messages. Messages that the platform has accepted are known by its id. */
const states: NotificationState[] = [
  { status: "sending" },
  { status: "sent" },
  { status: "delivered" },
  { status: "read" },
  { status: "failed", errorCode: "131026" },
  { status: "failed", errorCode: "interrupted", localFailure: true },
];

/** The order of statuses; higher wins. Our own failure yields to any report of the platform; its own `failed` only to delivered and read. */
const ladder = ["sending", "sent", "failed", "delivered", "read"];

/** Sends the callbacks side by side. Of the statuses that the right account reports, the furthest counts, and nothing else changes anything. */
export function createCallbackFuzz(world: FuzzWorld) {
  const { sql } = world.database;
  return async (group: readonly CallbackCase[]): Promise<string[]> => {
    const spoken = { own: await open(world, "plain", 40), foreign: await open(world, "other", 6) };
    const problems = await Promise.all(group.map(async (wanted) => post(world, wanted, spoken)));
    const ids = [...spoken.own, ...spoken.foreign].map(({ id }) => id);
    const rows = await sql<{ id: string; status: string }[]>`select id, status::text from notification where id = any(${ids}::uuid[])`;
    const statusOf = new Map(rows.map(({ id, status }) => [id, status]));
    const expected = expectedStatuses(group, spoken);
    return [
      ...problems.flat(),
      ...[...expected]
        .filter(([id, status]) => statusOf.get(id) !== status)
        .map(([id, status]) => `${id} is ${statusOf.get(id)}, not ${status}`),
    ];
  };
}

async function open({ database, sites }: FuzzWorld, signer: "plain" | "other", count: number): Promise<InsertedNotification[]> {
  const rows = await insertNotifications(
    database.sql,
    sites[signer],
    Array.from({ length: count }, (_, i) => stateAt(i)),
  );
  // The id is in the row from the start, so that a status may name it by that alone.
  const names = rows.map((row) => [row.id, waMessageIdOf(row)]);
  await database.sql`
    update notification n set wa_message_id = i.name from (select unnest(${names.map(([id]) => id ?? "")}::uuid[]) as id, unnest(${names.map(([, name]) => name ?? "")}::text[]) as name) i
    where n.id = i.id`;
  return rows;
}

const stateAt = (place: number): NotificationState => states[place % states.length] ?? { status: "sending" };

async function post(world: FuzzWorld, wanted: CallbackCase, spoken: Spoken): Promise<string[]> {
  const { bytes, body } = writeCallback(world, wanted, spoken);
  const { answers, problem } = readAnswers((await talk(world.gateway.port, [bytes])).bytes);
  const [answer] = answers;
  if (problem !== null || answer === undefined || answers.length > 1) return [problem ?? `${answers.length} answers to a callback`];
  const got = answer.status === 200 && answer.body === '{"ok":true}' ? "ok" : rowOf(answer);
  const expected = expectedAnswer(wanted, body);
  return [
    ...undocumented(answer),
    ...(got === expected ? [] : [`a callback was answered ${answer.status} ${answer.body}, not ${expected}`]),
  ];
}

function expectedAnswer({ account, signedBy, chunked }: CallbackCase, body: Buffer): RefusalRow | "ok" {
  const isTooLarge = body.length > largest;
  if (isTooLarge && !chunked) return "body_too_large";
  if (signedBy === "nobody" || signedBy === "owner, in capitals") return "invalid_signature";
  if (isTooLarge) return "body_too_large";
  if (signedBy !== "owner" || account === "nobody" || account === "no id") return "invalid_signature";
  return isJson(body) ? "ok" : "malformed_json";
}

/** Whether the body is JSON. Bytes that are no UTF-8 read as U+FFFD: odd content of the platform is tolerated. */
function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}

function expectedStatuses(group: readonly CallbackCase[], { own, foreign }: Spoken): Map<string, string> {
  const initial = (rows: InsertedNotification[]) => rows.map(({ id }, i) => [id, stateAt(i)] as const);
  const expected = new Map([...initial(own), ...initial(foreign)].map(([id, { status }]) => [id, status as string]));
  const isOurs = new Set([...initial(own), ...initial(foreign)].filter(([, state]) => state.localFailure).map(([id]) => id));
  for (const wanted of group.filter(isHeard)) {
    for (const { message, status, by } of wanted.words) {
      const row = heardOf(wanted.account, by, message, own, foreign);
      if (row === undefined) continue;
      const known = isOurs.has(row.id) ? "sending" : (expected.get(row.id) ?? "");
      expected.set(row.id, ladder.indexOf(status) > ladder.indexOf(known) ? status : known);
      isOurs.delete(row.id);
    }
  }
  return expected;
}

const isHeard = ({ signedBy, instead, fill }: CallbackCase): boolean => signedBy === "owner" && instead === null && (fill ?? 0) <= 0;

/** The message that a status of this account counts for: only the account's own. */
function heardOf(
  account: CallbackCase["account"],
  by: StatusWord["by"],
  message: number,
  own: InsertedNotification[],
  foreign: InsertedNotification[],
): InsertedNotification | undefined {
  if (account === "own" && (by === "reference" || by === "id")) return own[message % own.length];
  return account === "other" && by === "foreign reference" ? foreign[message % foreign.length] : undefined;
}

/** The messages of a run that callbacks may name. */
interface Spoken {
  own: InsertedNotification[];
  foreign: InsertedNotification[];
}

/** The platform's id of a message. */
const waMessageIdOf = ({ id }: InsertedNotification): string => `wamid.fuzz.${id}`;

/** The largest callback that is accepted. */
const largest = 3 * 1024 * 1024;

export interface WrittenCallback {
  bytes: Buffer;
  body: Buffer;
}

/** The callback on the wire. */
function writeCallback({ sites }: Pick<FuzzWorld, "sites">, wanted: CallbackCase, spoken: Spoken): WrittenCallback {
  const owner = wanted.account === "other" ? sites.other : sites.plain;
  const stranger = wanted.account === "other" ? sites.plain : sites.other;
  const account = { own: sites.plain.accountId, other: sites.other.accountId, nobody: newId(), "no id": "..%2f" }[wanted.account];
  const body = fillUp(wanted.instead ?? Buffer.from(printJson(envelope(wanted, spoken))), wanted.fill);
  const signatures: Record<CallbackCase["signedBy"], string[]> = {
    owner: [signBody(owner.appSecret, body)],
    stranger: [signBody(stranger.appSecret, body)],
    nobody: [],
    "owner, over other bytes": [signBody(owner.appSecret, Buffer.concat([body, Buffer.from(" ")]))],
    "owner, in capitals": [signBody(owner.appSecret, body).toUpperCase()],
  };
  const head = [
    `POST /api/public/platform/webhook/${account} HTTP/1.1`,
    "Host: gateway",
    "Connection: close",
    ...signatures[wanted.signedBy].map((signature) => `X-Hub-Signature-256: ${signature}`),
    wanted.chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`,
  ];
  return { bytes: Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), ...(wanted.chunked ? toChunks(body) : [body])]), body };
}

function envelope({ words, times, more }: CallbackCase, spoken: Spoken): JsonValue {
  // A case has either thousands of statuses or long texts in them.
  const told = times > 10 ? words.map((word) => ({ ...word, more: {} })) : words;
  const statuses = Array.from({ length: times }, () => told.map((word) => toStatus(word, spoken))).flat();
  return {
    ...more,
    object: "whatsapp_business_account",
    entry: [{ ...more, id: "1001", changes: [{ field: "messages", value: { ...more, statuses } }] }],
  };
}

function toStatus({ message, status, by, more }: StatusWord, { own, foreign }: Spoken): JsonValue {
  const named = own[message % own.length];
  const reference = {
    reference: named?.reference,
    id: undefined,
    nothing: undefined,
    "foreign reference": foreign[message % foreign.length]?.reference,
    "made-up reference": `t1:${"0".repeat(64)}:1`,
  }[by];
  const isNamed = named !== undefined && (by === "reference" || by === "id");
  return {
    ...more,
    id: isNamed ? waMessageIdOf(named) : "wamid.nobody",
    status,
    ...(reference !== undefined && { biz_opaque_callback_data: reference }),
  };
}

/** Fills the body with white space, which is no part of the JSON. */
const fillUp = (body: Buffer, fill: number | null): Buffer =>
  fill === null || body.length > largest ? body : Buffer.concat([body, Buffer.alloc(largest + fill - body.length, " ")]);
