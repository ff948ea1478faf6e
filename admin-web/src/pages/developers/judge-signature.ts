export interface Pasted {
  body: string;
  secret: string;
  /** What the code sent as `X-Service-Signature`. */
  header: string;
  /** What it sent as `X-Service-Timestamp`; may be empty. */
  timestamp: string;
}

/** `valid`: a gateway takes it. Else each fault says what to change. */
export type Verdict = { is: "valid" } | { is: "invalid"; faults: string[] };

/** Compares the header that was sent with the right one, and says what made the difference where that can be found out. */
export async function judgeSignature(pasted: Pasted, expected: string): Promise<Verdict> {
  const { hex, faults } = readHeader(pasted.header);
  if (`sha256=${hex}` === expected) return faults.length === 0 ? { is: "valid" } : { is: "invalid", faults };
  if (hex !== "" && hex.length < 64 && expected.startsWith(`sha256=${hex}`)) return { is: "invalid", faults };
  const cause = (await findCause(pasted, hex)) ?? unknownCause(pasted.secret);
  return { is: "invalid", faults: [...faults, cause] };
}

/** A mistake, and the digest that it leads to. */
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
    fault: "This is the plain SHA-256 of the body, without the secret. It takes the HMAC, keyed with the secret.",
    digest: () => sha256(body),
  },
  {
    fault: "This is the SHA-256 of the secret and the body in a row. It takes the HMAC, keyed with the secret.",
    digest: () => sha256(secret + body),
  },
  {
    fault: "This is the SHA-256 of the body and the secret in a row. It takes the HMAC, keyed with the secret.",
    digest: () => sha256(body + secret),
  },
  {
    fault: "Key and body are swapped: the secret is the key, the body is what is signed.",
    digest: async () => (body === "" ? "" : hmac(body, secret)),
  },
  { fault: "It is right but for the hash: SHA-1 was taken.", digest: () => hmac(secret, body, "SHA-1") },
  { fault: "It is right but for the hash: SHA-512 was taken.", digest: () => hmac(secret, body, "SHA-512") },
];

function unknownCause(secret: string): string {
  if (secret.trim().startsWith("sk_"))
    return "What is pasted as the secret is an API key: it begins with sk_. The webhook secret begins with whs_.";
  return "It is of another secret or of other bytes. Check that the secret is this site's current one, and that the body is the very text that was sent.";
}

/** A pasted header taken apart: what can be made out of its digest, and what is wrong with how it is written. */
export interface ReadHeader {
  /** Lowercase hex; empty when it holds none. */
  hex: string;
  faults: string[];
}

const right = "It has to be sha256= and 64 lowercase hex digits.";

/** Reads the value of the header, or the whole line as a log shows it. */
function readHeader(pasted: string): ReadHeader {
  const value = pasted.replace(/^\s*['"]?x-service-signature\s*:\s?/iu, "").replace(/\r?\n$/u, "");
  const faults: string[] = [];
  if (value.trim() !== value) faults.push("There is white space around the value. Leave it out.");
  const bare = value.trim();
  const prefix = /^[^=]*=(?=.)/u.exec(bare)?.[0] ?? "";
  const digest = bare.slice(prefix.length);
  const isHex = /^[0-9a-f]+$/iu.test(digest);
  if (prefix === "") faults.push("It lacks the sha256= in front of the digits.");
  else if (prefix !== "sha256=") faults.push(`It begins with ${prefix} in place of sha256=, in lower case and without blanks.`);
  if (!isHex) return { hex: hexOfBase64(digest), faults: [...faults, notHex(digest)] };
  if (digest !== digest.toLowerCase()) faults.push("The hex digits have to be lowercase.");
  if (digest.length !== 64) faults.push(lengthFault(digest.length));
  return { hex: digest.toLowerCase(), faults };
}

function lengthFault(length: number): string {
  if (length === 40) return "40 digits are a SHA-1. It takes SHA-256.";
  if (length === 128) return "128 digits are a SHA-512. It takes SHA-256.";
  return `It has ${length} hex digits in place of 64: ${length < 64 ? "some were cut off" : "there are too many"}.`;
}

function notHex(digest: string): string {
  return hexOfBase64(digest) === "" ? `This is no digest. ${right}` : `This is base64. ${right}`;
}

/** Of a SHA-256 digest in base64, of either alphabet. */
function hexOfBase64(text: string): string {
  if (!/^[\w+/-]{43}=?$/u.test(text)) return "";
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/").replace(/=$/u, ""));
  return toHex(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)).buffer);
}

type Hash = "SHA-1" | "SHA-256" | "SHA-512";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const toHex = (digest: ArrayBuffer): string => [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The HMAC of the body's UTF-8 bytes, keyed with the secret's, as lowercase hex. An empty secret is no key. */
export async function hmac(secret: string, body: string, hash: Hash = "SHA-256"): Promise<string> {
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash }, false, ["sign"]);
  return toHex(await crypto.subtle.sign("HMAC", key, bytesOf(body)));
}

/** The plain digest, which needs no secret. */
const sha256 = async (text: string): Promise<string> => toHex(await crypto.subtle.digest("SHA-256", bytesOf(text)));

/** Browsers lend it to pages over https and to those of the own machine. */
export const canSign = (): boolean => "subtle" in crypto;

/** Something that may have been signed, or signed with, in place of what was pasted. */
export interface Variant {
  text: string;
  /** The mistake, and what to do about it. */
  fault: string;
}

/** What code is known to sign by mistake. Those that come to the same as the body itself are left out. */
function bodyVariants(body: string, timestamp: string): Variant[] {
  const variants: Variant[] = [
    {
      text: `${body}\n`,
      fault: "The signature is of the body with a newline at its end. Sign and send the same bytes: with echo, write printf '%s' instead.",
    },
    { text: body.replace(/\r?\n$/u, ""), fault: "The signature is of the body without the newline at its end. Sign it as it is sent." },
    { text: body.trim(), fault: "The signature is of the body without the white space around it." },
    { text: body.replaceAll("\n", "\r\n"), fault: "The signature is of the body with Windows line ends (CRLF)." },
    { text: `\uFEFF${body}`, fault: "The signature is of the body with a byte order mark in front. JSON has none: take it away." },
    { text: `${timestamp}.${body}`, fault: "The signature is of the timestamp, a dot and the body. It has to be of the body alone." },
    { text: `${timestamp}${body}`, fault: "The signature is of the timestamp and the body. It has to be of the body alone." },
    { text: "", fault: "The signature is of an empty body: it was read already, or not yet, when it was signed." },
    ...reserialized(body),
  ];
  return variants.filter(({ text }) => text !== body);
}

/** The same JSON as other programs write it. */
function reserialized(body: string): Variant[] {
  const value = parsed(body);
  if (value === undefined) return [];
  const fault =
    "The signature is of the same JSON, written otherwise: with other blanks or escapes. Write it once, keep the text, sign that and send that.";
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

/** As Python's json.dumps writes it: a blank after each comma and colon. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
    .join(", ")}}`;
}

/** As Python and PHP write what is not ASCII. */
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
    { text: bare, fault: "The secret that was pasted has white space around it, the one that signed has not." },
    { text: `${bare}\n`, fault: "The secret that signed has a newline at its end, as when it is read from a file. Trim it." },
    {
      text: bare.replace(/^whs_/u, ""),
      fault: "The secret that signed lacks the whs_ at its front. It belongs to the secret: use all of it.",
    },
    { text: `"${bare}"`, fault: "The secret that signed has quotes around it, as a .env file may have. Leave them out." },
  ].filter(({ text }) => text !== secret && text !== "");
}

const toleranceSeconds = 300;

/** What is wrong with a timestamp header; undefined when nothing is. `now`: milliseconds. */
export function judgeTimestamp(timestamp: string, now: number): string | undefined {
  if (!/^-?\d+$/u.test(timestamp)) return "The timestamp has to be a whole number: the seconds since 1970.";
  if (/^\d{13}$/u.test(timestamp)) return "The timestamp is in milliseconds. Send seconds: divide by 1000 and cut off the rest.";
  const off = Math.round(now / 1000) - Number(timestamp);
  if (Math.abs(off) <= toleranceSeconds) return undefined;
  return `The timestamp is ${inWords(Math.abs(off))} ${off > 0 ? "old" : "ahead"} by this device's clock. More than 5 minutes either way is refused as stale.`;
}

function inWords(seconds: number): string {
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`;
}

/** What is easily overlooked in a pasted body. */
export function bodyHint(body: string): string {
  if (body.endsWith("\n")) return "It ends with a newline, which is signed too.";
  return "As it is sent, to the byte: blanks and line breaks count";
}

export function secretHint(secret: string): string {
  if (secret !== secret.trim()) return "There is white space around it, which counts as part of the key.";
  if (secret.startsWith("sk_")) return "This looks like the API key: the secret begins with whs_.";
  return "All of it, with the whs_ at its front";
}
