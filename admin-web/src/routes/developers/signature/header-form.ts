import { toHex } from "./digests.ts";

/** A pasted header taken apart: what can be made out of its digest, and what is wrong with how it is written. */
export interface ReadHeader {
  /** Lowercase hex; empty when it holds none. */
  hex: string;
  faults: string[];
}

const right = "It has to be sha256= and 64 lowercase hex digits.";

/** Reads the value of the header, or the whole line as a log shows it. */
export function readHeader(pasted: string): ReadHeader {
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
