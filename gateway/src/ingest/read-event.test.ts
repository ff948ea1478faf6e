import { describe, expect, it } from "vitest";
import type { SiteConfig } from "../sites/site-config.ts";
import { readEvent } from "./read-event.ts";
import { Refusal } from "./refusal.ts";

const site = { id: "site" } as SiteConfig;
const json = { "content-type": "application/json" };

interface Given {
  headers?: Record<string, string>;
  source?: string;
  event?: string;
  body?: string;
  bytes?: Buffer;
}
const read = ({ headers = {}, source = "shop", event = "order.created", body = "{}", bytes = Buffer.from(body) }: Given) => {
  const request = {
    headers: { ...json, ...headers },
    source,
    event,
    receivedAt: new Date(),
    readBody: async () => Promise.reject(new Error()),
  };
  return readEvent(site, request, bytes);
};
const refusalOf = (given: Given): Refusal => {
  try {
    read(given);
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error("it is not refused");
};

it("an event is what the path, the headers and the body say", () => {
  const body = '{"order": {"id": 12345678901234567890}}';
  const headers = { "x-service-idempotency-key": "key 1", "x-service-mode": "Test" };
  expect(read({ event: "Order.Created", source: "My-Shop", body, headers })).toEqual({
    site,
    source: "My-Shop",
    name: "order.created",
    payload: { order: { id: 12345678901234567890n } },
    text: body,
    test: false,
    dryRun: true,
    idempotencyKey: "key 1",
  });
  expect(read({ body: '{"event":"TEST"}' })).toMatchObject({ test: true, dryRun: false, idempotencyKey: null });
  expect(read({ event: "Test" }).test).toBe(true);
});

it("what is wrong is said in the documented order", () => {
  const headers = { "x-service-idempotency-key": "\t", "x-service-mode": "tset" };
  const given: Given = { headers: { ...headers, "content-type": "text/plain" }, body: "[", event: "order created", source: "a shop" };
  const mended: [Given, string][] = [
    [{}, "unsupported_content_type"],
    [{ headers }, "malformed_json"],
    [{ body: "[]" }, "not_an_object"],
    [{ body: "{}" }, "invalid_event_name"],
    [{ event: "order.created" }, "invalid_source"],
    [{ source: "shop" }, "invalid_idempotency_key"],
    [{ headers: { "x-service-mode": "tset" } }, "invalid_mode"],
  ];
  for (const [mending, refusal] of mended) expect(refusalOf(Object.assign(given, mending)).refusal).toBe(refusal);
});

describe("a content type", () => {
  it.each(["application/json; charset=utf-8", " Application/JSON ;v=1", "application/json;"])("may be %j", (type) => {
    expect(read({ headers: { "content-type": type, "content-encoding": " Identity " } }).text).toBe("{}");
  });

  it.each(["", "text/json", "application/json-patch", "text/plain; application/json", "application/json, text/plain"])(
    "may not be %j",
    (type) => {
      expect(refusalOf({ headers: { "content-type": type } }).refusal).toBe("unsupported_content_type");
    },
  );

  it("holds for what is not compressed", () => {
    expect(refusalOf({ headers: { "content-encoding": "gzip" } }).refusal).toBe("unsupported_content_type");
    expect(refusalOf({ headers: { "content-type": "text/plain", "content-encoding": "identity" } }).refusal).toBe(
      "unsupported_content_type",
    );
  });
});

describe("a body", () => {
  it.each(["", "{", "{} {}", "\uFEFF{}", "{'a':1}"])("that is %j is no JSON, and the refusal holds why", (body) => {
    expect(refusalOf({ body })).toMatchObject({ refusal: "malformed_json", retryAfterSeconds: null, cause: expect.any(SyntaxError) });
  });

  it("that is no UTF-8 is no JSON", () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(refusalOf({ bytes }).refusal).toBe("malformed_json");
  });

  it.each(["null", "1", '"text"', "true", "[]", "[{}]"])("that is %s is no object", (body) => {
    expect(refusalOf({ body }).refusal).toBe("not_an_object");
  });
});

describe("an idempotency key", () => {
  it.each(["a", " ~", "k".repeat(255)])("may be %j", (key) => {
    expect(read({ headers: { "x-service-idempotency-key": key } }).idempotencyKey).toBe(key);
  });

  it.each(["k".repeat(256), "é", "aé", "éa", "a\tb", "a\u007f"])("may not be %j", (key) => {
    expect(refusalOf({ headers: { "x-service-idempotency-key": key } }).refusal).toBe("invalid_idempotency_key");
  });
});

describe("a mode", () => {
  it.each([
    ["live", false],
    ["LIVE", false],
    ["test", true],
    ["", false],
  ])("of %j means a dry run: %s", (mode, dryRun) => {
    expect(read({ headers: { "x-service-mode": mode } }).dryRun).toBe(dryRun);
  });

  it.each(["tset", " test", "dry-run"])("of %j is refused", (mode) => {
    expect(refusalOf({ headers: { "x-service-mode": mode } }).refusal).toBe("invalid_mode");
  });
});
