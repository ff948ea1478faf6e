import { signBody } from "shared/secrets/signature";
import { hashSiteKey, makeSiteKey } from "shared/secrets/site-key";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { RateLimit } from "../sites/rate-limit.ts";
import type { SecretUsage } from "../sites/secret-usage.ts";
import type { SiteConfig } from "../sites/site-config.ts";
import type { SiteDirectory } from "../sites/site-directory.ts";
import { createAuthenticate } from "./authenticate.ts";
import type { RawRequest } from "./raw-request.ts";
import { Refusal } from "./refusal.ts";

const siteId = "0199a1b2-1234-7abc-8def-0123456789ab";
const { key } = makeSiteKey(siteId);
const receivedAt = new Date("2026-01-01T12:00:00.500Z");
const receivedSecond = Math.floor(receivedAt.getTime() / 1000);
const body = Buffer.from('{"order":{"id":"1"}}');

const secretsOf = (secret: string, ofKey = key) => ({
  keys: [{ id: "key id", hash: hashSiteKey(ofKey), endsAt: Infinity }],
  signing: [{ id: "secret id", secret, endsAt: Infinity }],
});
const site = { id: siteId, enabled: true, requireTimestamp: false, rateLimitPerSecond: null, secrets: secretsOf("secret") } as SiteConfig;

/** What the directory has in its cache, and what the database says. */
let cached: SiteConfig | undefined;
let current: SiteConfig | null;
let isAdmitted: boolean;

const refresh = vi.fn<SiteDirectory["refresh"]>(async () => Promise.resolve(current));
const take = vi.fn<RateLimit["take"]>(async () => Promise.resolve(isAdmitted));
const note = vi.fn<SecretUsage["note"]>();
const authenticate = createAuthenticate({ peek: () => cached, refresh }, { take }, { note, stop: async () => Promise.resolve() });

beforeEach(() => {
  vi.clearAllMocks();
  [cached, current, isAdmitted] = [site, site, true];
});

const request = (headers: Record<string, string> = {}, readBody = async () => Promise.resolve(body)): RawRequest => ({
  headers: {
    "content-type": "application/json",
    "x-service-site-key": key,
    "x-service-signature": signBody("secret", body),
    ...headers,
  },
  source: "shop",
  event: "order.created",
  receivedAt,
  readBody,
});
const refusalOf = async (given: RawRequest): Promise<string> => {
  const error: unknown = await authenticate(given).then(
    () => new Error("it is no refusal"),
    (reason: unknown) => reason,
  );
  return error instanceof Refusal ? error.refusal : String(error);
};

describe("a good request", () => {
  it("asks nobody for a site that is known", async () => {
    expect(await authenticate(request())).toMatchObject({ site, source: "shop", name: "order.created", payload: { order: { id: "1" } } });
    expect(refresh).not.toHaveBeenCalled();
    expect(take).not.toHaveBeenCalled();
    expect(note.mock.calls).toEqual([[["key id", "secret id"], receivedAt]]);
  });

  it.each([
    ["is not known yet", undefined],
    ["is known with another key", { ...site, secrets: secretsOf("secret", makeSiteKey(siteId).key) }],
  ])("asks once for a site that %s", async (_, known) => {
    cached = known;
    expect((await authenticate(request())).site).toBe(site);
    expect(refresh.mock.calls).toEqual([[siteId]]);
  });

  it("is judged once more by the site as it is now, when the one that is known would refuse it", async () => {
    cached = { ...site, enabled: false };
    expect((await authenticate(request())).site).toBe(site);
    expect(refresh).toHaveBeenCalledTimes(1);
  });

  it("counts once against the site's limit, however often it is judged", async () => {
    const limited = { ...site, rateLimitPerSecond: 5 };
    cached = current = limited;
    const given = request({ "content-type": "text/plain" });
    expect(await refusalOf(given)).toBe("unsupported_content_type");
    expect(take.mock.calls).toEqual([[siteId, 5]]);
    await authenticate(request());
    expect(take).toHaveBeenCalledTimes(2);
  });
});

describe("a refusal", () => {
  it.each([
    ["no key", { "x-service-site-key": "" }, "missing_site_key", 0],
    ["what is no key", { "x-service-site-key": "sk_live_short" }, "invalid_site_key", 0],
    ["the key of nobody", { "x-service-site-key": makeSiteKey(siteId).key }, "invalid_site_key", 1],
    ["no signature", { "x-service-signature": "" }, "invalid_signature", 1],
    ["another's signature", { "x-service-signature": signBody("another", body) }, "invalid_signature", 1],
  ])("for %s comes after a fresh look at most", async (_, headers, refusal, looks) => {
    expect(await refusalOf(request(headers))).toBe(refusal);
    expect(refresh).toHaveBeenCalledTimes(looks);
    expect(note).not.toHaveBeenCalled();
  });

  it("of a site that was looked at already is final", async () => {
    cached = undefined;
    current = { ...site, enabled: false };
    expect(await refusalOf(request())).toBe("site_disabled");
    expect(refresh).toHaveBeenCalledTimes(1);
  });

  it("comes for a site that has gone meanwhile", async () => {
    cached = { ...site, enabled: false };
    current = null;
    expect(await refusalOf(request())).toBe("invalid_site_key");
  });

  it("for too many requests is one, although it is judged twice", async () => {
    cached = current = { ...site, rateLimitPerSecond: 1 };
    isAdmitted = false;
    expect(await refusalOf(request())).toBe("rate_limited");
    expect(take).toHaveBeenCalledTimes(2);
  });

  it("is not made of what is none, nor is that tried again", async () => {
    take.mockRejectedValueOnce(new Error("the database is away"));
    cached = { ...site, rateLimitPerSecond: 1 };
    expect(await refusalOf(request())).toContain("the database is away");
    expect(refresh).not.toHaveBeenCalled();
    const broken = request({}, async () => Promise.reject(new Refusal("body_too_large")));
    expect(await refusalOf(broken)).toBe("body_too_large");
    expect(refresh).not.toHaveBeenCalled();
  });
});

describe("a timestamp", () => {
  const at = (text: string) => request({ "x-service-timestamp": text });

  it.each([0, 300, -300])("may be %i seconds off", async (seconds) => {
    expect((await authenticate(at(String(receivedSecond + seconds)))).name).toBe("order.created");
  });

  it.each([
    String(receivedSecond + 301),
    String(receivedSecond - 301),
    `${receivedSecond}x`,
    `x${receivedSecond}`,
    `${receivedSecond}.5`,
    `-${receivedSecond}`,
    "0".repeat(6) + String(receivedSecond),
    "now",
  ])("is refused when it is %s", async (text) => {
    expect(await refusalOf(at(text))).toBe("stale_timestamp");
  });

  it("is missed only where the site asks for it", async () => {
    cached = current = { ...site, requireTimestamp: true };
    expect(await refusalOf(request())).toBe("missing_timestamp");
    expect((await authenticate(at(String(receivedSecond)))).name).toBe("order.created");
  });
});
