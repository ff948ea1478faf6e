import type { IncomingMessage, RequestListener } from "node:http";
import { closeAfter, isClosing } from "./last-answer.ts";

/** Hands on only what has a clear place on its connection; `refuse` answers the rest, whose connection then ends. */
export const clearRequests =
  (handler: RequestListener, refuse: RequestListener): RequestListener =>
  (req, res) => {
    if (isClosing(req.socket)) return void req.resume();
    if (hasDoubtfulEnd(req)) {
      closeAfter(req.socket);
      req.resume();
      return refuse(req, res);
    }
    if (req.headers.upgrade !== undefined) {
      // Nobody upgrades, and Node's parser has lost what came right behind it.
      closeAfter(req.socket);
      res.setHeader("Connection", "close");
    }
    handler(req, res);
  };

/**
 * Whether a proxy may see the request's end elsewhere than we do: an encoding that is not just `chunked`, or any in HTTP/1.0 (RFC 9112, 6.1).
 * Node's parser refuses what else there is to differ on.
 */
const hasDoubtfulEnd = ({ headers, httpVersion }: IncomingMessage): boolean => {
  const encoding = headers["transfer-encoding"];
  return encoding !== undefined && (httpVersion !== "1.1" || encoding.toLowerCase() !== "chunked");
};
