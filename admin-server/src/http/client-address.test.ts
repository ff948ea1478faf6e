import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { clientAddress } from "./client-address.ts";

const request = (remoteAddress: string, headers: Record<string, string> = {}): IncomingMessage =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

describe("clientAddress", () => {
  it.each([
    ["127.0.0.1", {}, false, "127.0.0.1", true],
    ["127.8.9.1", {}, false, "127.8.9.1", true],
    ["::1", {}, true, "::1", true],
    ["::ffff:127.0.0.1", {}, false, "127.0.0.1", true],
    ["fe80::1%eth0", {}, false, "fe80::1", false],
    ["203.0.113.1", {}, false, "203.0.113.1", false],
    ["127.0.0.1", { "x-forwarded-for": "203.0.113.1" }, false, "127.0.0.1", false],
    ["127.0.0.1", { forwarded: "for=203.0.113.1" }, false, "127.0.0.1", false],
    ["127.0.0.1", { "x-forwarded-for": "203.0.113.1" }, true, "203.0.113.1", false],
    ["127.0.0.1", { "x-forwarded-for": "127.0.0.1, 203.0.113.1" }, true, "203.0.113.1", false],
    ["127.0.0.1", { "x-forwarded-for": "203.0.113.1:5000" }, true, "203.0.113.1", false],
    ["127.0.0.1", { "x-forwarded-for": "[2001:db8::1]:5000" }, true, "2001:db8::1", false],
    ["127.0.0.1", { "x-forwarded-for": "unknown" }, true, "127.0.0.1", true],
    ["203.0.113.7", { "x-forwarded-for": "::ffff:127.0.0.1" }, true, "127.0.0.1", true],
  ])("of %s with %o, proxy trusted: %s, is %s", (socket, headers, trustProxy, address, isLocal) => {
    expect(clientAddress(request(socket, headers), trustProxy)).toEqual({ address, isLocal });
  });
});
