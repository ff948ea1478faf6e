import { memoize } from "../text.ts";
import type { UrlSlot } from "./slots.ts";

/** The global class of browsers and Node, of which neither's types are known here. */
declare const URL: {
  canParse(text: string): boolean;
  new (text: string): Readonly<Record<"protocol" | "username" | "password" | "host" | "pathname", string>>;
};

/** All characters that may not stand in a URL; a percent sign may if two hex digits follow. Square brackets may only enclose a host address. */
const illegal = /%(?![0-9A-Fa-f]{2})|[^%A-Za-z0-9\-._~:/?#@!$&'()*+,;=]+/g;
/** What `encodeURIComponent` changes, but for a percent sign before two hex digits. */
const noComponent = /%(?![0-9A-Fa-f]{2})|[^%A-Za-z0-9\-._~!'()*]+/g;

/**
 * The variable part of a URL button, made sendable. `text` is a cleaned value: it loses the template's fixed part if it begins with that (senders often
 * have the whole URL), and a slash where the fixed part ends in one. Characters that are illegal in URLs are percent-encoded, legal `%XX` left alone; behind
 * `=` all that a component may not have, and so is a whole address behind `?` or `#`.
 */
export function linkPart(text: string, fixed: string): string {
  const given = beginsWith(text, fixed) ? text.slice(fixed.length) : text;
  const part = fixed.endsWith("/") ? given.replace(/^\/+/, "") : given;
  const isComponent = isBehindEquals(fixed) || (isAddress(part) && isWithinQuery(fixed));
  return part.replace(isComponent ? noComponent : illegal, encodeURIComponent);
}

/** The case of scheme and host does not count. */
function beginsWith(text: string, fixed: string): boolean {
  const [{ length } = ""] = /^[a-z][a-z\d+.-]{0,31}:\/\/[^/?#]*/i.exec(fixed) ?? [];
  return text.startsWith(fixed.slice(length), length) && text.slice(0, length).toLowerCase() === fixed.slice(0, length).toLowerCase();
}

const isAddress = (text: string): boolean => /^[a-z][a-z\d+.-]{0,31}:\/\//i.test(text);
const isWithinQuery = (fixed: string): boolean => /[?#]/.test(fixed);
/** Whether the variable continues the value of a parameter, or of anything else that `=` begins. */
function isBehindEquals(fixed: string): boolean {
  const part = isWithinQuery(fixed) ? fixed.slice(fixed.search(/[?#]/)) : fixed.slice(-1);
  const equals = part.lastIndexOf("=");
  return equals >= 0 && !/[&#]/.test(part.slice(equals));
}

/** Whether the variable stands behind the host, so that no value can change it: `https://shop.example/{{1}}`. */
export const isBehindHost = (fixed: string): boolean => /^[a-z][a-z\d+.-]{0,31}:\/\/[^/?#\s\\@]+[/?#]/i.test(fixed);

/** What no rule of paths gives a meaning of its own. */
const plain = /^[\w~-]*$/;

/**
 * Why a button with this part would not lead where its template says: to an address within an address, or out of the fixed part, as `../` and `@` do. `part`
 * is the part as sent; null where it fits.
 */
export function misfit(part: string, slot: UrlSlot): "address" | "leaves" | null {
  if (plain.test(part)) return null;
  if (isAddress(part) && !isWithinQuery(slot.fixed)) return "address";
  const [place, filled] = [placeOf(slot), parse(`${slot.fixed}${part}${slot.rest}`)];
  const isThere = filled.every(({ origin, path }, reading) => origin === place[reading]?.origin && path.startsWith(place[reading].path));
  return isThere && filled.length > 0 ? null : "leaves";
}

interface Place {
  /** Scheme, user, host and port. */
  origin: string;
  /** Normalised. */
  path: string;
}

const placeOf = memoize(({ fixed }: UrlSlot): Place[] => parse(fixed));

/** The place as browsers read the address, and as servers may; none of a text that is no address. */
function parse(text: string): Place[] {
  if (!URL.canParse(text)) return [];
  const { protocol, username, password, host, pathname } = new URL(text);
  const origin = `${protocol}//${username}:${password}@${host}`;
  return [pathname, asServersRead(pathname)].map((path) => ({ origin, path }));
}

/** Encodings of encodings are undone so often. */
const mostDecoded = 3;

/** The path for servers that decode before they normalise, or cut off a segment's parameters (`..;a`). */
function asServersRead(path: string): string {
  let decoded = path;
  for (let time = 0; time < mostDecoded; time += 1) decoded = decoded.replaceAll(/%(2e|2f|5c|3b|25)/gi, decodeURIComponent);
  const segments: string[] = [];
  const given = decoded.replaceAll("\\", "/").split("/").slice(1);
  given.forEach((segment, index) => {
    const [, dots] = /^(\.\.?)(?:;|$)/.exec(segment) ?? [];
    if (dots === "..") segments.pop();
    if (dots === undefined) segments.push(segment);
    else if (index === given.length - 1) segments.push("");
  });
  return `/${segments.join("/")}`;
}
