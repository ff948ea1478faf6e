import { hash, randomBytes } from "node:crypto";
import type { SiteMode } from "../core/site.ts";
import { hyphenate } from "../core/uuid.ts";
import { lettersAndDigits, randomText } from "./signature.ts";

/**
 * A site's API key: `sk_live_` or `sk_test_`, in a cell its name and `_`, 22 letters and digits that encode the site's id, and 32 random ones. A key stays
 * valid when its account moves to another cell, so that any cell is read.
 */
const prefixes: Readonly<Record<SiteMode, string>> = { live: "sk_live_", test: "sk_test_" };
const idLength = 22;
const randomLength = 32;
const shape = new RegExp(`^(?:${prefixes.live}|${prefixes.test})(?:[a-z0-9]{1,8}_)?[0-9A-Za-z]{${idLength + randomLength}}$`);

/** What begins the names that a cell gives; empty without one. */
const cellPrefix = (cell: string | undefined): string => (cell === undefined ? "" : `${cell}_`);

/** The token in a site's inbound address, with the cell before it: 64 random hex digits, as the database makes them where no cell is set. */
export const makeInboundToken = (cell: string | undefined): string => cellPrefix(cell) + randomBytes(32).toString("hex");

/**
 * A new API key of the site with 190 random bits, which is shown once and never stored. `hash`: its SHA-256, 32 bytes, the only part that is stored. `hint`:
 * the part that the dashboard shows, the prefix and the last four characters.
 */
export function makeSiteKey(siteId: string, { mode = "live", cell }: { mode?: SiteMode; cell?: string | undefined } = {}) {
  const begin = prefixes[mode] + cellPrefix(cell);
  const key = `${begin}${writeId(siteId)}${randomText(randomLength)}`;
  return { key, hash: hashSiteKey(key), hint: `${begin}…${key.slice(-4)}` };
}

/** The id of the site that the key names, for a look-up by primary key; null when malformed. Proves nothing: compare the hash. */
export const siteIdOfKey = (key: string): string | null => (shape.test(key) ? readId(key) : null);

/** SHA-256 of the whole key. A random key needs no salt. It is made as hex first, since `hash` makes a text faster than a buffer. */
export const hashSiteKey = (key: string): Buffer => Buffer.from(hash("sha256", key), "hex");

/** The site's id as its keys hold it. */
export function writeId(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll("-", "")}`);
  let text = "";
  for (let i = 0; i < idLength; i += 1) {
    text = lettersAndDigits.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

function readId(key: string): string | null {
  let value = 0n;
  for (const letter of key.slice(-idLength - randomLength, -randomLength)) value = value * 62n + BigInt(lettersAndDigits.indexOf(letter));
  const hex = value.toString(16).padStart(32, "0");
  return hex.length === 32 ? hyphenate(hex) : null;
}
