import { limits } from "../limits.ts";

const HTTP_URL = /^https?:\/\/([^\s/?#{}]+)[^\s]*$/i;

/** The host of an http or https address in lower case, without user and port; null for what is none or is too long for the platform. */
export function hostOf(url: string): string | null {
  const authority = url.length <= limits.url ? HTTP_URL.exec(url)?.[1] : undefined;
  if (authority === undefined) return null;
  return authority.replace(/.*@/, "").replace(/:\d*$/, "").toLowerCase();
}

/** Whether `url` is such an address. */
export const isHttpUrl = (url: string): boolean => hostOf(url) !== null;
