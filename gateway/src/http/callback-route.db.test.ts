import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { newId } from "shared/db/ids";
import { signBody } from "shared/secrets/signature";
import { placeIn } from "shared/secrets/vault";
import { describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { openGateway, openShop, vault } from "../../../test/support/gateway.ts";
import { envelope, openCallbacks } from "../../../test/support/requests.ts";
import { shared } from "../../../test/support/shared.ts";

describe("callback route", () => {
  const at = shared(async () => openCallbacks());

  const ok: [number, string] = [200, '{"ok":true}'];
  const signedBy = (secret: string, body = envelope()) => ({ "X-Hub-Signature-256": signBody(secret, Buffer.from(body)) });
  const answer = async (response: Response): Promise<[number, string]> => [response.status, await response.text()];

  describe("the handshake", () => {
    const shake = async (query: Record<string, string>, accountId?: string): Promise<[number, string]> =>
      answer(await fetch(`${at.urlOf(accountId)}?${new URLSearchParams(query).toString()}`));
    const right = { "hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": "verify" };

    it("echoes the raw challenge as text", async () => {
      const response = await fetch(`${at.urlOf()}?${new URLSearchParams(right).toString()}`);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(await answer(response)).toEqual([200, "1158201444"]);
    });

    it.each([{ "hub.verify_token": "wrong" }, { "hub.verify_token": "" }, { "hub.mode": "unsubscribe" }, { "hub.mode": "" }])(
      "refuses %j",
      async (wrong) => {
        expect(await shake({ ...right, ...wrong })).toEqual([403, '{"error":"Invalid verify token"}']);
      },
    );

    it("does not tell which accounts there are", async () => {
      for (const accountId of [newId(), "nobody", "..%2f", "%ff"])
        expect(await shake(right, accountId)).toEqual([403, '{"error":"Invalid verify token"}']);
    });
  });

  it("counts behind the gateway's own cell, behind those that the account had, and alone", async () => {
    const { sql, url } = at.database;
    await using cell = await openGateway(url, "http://127.0.0.1:9", { cell: "eu1" });
    await sql`update account set cells = '{us2}' where id = ${at.shop.accountId}`;
    const posted = async (name: string) =>
      (await at.post(envelope(), {}, `${cell.url}/api/public/platform/webhook/${name}`))
        .slice(0, 1)
        .concat(name.replace(at.shop.accountId, "id"));
    const id = at.shop.accountId;
    expect(await Promise.all([id, `eu1.${id}`, `us2.${id}`, `us3.${id}`, `.${id}`, `us2.eu1.${id}`].map(posted))).toEqual(
      data("gateway-http-callback-route", "counts behind the gateway's own cell, behind tho"),
    );
  });

  it("while the account moves: 503, and nothing is recorded", async () => {
    const other = await openShop(at.database.sql);
    await at.database.sql`update account set data_key = 'moving.' where id = ${other.accountId}`;
    const answered = await at.post(envelope(), signedBy(other.appSecret), at.urlOf(other.accountId));
    expect(answered).toEqual([503, '{"error":"Account is moving"}']);
  });

  describe("the signature", () => {
    const invalid: [number, string] = [401, '{"error":"Invalid signature"}'];

    it("covers the raw bytes, whatever they say", async () => {
      const escaped = String.raw`{"object":"whatsapp_business_account","entry":[],"note":"caf\u00e9 \/"}`;
      expect(await at.post(escaped)).toEqual(ok);
      expect(await at.post(escaped, signedBy(at.shop.appSecret, JSON.stringify(JSON.parse(escaped))))).toEqual(invalid);
    });

    it("missing, malformed or of another secret: 401", async () => {
      const body = envelope();
      const good = signBody(at.shop.appSecret, Buffer.from(body));
      for (const signature of ["", good.slice(7), good.toUpperCase(), `${good}0`, "sha256=", signBody("other", Buffer.from(body))])
        expect(await at.post(body, { "X-Hub-Signature-256": signature })).toEqual(invalid);
      expect(await answer(await fetch(at.urlOf(), { method: "POST", body }))).toEqual(invalid);
    });

    it("without a stored secret, or without a platform account: 401", async () => {
      const bare = await openShop(at.database.sql, { platform: null });
      expect(await at.post(envelope(), {}, at.urlOf(bare.accountId))).toEqual(invalid);
      const secretless = await openShop(at.database.sql);
      await at.database.sql`update platform_account set app_secret = null where account_id = ${secretless.accountId}`;
      expect(await at.post(envelope(), signedBy(""), at.urlOf(secretless.accountId))).toEqual(invalid);
    });

    it("with a secret that stands in the database unencrypted: 401", async () => {
      const other = await openShop(at.database.sql);
      await at.database.sql`update platform_account set app_secret = 'planted' where account_id = ${other.accountId}`;
      expect(await at.post(envelope(), signedBy("planted"), at.urlOf(other.accountId))).toEqual(invalid);
    });

    it("of a new secret counts at once", async () => {
      const other = await openShop(at.database.sql);
      const fresh = vault.seal("fresh", placeIn("platform_account.app_secret", other.accountId));
      await at.database.sql`update platform_account set app_secret = ${fresh} where account_id = ${other.accountId}`;
      expect(await at.post(envelope(), signedBy("fresh"), at.urlOf(other.accountId))).toEqual(ok);
      expect(await at.post(envelope(), signedBy(other.appSecret), at.urlOf(other.accountId))).toEqual(invalid);
    });

    it("of an account that does not exist: 401, and a size too large as of any other", async () => {
      const large = new Blob(["x".repeat(3 * 1024 * 1024 + 1)]).stream();
      const headers = signedBy("any", "any");
      for (const accountId of [newId(), "x"]) expect(await at.post(envelope(), {}, at.urlOf(accountId))).toEqual(invalid);
      const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body: large, duplex: "half" };
      expect(await answer(await fetch(at.urlOf(newId()), init))).toEqual([413, '{"error":"Body too large"}']);
    });

    it("missing or malformed: 401 before the body has come", async () => {
      for (const signature of [undefined, "sha256=0"]) {
        const headers = { "Content-Length": 3_000_000, ...(signature !== undefined && { "X-Hub-Signature-256": signature }) };
        const waiting = request(at.urlOf(), { method: "POST", headers });
        waiting.flushHeaders();
        const [response] = (await once(waiting, "response")) as [IncomingMessage];
        expect(response.statusCode).toBe(401);
        waiting.destroy();
      }
    });
  });

  it("of up to 3 MB is taken, a larger one is not", async () => {
    const filler = (bytes: number): string => '{"entry":[],"filler":"'.padEnd(bytes - 2, "x").concat('"}');
    expect(await at.post(filler(3 * 1024 * 1024))).toEqual(ok);
    expect(await at.post(filler(3 * 1024 * 1024 + 1))).toEqual([413, '{"error":"Body too large"}']);
  });
});
