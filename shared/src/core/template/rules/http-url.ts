import { limits } from "../limits.ts";

const HTTP_URL = /^https?:\/\/([^\s/?#{}]+)[^\s]*$/i;

/** Whether `url` is an http or https address that is not too long for the platform. */
export const isHttpUrl = (url: string): boolean => url.length <= limits.url && HTTP_URL.test(url);

/** The host of such an address in lower case, without user and port; empty for any other text. */
export function hostOf(url: string): string {
  const authority = HTTP_URL.exec(url.slice(0, limits.url))?.[1] ?? "";
  return (authority.split("@").at(-1) ?? "").replace(/:\d*$/, "").toLowerCase();
}
