import { signBody } from "shared/secrets/signature";
import { hashSiteKey, makeSiteKey } from "shared/secrets/site-key";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import { RequestRefused } from "../refusal.ts";
import type { Notes } from "../sites/notes.ts";
import type { SiteConfig, SiteDirectory } from "../sites/sites.ts";
import { createAuthenticate, header, type RawRequest } from "./authenticate.ts";
import { createReadObject } from "./body.ts";

describe("authenticate", () => {
  const siteId = "0199a1b2-1234-7abc-8def-0123456789ab";
  const { key } = makeSiteKey(siteId);
  const receivedAt = new Date("2026-01-01T12:00:00.500Z");
  const receivedSecond = Math.floor(receivedAt.getTime() / 1000);
  const body = Buffer.from('{"order":{"id":"1"}}');

  const secretsOf = (secret: string, ofKey = key) => ({
    keys: [{ id: "key id", hash: hashSiteKey(ofKey), endsAt: Infinity }],
    signing: [{ id: "secret id", secret, endsAt: Infinity }],
    ofShop: [],
  });
  const site = {
    id: siteId,
    enabled: true,
    requireTimestamp: false,
    rateLimitPerSecond: null,
    secrets: secretsOf("secret"),
  } as unknown as SiteConfig;

  /** The site that the directory has in its cache, and the one that the database has. */
  let cached: SiteConfig | undefined;
  let current: SiteConfig | null;
  let isAdmitted: boolean;

  const refresh = vi.fn<SiteDirectory["refresh"]>(async () => Promise.resolve(current));
  const take = vi.fn<SiteDirectory["admits"]>(async () => Promise.resolve(isAdmitted));
  const used = vi.fn<Notes["used"]>();
  const noteRefused = vi.fn<Notes["refused"]>();
  const proven = vi.fn<Notes["proven"]>();
  const readObject = createReadObject(5_000);
  const authenticate = createAuthenticate(
    { peek: () => cached, refresh, admits: take },
    { used, proven, refused: noteRefused },
    readObject,
  );

  beforeEach(() => {
    vi.clearAllMocks();
    [cached, current, isAdmitted] = [site, site, true];
  });

  const request = (headers: Record<string, string> = {}, readBody = async () => Promise.resolve(body)): RawRequest => ({
    headers: { "content-type": "application/json", "x-service-site-key": key, "x-service-signature": signBody("secret", body), ...headers },
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
    return error instanceof RequestRefused ? error.refusal : String(error);
  };

  describe("a good request", () => {
    it("asks nobody for a site that is known", async () => {
      expect(await authenticate(request())).toMatchObject({ site, source: "shop", name: "order.created", payload: { order: { id: "1" } } });
      expect(refresh).not.toHaveBeenCalled();
      expect(take).not.toHaveBeenCalled();
      expect(used.mock.calls).toEqual([[["key id", "secret id"], receivedAt]]);
    });

    it.each([
      ["is not known yet", undefined],
      ["is known with another key", { ...site, secrets: secretsOf("secret", makeSiteKey(siteId).key) }],
    ])("asks once for a site that %s", async (_, known) => {
      cached = known;
      expect((await authenticate(request())).site).toBe(site);
      expect(refresh.mock.calls).toEqual([[siteId]]);
    });

    it("is judged once more when it is the site's first, which changes the site; not when that could not be noted", async () => {
      current = { ...site, config: "2" };
      proven.mockReturnValueOnce(Promise.resolve(true));
      expect((await authenticate(request())).site).toBe(current);
      proven.mockReturnValueOnce(Promise.resolve(false));
      expect((await authenticate(request())).site).toBe(site);
      expect(proven.mock.calls.map(([noted]) => noted)).toEqual([site, current, site]);
    });

    it("is judged once more by the site as it is now, when the one that is known would refuse it", async () => {
      cached = { ...site, enabled: false };
      expect((await authenticate(request())).site).toBe(site);
      expect(refresh).toHaveBeenCalledTimes(1);
    });

    it("is admitted as one request, however often it is judged", async () => {
      const limited = { ...site, rateLimitPerSecond: 5 };
      cached = current = limited;
      expect(await refusalOf(request({ "content-type": "text/plain" }))).toBe("unsupported_content_type");
      const requests = take.mock.calls.map(([of, given]) => [of === limited, given === take.mock.calls[0]?.[1]]);
      expect(requests).toEqual(Array(2).fill([true, true]));
    });
  });

  describe("a refusal", () => {
    it.each([
      ["no key", { "x-service-site-key": "" }, "missing_site_key", 0],
      ["what is no key", { "x-service-site-key": "sk_live_short" }, "invalid_site_key", 0],
      ["the key of nobody", { "x-service-site-key": makeSiteKey(siteId).key }, "invalid_site_key", 1],
      ["no signature", { "x-service-signature": "" }, "invalid_signature", 1],
      ["a signature without its id", { "webhook-signature": "v1,x", "webhook-timestamp": "1" }, "missing_webhook_id", 1],
      [
        "a signature without its time",
        { "webhook-signature": "v1,x", "webhook-id": "1", "webhook-timestamp": "" },
        "missing_webhook_timestamp",
        1,
      ],
      ["another's signature", { "x-service-signature": signBody("another", body) }, "invalid_signature", 1],
    ])("for %s comes after a fresh look at most", async (_, headers, refusal, looks) => {
      expect(await refusalOf(request(headers))).toBe(refusal);
      expect(refresh).toHaveBeenCalledTimes(looks);
      expect(used).not.toHaveBeenCalled();
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
      const broken = request({}, async () => Promise.reject(new RequestRefused("body_too_large")));
      expect(await refusalOf(broken)).toBe("body_too_large");
      expect(refresh).not.toHaveBeenCalled();
    });
  });

  describe("a timestamp", () => {
    const at = (text: string) => request({ "x-service-timestamp": text });

    it.each([0, 300, -300])("may be %i seconds off", async (seconds) => {
      expect((await authenticate(at(String(receivedSecond + seconds)))).name).toBe("order.created");
    });

    it.each(data<string[]>("gateway-ingest-authenticate", "is refused when it is"))("is refused when it is %s", async (text) => {
      expect(await refusalOf(at(text))).toBe("stale_timestamp");
    });

    it("is missed only where the site asks for it", async () => {
      cached = current = { ...site, requireTimestamp: true };
      expect(await refusalOf(request())).toBe("missing_timestamp");
      expect((await authenticate(at(String(receivedSecond)))).name).toBe("order.created");
    });
  });

  it("what is wrong with the content is said in the documented order", async () => {
    interface Given {
      headers?: Record<string, string>;
      source?: string;
      event?: string;
      body?: string;
    }
    const wrong = { "x-service-idempotency-key": "\t", "x-service-mode": "tset", "content-type": "text/plain" };
    const given: Given = { headers: wrong, body: "[", event: "order created", source: "a shop" };
    for (const [mending, refusal] of data<[Given, string][]>("gateway-ingest-authenticate", "mended")) {
      const { headers, body: text = "", ...path } = Object.assign(given, mending);
      const bytes = Buffer.from(text);
      const signed = request({ "x-service-signature": signBody("secret", bytes), ...headers }, async () => Promise.resolve(bytes));
      expect(await refusalOf({ ...signed, ...path })).toBe(refusal);
    }
  });
});

it("a header that is empty is absent, and one that came twice is one text", () => {
  const headers = { "x-service-mode": "", "x-service-source": "shop", "set-cookie": ["a", "b"] };
  expect(["x-service-mode", "x-service-key", "x-service-source", "set-cookie"].map((name) => header(headers, name))).toEqual(
    data("gateway-ingest-authenticate", "a header that is empty is absent, and one that c"),
  );
});
