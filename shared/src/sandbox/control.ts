import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isLoopback, withoutMapping } from "../server/hosts.ts";
import type { Accounts } from "./accounts.ts";
import { ControlError } from "./http.ts";

/** Admits a request to the sandbox's own calls. Throws a `ControlError`: 401 without the token, 415 for a body that is not JSON. */
export type ControlGuard = (request: IncomingMessage, method: string, path: string) => void;

/** What tells programs that the sandbox serves: it needs no token and tells nothing else. */
export const readinessPath = "/_sandbox/ready";

/**
 * The control token opens every call. While the demo's account is the only one, its messages are also open to callers on this machine. A body must be
 * declared as JSON, which no form of a foreign page can do.
 */
export function createControlGuard(controlToken: string, accounts: Accounts): ControlGuard {
  const expected = sha256(controlToken);
  return (request, method, path) => {
    if (path === readinessPath) return;
    const { authorization = "" } = request.headers;
    const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
    const isKnown = timingSafeEqual(sha256(given), expected);
    if (!isKnown && !(isInbox(method, path) && isDemoAlone(accounts) && comesFromHere(request))) throw new ControlError(401, missingToken);
    if (hasBody(request) && !/^application\/json *(;|$)/i.test(request.headers["content-type"] ?? "")) {
      throw new ControlError(415, "Send the body as JSON, with Content-Type: application/json");
    }
  };
}

const missingToken = "This call needs the header Authorization: Bearer with the token in SANDBOX_CONTROL_TOKEN";

const isInbox = (method: string, path: string): boolean => path === "/_sandbox/messages" && ["GET", "HEAD", "DELETE"].includes(method);

function isDemoAlone(accounts: Accounts): boolean {
  const [first, ...others] = accounts.all();
  return first?.demo === true && others.length === 0;
}

/** Directly: a proxy on this machine may speak for anybody. */
const comesFromHere = ({ headers, socket }: IncomingMessage): boolean =>
  isLoopback(withoutMapping(socket.remoteAddress ?? "")) &&
  ["x-forwarded-for", "forwarded", "via"].every((name) => headers[name] === undefined);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

/** Digests are of equal length, whatever was sent. */
const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
