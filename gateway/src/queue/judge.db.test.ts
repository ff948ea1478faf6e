import { recordOptOuts } from "shared/db/opt-out";
import { deleteSite } from "shared/db/site";
import { inTransaction } from "shared/db/statement";
import { newDataKey } from "shared/sealing/account-rows";
import { expect, it, vi } from "vitest";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openShop, type Shop, vault } from "../../../test/support/gateway.ts";
import { postEvent } from "../../../test/support/requests.ts";

const world = gatewayWorld({ dueMs: 20 });

const phone = "+15551230001";
const fall = async ({ siteId, accountId }: Shop) => {
  await world.sql`update waiting_message set due_at = now(), queued_at = now() where site_id = ${siteId}`;
  await world.sql`update recipient_turn set due_at = now() where account_id = ${accountId}`;
};

it.each(["{broken", "null", "{}", '"text"'])(
  "a message whose stored content is %s fails alone: those beside it leave",
  async (components) => {
    const shop = await openShop(world.sql, { schedule: { delaySeconds: 3600 } });
    for (const n of [1, 2, 3]) await postEvent(world.gateway, shop, { customer: { first_name: "Ada", phone_e164: `+1555123000${n}` } });
    await world.sql`update notification set components = ${components} where site_id = ${shop.siteId} and to_phone = '+15551230002'`;
    await fall(shop);
    const logged = async () => [
      ...(await world.sql`select status, error_code, error_reason from notification where site_id = ${shop.siteId} order by to_phone`),
    ];
    await vi.waitFor(
      async () =>
        expect(await logged()).toMatchObject([
          { status: "sent" },
          { status: "failed", error_code: "interrupted", error_reason: expect.stringMatching(/cannot be read.*Post the event again\.$/u) },
          { status: "sent" },
        ]),
      { timeout: 20_000 },
    );
  },
);

it.each<[string, (shop: Shop) => Promise<unknown>, object]>([
  [
    "its recipient has opted out",
    async ({ accountId }) =>
      recordOptOuts(world.sql, vault, accountId, [
        { phone, scope: "all", source: "callback", code: "130403", active: true, at: new Date() },
      ]),
    { status: "failed", error_code: "recipient_opted_out" },
  ],
  [
    "its template is rejected",
    async ({ templateId }) => world.sql`update template set status = 'rejected' where id = ${templateId}`,
    { status: "failed", error_code: "template_not_approved" },
  ],
  [
    "its account begins to encrypt: what was written before is read all the same",
    async ({ accountId }) => {
      const key = newDataKey((text, at) => vault.seal(text, at), accountId);
      await world.sql`update account set encrypt_payloads = true, data_key = ${key} where id = ${accountId}`;
    },
    { status: "sent", error_code: null },
  ],
  [
    "its site is deleted",
    async ({ accountId, siteId }) => inTransaction(world.sql, (sql) => deleteSite(sql, accountId, siteId)),
    { status: "cancelled", error_code: "site_deleted" },
  ],
  [
    "the site's secret and key are others",
    async ({ siteId, secretId }) => {
      await world.sql`update site_secret set expires_at = now() where id = ${secretId}`;
      await world.sql`delete from site_secret where site_id = ${siteId} and kind = 'api_key'`;
    },
    { status: "sent", error_code: null },
  ],
  [
    "the account's time zone is another: its time is settled",
    async ({ accountId }) => world.sql`update account set timezone = 'Pacific/Auckland' where id = ${accountId}`,
    { status: "sent", error_code: null },
  ],
])("a message that is due when %s", async (_, change, expected) => {
  const shop = await openShop(world.sql, {
    schedule: { delaySeconds: 3600, window: { days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "24:00" } },
  });
  await postEvent(world.gateway, shop, { customer: { first_name: "Ada", phone_e164: phone } });
  const logged = async () => [...(await world.sql`select status, error_code, due_at from notification where site_id = ${shop.siteId}`)];
  const [before] = await logged();
  expect(before).toMatchObject({ status: "scheduled" });
  await change(shop);
  await fall(shop);
  await vi.waitFor(async () => expect(await world.sql`select from waiting_message where site_id = ${shop.siteId}`).toEqual([]), {
    timeout: 20_000,
  });
  expect(await logged()).toEqual([expect.objectContaining({ ...expected, due_at: before?.["due_at"] })]);
});

it.each([
  ["of the queue", { delaySeconds: 3600 }],
  ["of an event that is answered", null],
])("past the number's limit only marketing %s waits, until the limit is read again", async (_, schedule) => {
  const shop = await openShop(world.sql, schedule === null ? {} : { schedule });
  const { accountId, siteId, templateId } = shop;
  await world.sql`update platform_health set full_until = now() + interval '10 minutes' where account_id = ${accountId}`;
  await world.sql`update template set category = 'MARKETING' where id = ${templateId}`;
  const posted = await postEvent(world.gateway, shop, { customer: { first_name: "Ada", phone_e164: phone } });
  expect(posted.json).toMatchObject({ chat: schedule === null ? "failed" : "scheduled" });
  if (schedule !== null) await fall(shop);
  const waits = async () => {
    const [row] = await world.sql<{ seconds: number | null; status: string }[]>`
      select n.status, extract(epoch from w.due_at - now())::integer as seconds
      from notification n left join waiting_message w on w.id = n.id and w.owner is null where n.site_id = ${siteId}`;
    return row;
  };
  await vi.waitFor(async () => expect((await waits())?.seconds).toBeGreaterThan(500), { timeout: 20_000 });
  expect((await waits())?.status).toBe("queued");
  if (schedule === null) await world.sql`update platform_health set full_until = null where account_id = ${accountId}`;
  else {
    await world.sql`update template set category = 'UTILITY' where id = ${templateId}`;
    await fall(shop);
  }
  await vi.waitFor(async () => expect((await waits())?.status).toBe("sent"), { timeout: 20_000 });
});
