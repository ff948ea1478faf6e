import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { clientAddress, isOwnOrigin } from "./request-context.ts";

const host = "127.0.0.1:4001";

const request = (remoteAddress: string, headers: Record<string, string> = {}): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: { host, ...headers } }) as unknown as IncomingMessage;

describe("clientAddress", () => {
  it.each(
    data<[string, Record<string, string>, boolean, string, boolean][]>("admin-server-http-request-context", "of with proxy trusted is"),
  )("of %s with %o, proxy trusted: %s, is %s", (socket, headers, trustProxy, address, isLocal) => {
    expect(clientAddress(request(socket, headers), trustProxy)).toEqual({ address, isLocal });
  });
});

const publicUrl = "https://admin.example";

describe("isOwnOrigin", () => {
  it.each([
    ["the public address", { origin: "https://admin.example", host }],
    ["the public address with its port", { origin: "https://admin.example:443", host }],
    ["the request's own host", { origin: "http://127.0.0.1:4001", host }],
    ["the machine under another name", { origin: "http://localhost:4001", host }],
    ["the machine under its IPv6 address", { origin: "http://[::1]:4001", host }],
    ["the own host behind a proxy that speaks https", { origin: "https://inner.example", host: "inner.example" }],
    ["the own host with the scheme's port written out", { origin: "https://inner.example", host: "inner.example:443" }],
    ["the own host in capitals", { origin: "https://inner.example:81", host: "INNER.example:81" }],
    ["a program, which names no origin", { host }],
    ["a page of our own that names no origin", { host, "sec-fetch-site": "same-origin" }],
    ["a typed address", { host, "sec-fetch-site": "none" }],
  ])("takes %s", (_, headers) => {
    expect(isOwnOrigin(headers, publicUrl)).toBe(true);
  });

  it.each([
    ["another site", { origin: "https://evil.example", host }],
    ["a site whose name begins alike", { origin: "https://admin.example.evil.example", host }],
    ["a sibling", { origin: "https://shop.admin.example", host }],
    ["the public name without https", { origin: "http://admin.example", host }],
    ["the public name without https, asked by itself", { origin: "http://admin.example", host: "admin.example" }],
    ["another own name without https", { origin: "http://inner.example:81", host: "inner.example:81" }],
    ["the public name at another port", { origin: "https://admin.example:8443", host }],
    ["another port of the machine", { origin: "http://localhost:3000", host }],
    ["the machine, when the request went to another", { origin: "http://localhost:4001", host: "admin.example:4001" }],
    ["a sandboxed page", { origin: "null", host }],
    ["nothing", { origin: "", host }],
    ["no web page", { origin: "file://", host }],
    ["a browser's extension", { origin: "chrome-extension://127.0.0.1:4001", host }],
    ["garbage", { origin: "https://", host }],
    ["any page when there is no host", { origin: "http://localhost:4001" }],
    ["a foreign page that names no origin", { host, "sec-fetch-site": "cross-site" }],
    ["a sibling's page that names no origin", { host, "sec-fetch-site": "same-site" }],
  ])("refuses %s", (_, headers) => {
    expect(isOwnOrigin(headers, publicUrl)).toBe(false);
  });

  it("knows the machine's names in the public address too", () => {
    expect(isOwnOrigin({ origin: "http://localhost:4001", host: "proxy.internal" }, "http://127.0.0.1:4001")).toBe(true);
  });
});
