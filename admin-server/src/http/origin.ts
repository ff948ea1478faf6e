import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether the page that makes this request is one of ours: of the public URL, or of the host that the request itself was sent to. A browser names the
 * page's origin with everything that a foreign page could do harm by; a program names none.
 */
export function isOwnOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return !foreignSites.has(headers["sec-fetch-site"]?.toString() ?? "");
  const page = URL.canParse(origin) ? new URL(origin) : null;
  if (page === null || !["http:", "https:"].includes(page.protocol)) return false;
  const own = new URL(publicUrl);
  if (page.protocol === own.protocol && place(page) === place(own)) return true;
  // What the request was sent to may have come through a proxy that speaks https, so the Host header is read by the page's scheme.
  const target = `${page.protocol}//${host ?? ""}`;
  return host !== undefined && URL.canParse(target) && place(new URL(target)) === place(page);
}

/** Browsers that leave Origin out of a GET still say this. Typed addresses and bookmarks are `none`. */
const foreignSites = new Set(["cross-site", "same-site"]);

const localNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Host and port, with the machine itself under one name. */
function place(url: URL): string {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return `${localNames.has(url.hostname) ? "localhost" : url.hostname}:${port}`;
}
