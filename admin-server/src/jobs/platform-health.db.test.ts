import { expect, test } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../../test/support/admin-shops.ts";
import { openAdmin } from "../../../test/support/admin.ts";
import { answeringServer } from "../../../test/support/platform.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

const number = { id: "106", display_phone_number: "+49 30 123456", status: "CONNECTED", quality_rating: "GREEN" };
const account = { id: "102", account_review_status: "APPROVED", data: [{ id: "106" }] };

test(
  "the connection is checked when it is due; the people of the day are counted, near the limit more often",
  { timeout: 60_000 },
  async () => {
    let [limit, isRefused] = ["TIER_50", false];
    const refused = { status: 401, json: { error: { code: 190, type: "OAuthException", message: "The token has expired" } } };
    await using platform = await answeringServer(({ path }) => {
      if (!path.endsWith("/106")) return { json: account };
      return isRefused ? refused : { json: { ...number, whatsapp_business_manager_messaging_limit: limit } };
    });
    await using admin = await openAdmin({ platformUrl: platform.url }, { longestPauseMs: 50 });
    const { sql } = admin;
    const { client: api } = await admin.signUp();
    const { site } = await api.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
    await api.settings.update.mutate({ platform: { wabaId: "102", phoneNumberId: "106", accessToken: "EAA" } });
    const [{ id: accountId } = { id: "" }] = await sql<{ id: string }[]>`select account_id as id from site where id = ${site.id}`;
    const run = async () => {
      await sql`update platform_health set due_at = now(), checked_at = null where account_id = ${accountId}`;
      await waitFor("the check", async () => {
        const [row] = await sql`select from platform_health where account_id = ${accountId} and checked_at is not null and owner is null`;
        return row !== undefined;
      });
      const [row] = await sql<{ next: number; full: number | null }[]>`
      select extract(epoch from due_at - now())::integer as next, extract(epoch from full_until - now())::integer as full
      from platform_health where account_id = ${accountId}`;
      return row;
    };
    expect((await run())?.next).toBeGreaterThan(86_000);
    const { platform: shown } = await api.settings.get.query();
    expect(shown).toMatchObject({ health: { quality: "GREEN", limit: "TIER_50" }, people: { reached: 0, limit: 50 } });
    expect(shown.checks.find(({ check }) => check === "callbacks")?.state).toBe("warning");

    // A good check ends a stop whose end has come, and no other.
    const stop = async (end: Date) => {
      await sql`update platform_account set stopped_code = 'DISABLE', stopped_reason = '', stopped_at = now(), stop_waits = true,
        stopped_until = ${end}, probe_after = ${end} where account_id = ${accountId}`;
      return await run();
    };
    expect((await stop(new Date(Date.now() + 3_600_000)))?.next).toBeLessThan(3_601);
    expect((await api.settings.get.query()).platform.problem).toMatchObject({ code: "DISABLE" });
    isRefused = true;
    expect((await stop(new Date()))?.next).toBeLessThan(61);
    expect((await api.settings.get.query()).platform.problem).toMatchObject({
      code: "DISABLE",
      reason: expect.stringContaining("The token has expired"),
    });
    isRefused = false;
    await run();
    expect((await api.settings.get.query()).platform.problem).toBeNull();

    const eventId = await insertEvent(sql, site.id);
    const reach = async (from: number, to: number, more: object = {}) => {
      for (let n = from; n < to; n += 1) {
        const to_phone = `+49155501${String(n).padStart(5, "0")}`;
        await insertNotification(
          sql,
          { accountId, siteId: site.id, eventId },
          { id: idAt(Date.now()), to_phone, sent_at: new Date(), ...more },
        );
      }
      await sql`update platform_health set people_at = null`;
    };
    const kinds = async () => (await api.problems.list.query({ state: "open" })).items.map(({ kind }) => kind);
    await reach(0, 39);
    await reach(0, 10);
    await reach(90, 99, { status: "failed" });
    expect((await api.settings.get.query()).platform.people).toEqual({ reached: 39, more: false, limit: 50 });
    // A reminder that was made days ago and left today.
    await reach(40, 41, { id: idAt(Date.now() - 5 * 86_400_000), due_at: new Date(Date.now() - 1000) });
    expect((await run())?.next).toBeLessThan(601);
    await waitFor("the problem", async () => (await kinds()).includes("number_limit"));

    await reach(50, 60);
    expect((await run())?.full).toBeGreaterThan(590);
    limit = "TIER_250";
    expect(await run()).toMatchObject({ full: null });
    await waitFor("the end of the problem", async () => !(await kinds()).includes("number_limit"));
  },
);
