import { hash } from "node:crypto";
import type { SiteMode } from "../core/site.ts";
import { hyphenate } from "../core/uuid.ts";
import { lettersAndDigits, randomText } from "./signature.ts";

/** A site's API key: `sk_live_` or `sk_test_`, 22 letters and digits that encode the site's id, and 32 random ones. */
const prefixes: Readonly<Record<SiteMode, string>> = { live: "sk_live_", test: "sk_test_" };
const prefixLength = prefixes.live.length;
const idLength = 22;
const randomLength = 32;
const shape = new RegExp(`^(?:${prefixes.live}|${prefixes.test})[0-9A-Za-z]{${idLength + randomLength}}$`);

export interface SiteKey {
  /** Shown once, never stored. */
  key: string;
  /** SHA-256, 32 bytes; the only part that is stored. */
  hash: Buffer;
  /** The part that the dashboard shows: the prefix and the last four characters. */
  hint: string;
}

/** A new API key of the site with 190 random bits. */
export function makeSiteKey(siteId: string, mode: SiteMode = "live"): SiteKey {
  const prefix = prefixes[mode];
  const key = `${prefix}${writeId(siteId)}${randomText(randomLength)}`;
  return { key, hash: hashSiteKey(key), hint: `${prefix}…${key.slice(-4)}` };
}

/** The id of the site that the key names, for a look-up by primary key; null when malformed. Proves nothing: compare the hash. */
export function siteIdOfKey(key: string): string | null {
  return shape.test(key) ? readId(key) : null;
}

/** SHA-256 of the whole key. A random key needs no salt. It is made as hex first, since `hash` makes a text faster than a buffer. */
export const hashSiteKey = (key: string): Buffer => Buffer.from(hash("sha256", key), "hex");

function writeId(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll("-", "")}`);
  let text = "";
  for (let i = 0; i < idLength; i += 1) {
    text = lettersAndDigits.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

function readId(key: string): string | null {
  const at = prefixLength;
  // Eight letters fit a double, which is much faster than a BigInt per letter.
  const value =
    (readNumber(key, at, at + 6) * wordSize + readNumber(key, at + 6, at + 14)) * wordSize + readNumber(key, at + 14, at + idLength);
  const hex = value.toString(16).padStart(32, "0");
  return hex.length === 32 ? hyphenate(hex) : null;
}

const wordSize = 62n ** 8n;

const valueOfCode = new Map(Array.from(lettersAndDigits, (letter, value) => [letter.charCodeAt(0), value]));

function readNumber(text: string, from: number, to: number): bigint {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 62 + (valueOfCode.get(text.charCodeAt(at)) ?? 0);
  return BigInt(value);
}
