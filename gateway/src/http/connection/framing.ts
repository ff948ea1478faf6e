import type { IncomingMessage } from "node:http";

/**
 * Whether a proxy may see the request's end elsewhere than we do: an encoding that is not just `chunked`, or any in HTTP/1.0 (RFC 9112, 6.1).
 * Node's parser refuses what else there is to differ on.
 */
export const hasDoubtfulEnd = ({ headers, httpVersion }: IncomingMessage): boolean => {
  const encoding = headers["transfer-encoding"];
  return encoding !== undefined && (httpVersion !== "1.1" || encoding.toLowerCase() !== "chunked");
};
