import { attempt } from "shared/core/text";
import { formatDuration } from "../../format.ts";
import { t } from "../../language.ts";
import { tableOf } from "../../ui/base/labels.ts";
import faultLabels from "./fault-labels.json";

/** What was done wrong, and what to do instead. */
const faults = tableOf(faultLabels);

export interface Pasted {
  body: string;
  secret: string;
  /** The sent `webhook-signature` or `X-Service-Signature`; may be empty, and have its name before it. */
  header: string;
  /** The sent `webhook-id`; empty with the old signature. */
  id: string;
  /** The sent `webhook-timestamp` or `X-Service-Timestamp`; may be empty. */
  timestamp: string;
}

/** Each fault says what to change. */
export type Verdict = { is: "valid" } | { is: "invalid"; faults: string[] };

/** Whether it is the signature of Standard Webhooks: by what is pasted of it, else by whether there is an id. */
export const isStandard = ({ header, id }: Pick<Pasted, "header" | "id">): boolean =>
  header.trim() === ""
    ? id.trim() !== ""
    : /^\s*['"]?(?:webhook-signature\b|v\d)/iu.test(header) || (id.trim() !== "" && !/sha\d+=|x-service/iu.test(header));

/** The names of the headers that the signature needs besides, and that are not pasted. */
export const missingHeaders = ({ id, timestamp }: Pick<Pasted, "id" | "timestamp">): string[] => [
  ...(id.trim() === "" ? ["webhook-id"] : []),
  ...(timestamp.trim() === "" ? ["webhook-timestamp"] : []),
];

/** The right value of the header; null where it signs what is not pasted. */
export async function expectedSignature(pasted: Pasted): Promise<string | null> {
  if (!isStandard(pasted)) return `sha256=${await hmac(pasted.secret, pasted.body)}`;
  return missingHeaders(pasted).length > 0 ? null : `v1,${toBase64(await hmac(keyOf(pasted.secret), signedText(pasted)))}`;
}

/** What Standard Webhooks sign. */
const signedText = ({ id, timestamp, body }: Pasted): string => `${id.trim()}.${timestamp.trim()}.${body}`;

/** The key of Standard Webhooks: of a secret in their own form the bytes behind `whsec_`, else the text as shown. */
const keyOf = (secret: string) => (/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/u.test(secret) ? fromBase64(secret.slice("whsec_".length)) : secret);

/** Compares the sent header with the expected one, and names the mistake if it is a known one. */
export async function judgeSignature(pasted: Pasted, expected: string | null): Promise<Verdict> {
  if (isStandard(pasted)) return judgeStandard(pasted, expected);
  const { hex, faults } = readHeader(pasted.header);
  if (`sha256=${hex}` === expected) return faults.length === 0 ? { is: "valid" } : { is: "invalid", faults };
  if (hex !== "" && hex.length < 64 && expected?.startsWith(`sha256=${hex}`) === true) return { is: "invalid", faults };
  const cause = (await findCause(pasted, hex)) ?? unknownCause(pasted.secret);
  return { is: "invalid", faults: [...faults, cause] };
}

async function judgeStandard(pasted: Pasted, expected: string | null): Promise<Verdict> {
  const missing = missingHeaders(pasted);
  if (expected === null)
    return {
      is: "invalid",
      faults: missing.map((name) =>
        t("{name} is missing: it is signed too. Paste what was sent; without it, the gateway answers 401 Missing {name}.", { name }),
      ),
    };
  const value = pasted.header.replace(/^\s*['"]?webhook-signature\s*:\s?/iu, "").trim();
  const sent = value.split(/\s+/u);
  if (sent.includes(expected)) return { is: "valid" };
  const read = sent.map((one) => readStandard(one));
  const right = read.find(({ hex }) => `v1,${toBase64(hex)}` === expected);
  if (right !== undefined) return { is: "invalid", faults: right.faults };
  const { hex = "", faults = [] } = read[0] ?? {};
  return { is: "invalid", faults: [...faults, (await findStandardCause(pasted, hex)) ?? unknownCause(pasted.secret)] };
}

/** One signature of several: its digest, and faults in its form. */
function readStandard(sent: string): ReadHeader {
  const bare = sent.replace(/^v1,/u, "");
  const faults: string[] = [];
  if (bare === sent) faults.push(t("The v1, before the signature is missing."));
  if (/^[0-9a-f]{64}$/iu.test(bare))
    return { hex: bare.toLowerCase(), faults: [...faults, t("This is hex. Send the signature in base64.")] };
  const hex = hexOfBase64(bare);
  if (hex === "") faults.push(t("This is not a digest. Send v1, and 44 characters of base64."));
  else if (bare !== toBase64(hex)) faults.push(t("This is base64 in its form for addresses, or without its =. Use the usual base64."));
  return { hex, faults };
}

/** The mistakes that only Standard Webhooks allow, then those of every signature. */
async function findStandardCause(pasted: Pasted, hex: string): Promise<string | undefined> {
  const { body, secret } = pasted;
  const [id, timestamp, text] = [pasted.id.trim(), pasted.timestamp.trim(), signedText(pasted)];
  const decoded = bytesIn(secret.replace(/^whs(?:ec)?_/u, ""));
  const whole = t("Sign webhook-id, a dot, webhook-timestamp, a dot and the body.");
  const key = keyOf(secret);
  const mistakes: Mistake[] = [
    [t("Only the body was signed. {whole}", { whole }), () => hmac(key, body)],
    [t("The id was not signed. {whole}", { whole }), () => hmac(key, `${timestamp}.${body}`)],
    [t("The timestamp was not signed. {whole}", { whole }), () => hmac(key, `${id}.${body}`)],
    [t("Id and timestamp were signed in the wrong order. {whole}", { whole }), () => hmac(key, `${timestamp}.${id}.${body}`)],
    [t("They were signed without dots between them. {whole}", { whole }), () => hmac(key, id + timestamp + body)],
    ...(decoded === null ? [] : [[faults.secretDecoded, () => hmac(decoded, text)] as const]),
    ...(typeof key === "string" ? [] : [[faults.secretAsText, () => hmac(secret, text)] as const]),
    ...bodyVariants(body, "").map(([fault, other]) => [fault, () => hmac(key, `${id}.${timestamp}.${other}`)] as const),
    ...secretVariants(secret).map(([fault, other]) => [fault, () => hmac(other, text)] as const),
    ...otherWays(text, secret),
  ];
  return firstOf(mistakes, hex);
}

/** A known mistake with the digest it leads to. */
type Mistake = readonly [fault: string, digest: () => Promise<string>];

async function findCause({ body, secret, timestamp }: Pasted, hex: string): Promise<string | undefined> {
  const mistakes: Mistake[] = [
    ...bodyVariants(body, timestamp).map(([fault, other]) => [fault, () => hmac(secret, other)] as const),
    ...secretVariants(secret).map(([fault, other]) => [fault, () => hmac(other, body)] as const),
    ...otherWays(body, secret),
  ];
  return firstOf(mistakes, hex);
}

async function firstOf(mistakes: readonly Mistake[], hex: string): Promise<string | undefined> {
  for (const [fault, digest] of mistakes) if ((await digest()) === hex) return fault;
  return undefined;
}

const otherWays = (body: string, secret: string): Mistake[] => [
  [faults.plainHash, () => sha256(body)],
  [faults.secretBeforeBody, () => sha256(secret + body)],
  [faults.secretBehindBody, () => sha256(body + secret)],
  [faults.swapped, async () => (body === "" ? "" : hmac(body, secret))],
  [faults.sha1, () => hmac(secret, body, "SHA-1")],
  [faults.sha512, () => hmac(secret, body, "SHA-512")],
];

const unknownCause = (secret: string): string => (secret.trim().startsWith("sk_") ? faults.apiKey : faults.unknown);

/** The digest of a pasted header, and faults in its form. */
interface ReadHeader {
  /** Lowercase hex; empty if there is none. */
  hex: string;
  faults: string[];
}

const right = t("Send sha256= and 64 lowercase hex digits.");

/** Takes the value of the header or the whole line. */
function readHeader(pasted: string): ReadHeader {
  const value = pasted.replace(/^\s*['"]?x-service-signature\s*:\s?/iu, "").replace(/\r?\n$/u, "");
  const faults: string[] = [];
  if (value.trim() !== value) faults.push(t("There is white space around the value. Remove it."));
  const bare = value.trim();
  const prefix = /^[^=]*=(?=.)/u.exec(bare)?.[0] ?? "";
  const digest = bare.slice(prefix.length);
  const isHex = /^[0-9a-f]+$/iu.test(digest);
  if (prefix === "") faults.push(t("The sha256= before the digits is missing."));
  else if (prefix !== "sha256=") faults.push(t("It begins with {prefix} instead of sha256=.", { prefix }));
  if (!isHex) return { hex: hexOfBase64(digest), faults: [...faults, notHex(digest)] };
  if (digest !== digest.toLowerCase()) faults.push(t("Write the hex digits in lowercase."));
  if (digest.length !== 64) faults.push(lengthFault(digest.length));
  return { hex: digest.toLowerCase(), faults };
}

function lengthFault(length: number): string {
  if (length === 40) return t("40 digits are SHA-1. Use SHA-256.");
  if (length === 128) return t("128 digits are SHA-512. Use SHA-256.");
  return t("It has {length} hex digits instead of 64: {value}.", {
    length,
    value: length < 64 ? t("some are missing") : t("there are too many"),
  });
}

const notHex = (digest: string): string =>
  hexOfBase64(digest) === "" ? t("This is not a digest. {right}", { right }) : t("This is base64. {right}", { right });

/** Lowercase hex of a SHA-256 digest in base64 or base64url; empty for anything else. */
const hexOfBase64 = (text: string): string => (/^[\w+/-]{43}=?$/u.test(text) ? toHex(fromBase64(text).buffer) : "");

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", "")), (byte) => byte.charCodeAt(0));

/** The bytes that a text is the base64 of; null where it is none. */
const bytesIn = (text: string) => (/^[\w+/-]+={0,2}$/u.test(text) && text.replaceAll("=", "").length % 4 !== 1 ? fromBase64(text) : null);

const toBase64 = (hex: string): string => btoa(String.fromCharCode(...(hex.match(/../gu) ?? []).map((byte) => Number.parseInt(byte, 16))));

type Hash = "SHA-1" | "SHA-256" | "SHA-512";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const toHex = (digest: ArrayBuffer): string => [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Lowercase hex. The secret must not be empty. */
export async function hmac(secret: string | Uint8Array<ArrayBuffer>, body: string, hash: Hash = "SHA-256"): Promise<string> {
  const key = await crypto.subtle.importKey("raw", typeof secret === "string" ? bytesOf(secret) : secret, { name: "HMAC", hash }, false, [
    "sign",
  ]);
  return toHex(await crypto.subtle.sign("HMAC", key, bytesOf(body)));
}

const sha256 = async (text: string): Promise<string> => toHex(await crypto.subtle.digest("SHA-256", bytesOf(text)));

/** Whether the browser offers cryptography, which it does over https and on localhost. */
export const canSign = (): boolean => "subtle" in crypto;

/** A mistake with its remedy, and the body or the secret that was then used instead of the pasted one. */
type Variant = readonly [fault: string, text: string];

/** Common mistakes, except those that do not change this body. */
function bodyVariants(body: string, timestamp: string): Variant[] {
  const variants: Variant[] = [
    [faults.newlineAdded, `${body}\n`],
    [faults.newlineCut, body.replace(/\r?\n$/u, "")],
    [faults.trimmed, body.trim()],
    [faults.crlf, body.replaceAll("\n", "\r\n")],
    [faults.byteOrderMark, `\uFEFF${body}`],
    [faults.timestampDotted, timestamp === "" ? body : `${timestamp}.${body}`],
    [faults.timestampJoined, timestamp + body],
    [faults.emptyBody, ""],
    ...otherNotations(body).map((text): Variant => [faults.otherJson, text]),
  ];
  return variants.filter(([, text]) => text !== body);
}

/** The same JSON in other notations. */
function otherNotations(body: string): string[] {
  const value = parsed(body);
  if (value === undefined) return [];
  const texts = [JSON.stringify(value), JSON.stringify(value, null, 2), JSON.stringify(value, null, 4), spaced(value)];
  return [...texts, ...texts.map(escapedLetters), ...texts.map((text) => text.replaceAll("/", String.raw`\/`))];
}

const parsed = (text: string): unknown => attempt(() => JSON.parse(text) as unknown, undefined);

/** Like Python's json.dumps, with a blank after each comma and colon. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
    .join(", ")}}`;
}

/** Escapes non-ASCII letters like Python and PHP. */
const escapedLetters = (text: string): string =>
  text.replaceAll(/[^\0-\u007F]/gu, (letter) =>
    letter
      .split("")
      .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );

function secretVariants(secret: string): Variant[] {
  const bare = secret.trim();
  const variants: Variant[] = [
    [faults.secretTrimmed, bare],
    [faults.secretNewline, `${bare}\n`],
    [faults.secretWithoutStart, bare.replace(/^whs_/u, "")],
    [faults.secretQuoted, `"${bare}"`],
  ];
  return variants.filter(([, text]) => text !== secret && text !== "");
}

const toleranceSeconds = 300;

/** The fault of a timestamp header, if any. `now`: milliseconds. */
export function judgeTimestamp(timestamp: string, now: number): string | undefined {
  if (!/^-?\d+$/u.test(timestamp)) return t("The timestamp must be a whole number: the seconds since 1970.");
  if (/^\d{13}$/u.test(timestamp)) return t("The timestamp is in milliseconds. Send whole seconds: divide by 1000 and round down.");
  const off = Math.round(now / 1000) - Number(timestamp);
  if (Math.abs(off) <= toleranceSeconds) return undefined;
  const length = formatDuration(Math.abs(off));
  return off > 0
    ? t("The timestamp is {length} old by this device's clock. The gateway refuses more than 5 minutes either way.", { length })
    : t("The timestamp is {length} ahead by this device's clock. The gateway refuses more than 5 minutes either way.", { length });
}

export function bodyHint(body: string): string {
  if (body.endsWith("\n")) return t("The body ends with a newline, which is signed too.");
  return t("Exactly as sent: spaces and line breaks count");
}

export function secretHint(secret: string): string {
  if (secret !== secret.trim()) return t("The white space around it counts as part of the secret.");
  if (secret.startsWith("sk_")) return t("This looks like the API key: the secret begins with whs_.");
  return t("The whole secret, including whs_");
}
