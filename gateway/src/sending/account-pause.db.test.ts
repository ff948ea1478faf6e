import { connect } from "shared/db/connect";
import type { Pool } from "shared/db/statement";
import { afterAll, beforeAll, beforeEach, expect, it, describe } from "vitest";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { openGateway, openShop, type Shop } from "../../../test/support/gateway.ts";
import { refuse, type ScriptedPlatform, startScriptedPlatform } from "../../../test/support/platform.ts";
import { postEvent } from "../../../test/support/requests.ts";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createAccountPause } from "./account-pause.ts";

describe("stopped account", () => {
  let database: TestDatabase;
  let platform: ScriptedPlatform;
  let shop: Shop;

  beforeAll(async () => {
    database = await testDatabase();
    platform = await startScriptedPlatform();
  });
  afterAll(async () => {
    await platform?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    const phones = ["+15551230001", "+15551230002", "+15551230003"];
    shop = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones });
    platform.script((_, response) => refuse(response, 401, 190));
    platform.sends.splice(0);
  });

  const codes = async (eventId: unknown) => {
    const rows = await database.sql<{ code: string | null }[]>`
    select error_code as code from notification where event_id = ${String(eventId)} order by position`;
    return rows.map(({ code }) => code);
  };
  const stopOf = async () => database.sql`select stopped_code, probe_after from platform_account where account_id = ${shop.accountId}`;

  it("an account that the platform refuses is not asked for again, and says so in its log", async () => {
    await using gateway = await openGateway(database.url, platform.url);
    const refused = await postEvent(gateway, shop);
    expect(refused.json).toMatchObject({ chat: "failed", recipients_failed: 3 });
    expect(await codes(refused.json["event_id"])).toEqual(["190", "190", "190"]);
    expect(await stopOf()).toMatchObject([{ stopped_code: "190", probe_after: expect.any(Date) }]);
    const paused = await postEvent(gateway, shop);
    expect(paused.json).toMatchObject({ chat: "failed", recipients_failed: 3 });
    expect(await codes(paused.json["event_id"])).toEqual(Array<string>(3).fill("account_stopped"));
    const [row] =
      await database.sql`select error_reason, local_failure from notification where event_id = ${String(paused.json["event_id"])}`;
    expect(row).toEqual({
      error_reason: "WhatsApp refuses this account now. See the reason under Settings › WhatsApp. Then resend.",
      local_failure: true,
    });
    expect(platform.sends).toHaveLength(3);
  });
});

describe("account pause", () => {
  const expired = { code: "190", reason: "The access token has expired." };

  let database: TestDatabase;
  let site: SiteConfig;
  /** Monotonic ms. */
  let time: number;
  let lines: [string, object, string][];

  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    time = 1_000_000;
    lines = [];
    const { accountId, siteId } = await openShop(database.sql);
    const [row] = await database.sql<{ access_token: string; config_version: string }[]>`
    select access_token, config_version from platform_account p join account a on a.id = p.account_id where a.id = ${accountId}`;
    const credentials = { apiVersion: "v25.0", wabaId: "1001", phoneNumberId: "2001", accessToken: "TOKEN" };
    const platform = {
      credentials,
      accessTokenRecord: row?.access_token ?? "",
      stopped: null,
      limited: null,
      marketingRoute: "messages" as const,
    };
    site = { id: siteId, accountId, accountVersion: row?.config_version ?? "", platform } as SiteConfig;
  });

  const openPause = (sql: Pool = database.sql) => {
    const lineOf = (level: string) => (entry: object, text: string) => void lines.push([level, entry, text]);
    const log = { warn: lineOf("warn"), info: lineOf("info") };
    const clock = { now: () => new Date(), monotonic: () => time };
    return createAccountPause({ sql, clock, log, config: { timeLimits: defaultTimeLimits } } as unknown as GatewayContext);
  };
  const stored = async () => {
    const [row] = await database.sql`
    select stopped_code, stopped_reason, extract(epoch from probe_after - now())::float as probe_in from platform_account
    where account_id = ${site.accountId}`;
    return row;
  };
  const stoppedSite = (probeAt: number): SiteConfig => ({
    ...site,
    platform: site.platform && { ...site.platform, stopped: { waits: false, probeAt } },
  });
  const laterVersion = (known: SiteConfig): SiteConfig => ({ ...known, accountVersion: String(BigInt(known.accountVersion) + 1n) });

  describe("a stop", () => {
    it("that could not be written down is forgotten, so that the next refusal writes it", async () => {
      const ended = connect(database.url);
      await ended.end();
      const pause = openPause(ended);
      await expect(pause.stop(site, expired)).rejects.toThrow("CONNECTION_ENDED");
      expect(await pause.state(site)).toBe("none");
    });

    it("that was ended by a newer configuration counts no more", async () => {
      const pause = openPause();
      await pause.stop(site, expired);
      expect(await pause.state(laterVersion(site))).toBe("none");
      await pause.stop(laterVersion(site), { code: "368", reason: "Another" });
      expect(await stored()).toMatchObject({ stopped_code: "368" });
    });

    it("is remembered for a minute, after which the row says what counts", async () => {
      const pause = openPause();
      await pause.stop(site, expired);
      time += 59_999;
      expect(await pause.state(site)).toBe("paused");
      time += 1;
      expect(await pause.state(site)).toBe("none");
    });

    it("does not touch credentials that have replaced the refused ones, nor an account without any", async () => {
      await database.sql`update platform_account set phone_number_id = '2002' where account_id = ${site.accountId}`;
      await openPause().stop(site, expired);
      await openPause().stop({ ...site, platform: null }, expired);
      expect(await stored()).toMatchObject({ stopped_code: null });
    });
  });

  describe("of a stopped account", () => {
    beforeEach(async () => {
      await database.sql`
      update platform_account set stopped_code = '190', stopped_reason = 'Expired', stopped_at = now(), probe_after = now()
      where account_id = ${site.accountId}`;
    });

    it("nothing is tried before its time, and then one message over all gateways", async () => {
      expect(await openPause().state(stoppedSite(time + 1))).toBe("paused");
      const both = [await openPause().state(stoppedSite(time)), await openPause().state(stoppedSite(time))];
      expect(both).toEqual(["probe", "paused"]);
      expect((await stored())?.["probe_in"]).toBeGreaterThan(50);
    });

    it("a probe that was taken well ends the pause at once", async () => {
      const pause = openPause();
      await pause.resume(stoppedSite(time));
      expect(await stored()).toMatchObject({ stopped_code: null, stopped_reason: null });
      expect(await pause.state(stoppedSite(time))).toBe("none");
      expect(lines).toEqual([["info", { accountId: site.accountId }, "the platform takes the account's messages again"]]);
    });
  });
});
