import { printJson } from "shared/core/json";
import type { JsonValue } from "shared/core/json";
import { newId } from "shared/db/ids";
import { signBody } from "shared/secrets/signature";
import type { CallbackCase, StatusWord } from "../../../arbitrary/callback.ts";
import type { InsertedNotification } from "../../../gateway/insert-notification.ts";
import { toChunks } from "../event/event-case.ts";
import type { FuzzWorld } from "../world/fuzz-world.ts";

/** The messages of a run that callbacks may speak of. */
export interface Spoken {
  own: InsertedNotification[];
  foreign: InsertedNotification[];
}

/** The platform's id of a message. */
export const waMessageIdOf = ({ id }: InsertedNotification): string => `wamid.fuzz.${id}`;

/** The largest callback that is taken. */
export const largest = 3 * 1024 * 1024;

export interface WrittenCallback {
  bytes: Buffer;
  body: Buffer;
}

/** The callback on the wire. */
export function writeCallback({ sites }: Pick<FuzzWorld, "sites">, wanted: CallbackCase, spoken: Spoken): WrittenCallback {
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
  // Thousands of statuses are one case, long texts in them another.
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

/** White space is no part of what JSON says. */
const fillUp = (body: Buffer, fill: number | null): Buffer =>
  fill === null || body.length > largest ? body : Buffer.concat([body, Buffer.alloc(largest + fill - body.length, " ")]);
