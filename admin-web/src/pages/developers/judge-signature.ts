import { t } from "../../language.ts";

export interface Pasted {
  body: string;
  secret: string;
  /** The sent `X-Service-Signature`. */
  header: string;
  /** The sent `X-Service-Timestamp`; may be empty. */
  timestamp: string;
}

/** Each fault says what to change. */
export type Verdict = { is: "valid" } | { is: "invalid"; faults: string[] };

/** Compares the sent header with the expected one, and names the mistake if it is a known one. */
export async function judgeSignature(pasted: Pasted, expected: string): Promise<Verdict> {
  const { hex, faults } = readHeader(pasted.header);
  if (`sha256=${hex}` === expected) return faults.length === 0 ? { is: "valid" } : { is: "invalid", faults };
  if (hex !== "" && hex.length < 64 && expected.startsWith(`sha256=${hex}`)) return { is: "invalid", faults };
  const cause = (await findCause(pasted, hex)) ?? unknownCause(pasted.secret);
  return { is: "invalid", faults: [...faults, cause] };
}

/** A known mistake with the digest it leads to. */
interface Mistake {
  fault: string;
  digest: () => Promise<string>;
}

async function findCause({ body, secret, timestamp }: Pasted, hex: string): Promise<string | undefined> {
  const mistakes: Mistake[] = [
    ...bodyVariants(body, timestamp).map(({ text, fault }) => ({ fault, digest: () => hmac(secret, text) })),
    ...secretVariants(secret).map(({ text, fault }) => ({ fault, digest: () => hmac(text, body) })),
    ...otherWays(body, secret),
  ];
  for (const { fault, digest } of mistakes) if ((await digest()) === hex) return fault;
  return undefined;
}

const otherWays = (body: string, secret: string): Mistake[] => [
  {
    fault: t("This is the plain SHA-256 of the body, without the secret. Use HMAC-SHA-256 with the secret as its key."),
    digest: () => sha256(body),
  },
  {
    fault: t("This is the SHA-256 of the secret followed by the body. Use HMAC-SHA-256 with the secret as its key."),
    digest: () => sha256(secret + body),
  },
  {
    fault: t("This is the SHA-256 of the body followed by the secret. Use HMAC-SHA-256 with the secret as its key."),
    digest: () => sha256(body + secret),
  },
  {
    fault: t("Key and body are swapped: the secret is the key, and the body is the message."),
    digest: async () => (body === "" ? "" : hmac(body, secret)),
  },
  { fault: t("The hash is SHA-1. Use SHA-256."), digest: () => hmac(secret, body, "SHA-1") },
  { fault: t("The hash is SHA-512. Use SHA-256."), digest: () => hmac(secret, body, "SHA-512") },
];

function unknownCause(secret: string): string {
  if (secret.trim().startsWith("sk_"))
    return t("The pasted secret is an API key: it begins with sk_. The webhook secret begins with whs_.");
  return t(
    "A different secret or body was signed. Check that the secret is the site's current one, and that the body is exactly the text that was sent.",
  );
}

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

function notHex(digest: string): string {
  return hexOfBase64(digest) === "" ? t("This is not a digest. {right}", { right }) : t("This is base64. {right}", { right });
}

/** Lowercase hex of a SHA-256 digest in base64 or base64url; empty for anything else. */
function hexOfBase64(text: string): string {
  if (!/^[\w+/-]{43}=?$/u.test(text)) return "";
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/").replace(/=$/u, ""));
  return toHex(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)).buffer);
}

type Hash = "SHA-1" | "SHA-256" | "SHA-512";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const toHex = (digest: ArrayBuffer): string => [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Lowercase hex. The secret must not be empty. */
export async function hmac(secret: string, body: string, hash: Hash = "SHA-256"): Promise<string> {
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash }, false, ["sign"]);
  return toHex(await crypto.subtle.sign("HMAC", key, bytesOf(body)));
}

const sha256 = async (text: string): Promise<string> => toHex(await crypto.subtle.digest("SHA-256", bytesOf(text)));

/** Whether the browser offers cryptography, which it does over https and on localhost. */
export const canSign = (): boolean => "subtle" in crypto;

/** A body or a secret that may have been used instead of the pasted one. */
interface Variant {
  text: string;
  /** The mistake and its remedy. */
  fault: string;
}

/** Common mistakes, except those that do not change this body. */
function bodyVariants(body: string, timestamp: string): Variant[] {
  const variants: Variant[] = [
    {
      text: `${body}\n`,
      fault: t("The body was signed with a newline at its end. Sign and send the same bytes: use printf '%s' instead of echo."),
    },
    { text: body.replace(/\r?\n$/u, ""), fault: t("The body was signed without the newline at its end. Sign the bytes that are sent.") },
    { text: body.trim(), fault: t("The body was signed without the white space around it. Sign the bytes that are sent.") },
    { text: body.replaceAll("\n", "\r\n"), fault: t("The body was signed with Windows line endings (CRLF).") },
    { text: `\uFEFF${body}`, fault: t("The body was signed with a byte order mark. Remove it: JSON has none.") },
    { text: `${timestamp}.${body}`, fault: t("The timestamp, a dot and the body were signed. Sign only the body.") },
    { text: `${timestamp}${body}`, fault: t("The timestamp and the body were signed. Sign only the body.") },
    { text: "", fault: t("An empty body was signed: the stream was not read yet, or already consumed.") },
    ...reserialized(body),
  ];
  return variants.filter(({ text }) => text !== body);
}

/** The same JSON in other notations. */
function reserialized(body: string): Variant[] {
  const value = parsed(body);
  if (value === undefined) return [];
  const fault = t(
    "The same JSON was signed in a different form, with different spaces or escapes. Serialize it once, then sign and send that text.",
  );
  const compact = JSON.stringify(value);
  const texts = [compact, JSON.stringify(value, null, 2), JSON.stringify(value, null, 4), spaced(value)];
  return [...texts, ...texts.map(escapedLetters), ...texts.map((text) => text.replaceAll("/", String.raw`\/`))].map((text) => ({
    text,
    fault,
  }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
  return [
    { text: bare, fault: t("The pasted secret has white space around it; the one used for signing does not.") },
    { text: `${bare}\n`, fault: t("The secret used for signing has a newline at its end, as when it is read from a file. Trim it.") },
    {
      text: bare.replace(/^whs_/u, ""),
      fault: t("The secret used for signing lacks whs_ at its start. Use the whole secret."),
    },
    { text: `"${bare}"`, fault: t("The secret used for signing has quotes around it, as in a .env file. Remove them.") },
  ].filter(({ text }) => text !== secret && text !== "");
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

function formatDuration(seconds: number): string {
  if (seconds < 7200) return t("{round} minutes", { round: Math.round(seconds / 60) });
  return seconds < 172_800
    ? t("{round} hours", { round: Math.round(seconds / 3600) })
    : t("{round} days", { round: Math.round(seconds / 86_400) });
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
