import { describe, expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { insertNotifications, openGateway, openShop } from "../../../test/support/gateway.ts";
import { openCallbacks, postUpdates } from "../../../test/support/requests.ts";
import { shared } from "../../../test/support/shared.ts";

const at = shared(async () => openCallbacks());

describe("a callback", () => {
  it("keeps the platform's error", async () => {
    const [row] = await insertNotifications(at.database.sql, at.shop, [{ status: "sent" }]);
    const errors = [
      { code: 131026, title: "Message undeliverable", message: "Message undeliverable", error_data: { details: "Not on it." } },
    ];
    await postUpdates(at.gateway, at.shop, [
      { id: "wamid.f", status: "failed", timestamp: "1790000042", biz_opaque_callback_data: row?.reference, errors },
    ]);
    const [stored] = await at.database
      .sql`select status, error_code, error_reason, error_detail, failed_at from notification where id = ${row?.id ?? ""}`;
    expect(stored).toEqual({
      status: "failed",
      error_code: "131026",
      error_reason: "Message undeliverable: Not on it.",
      error_detail: JSON.stringify(errors),
      failed_at: new Date(1790000042000),
    });
  });

  it("that collides with others of the same messages waits its turn: none is lost, none fails", async () => {
    const rows = await insertNotifications(
      at.database.sql,
      at.shop,
      Array.from({ length: 200 }, () => ({ status: "sending" as const })),
    );
    const updates = rows.map(({ reference }, i) => ({
      id: `wamid.c${i}`,
      status: "sent",
      timestamp: "1790000000",
      biz_opaque_callback_data: reference,
    }));
    const calls = ["sent", "delivered", "read", "failed"].flatMap((status) =>
      [updates, updates.toReversed()].map((list) => list.map((update) => ({ ...update, status }))),
    );
    const responses = await Promise.all([...calls, ...calls].map(async (list) => postUpdates(at.gateway, at.shop, list)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const counts = await at.database.sql`
      select status, count(*)::integer as n from notification where id = any(${rows.map(({ id }) => id)}::uuid[]) group by status`;
    expect(counts).toEqual([{ status: "read", n: 200 }]);
  });

  it("is noted once a minute, when it carries statuses", async () => {
    const other = await openShop(at.database.sql);
    const lastAt = async (): Promise<Date | undefined> =>
      (await at.database.sql<{ last_at: Date }[]>`select last_at from platform_callback where account_id = ${other.accountId}`)[0]?.last_at;
    const status = { id: "wamid.x", status: "sent", timestamp: "1790000000" };
    await postUpdates(at.gateway, other, []);
    expect(await lastAt()).toBeUndefined();
    await postUpdates(at.gateway, other, [status]);
    const first = await lastAt();
    expect(first).toBeInstanceOf(Date);
    await postUpdates(at.gateway, other, [status]);
    expect(await lastAt()).toEqual(first);
    await at.database.sql`update platform_callback set last_at = now() - interval '61 seconds' where account_id = ${other.accountId}`;
    await postUpdates(at.gateway, other, [status]);
    expect((await lastAt())?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? Infinity);
  });
});

describe("without a database", () => {
  it("a callback is answered 503, so that the platform sends it again, and then counts", async () => {
    await using away = await testDatabase();
    const there = await openShop(away.sql);
    const [row] = await insertNotifications(away.sql, there, [{ status: "sent" }]);
    await using other = await openGateway(away.url, "http://127.0.0.1:9");
    const name = new URL(away.url).pathname.slice(1);
    const close = async (allowed: boolean): Promise<unknown> =>
      at.database.owner`alter database ${at.database.owner(name)} with allow_connections ${at.database.owner.unsafe(String(allowed))}`;
    const status = { id: "wamid.a", status: "read", timestamp: "1790000000", biz_opaque_callback_data: row?.reference };
    await close(false);
    await at.database.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    const refused = await postUpdates(other, there, [status]);
    expect([refused.status, await refused.json()]).toEqual([503, { error: "Database unavailable" }]);
    expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    await close(true);
    await expect.poll(async () => (await postUpdates(other, there, [status])).status, { timeout: 20_000 }).toBe(200);
    expect(await away.sql`select status from notification where id = ${row?.id ?? ""}`).toEqual([{ status: "read" }]);
  });
});

describe("a failure that lies with the account", () => {
  const fail = async (failedAt: Date): Promise<string | null> => {
    const other = await openShop(at.database.sql);
    const [row] = await insertNotifications(at.database.sql, other, [{ status: "sent" }]);
    const timestamp = String(Math.floor(failedAt.getTime() / 1000));
    await postUpdates(at.gateway, other, [
      {
        id: "wamid.p",
        status: "failed",
        timestamp,
        biz_opaque_callback_data: row?.reference,
        errors: [{ code: 131042, title: "Payment" }],
      },
    ]);
    const [account] = await at.database.sql<
      { stopped_code: string | null }[]
    >`select stopped_code from platform_account where account_id = ${other.accountId}`;
    return account?.stopped_code ?? null;
  };

  it("pauses it", async () => {
    expect(await fail(new Date(Date.now() + 2_000))).toBe("131042");
  });

  it("but not when it is old news", async () => {
    expect(await fail(new Date(Date.now() - 120_000))).toBeNull();
  });
});
