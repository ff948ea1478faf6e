import type { Schedule } from "shared/core/schedule/schedule";
import { newId } from "shared/db/ids";
import type { Sql } from "shared/db/statement";
import { expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { openShop, vault } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import type { GatewayContext } from "../context.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createSiteDirectory } from "./sites.ts";

const database = shared(async () => testDatabase());

const directoryOf = (sql: unknown) => createSiteDirectory({ sql, vault, config: { timeLimits: defaultTimeLimits } } as GatewayContext);

it("a site's bindings come with their schedules, in the account's time, and disabled ones still cancel what waits", async () => {
  const { sql } = database;
  const shop = await openShop(sql);
  const directory = directoryOf(sql);
  const plain = await directory.refresh(shop.siteId);
  expect([plain?.bindings.get("order.created")?.[0]?.schedule, plain?.cancelRules.size]).toEqual([null, 0]);

  await sql`update account set timezone = 'Asia/Kathmandu' where id = ${shop.accountId}`;
  const window = { days: [1, 2, 3, 4, 5, 6, 7], from: "12:00", to: "13:00" };
  const schedule: Schedule = { window, cancelOn: { events: ["order.created", "order.paid"], by: "cart.id" } };
  await sql`update binding set schedule = ${sql.json(schedule)} where id = ${shop.bindingId}`;
  const other = newId();
  await sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map, enabled, schedule)
    select ${other}, site_id, 'cart.left', template_id, recipient, variable_map, false, ${sql.json({ cancelOn: { events: ["order.paid"], by: "id" } })}
    from binding where id = ${shop.bindingId}`;
  const site = await directory.refresh(shop.siteId);
  const timing = site?.bindings.get("order.created")?.[0]?.schedule?.({ cart: { id: 7.5 } }, new Date("2026-11-20T00:00:00Z"));
  expect(timing).toEqual({ dueAt: new Date("2026-11-20T06:15:00Z"), expiresAt: null, cancelBy: "7.5", restartBy: null });
  expect(site?.bindings.has("cart.left")).toBe(false);

  const keysOf = (event: string) =>
    site?.cancelRules.get(event)?.map(({ bindingId, keyOf }) => [bindingId, keyOf({ cart: { id: "7.50" } })]);
  expect(keysOf("order.created")).toEqual([[shop.bindingId, "7.5"]]);
  expect(keysOf("order.paid")).toEqual([
    [shop.bindingId, "7.5"],
    [other, null],
  ]);
  expect(keysOf("cart.left")).toBeUndefined();
});

it("inbound addresses are found, a flood of guesses by few statements, and a replaced one no longer", async () => {
  const { sql } = database;
  const { siteId } = await openShop(sql);
  let statements = 0;
  const counted = Object.assign((...given: Parameters<Sql>) => {
    statements += 1;
    return sql(...given);
  }, sql) as Sql;
  const directory = directoryOf(counted);
  const [site] = await sql<[{ token: string }]>`select inbound_token as token from site where id = ${siteId}`;
  const guesses = await Promise.all(Array.from({ length: 2_000 }, (_, n) => directory.refreshToken(`guess-${n}`)));
  expect([new Set(guesses), statements]).toEqual([new Set([null]), 2]);
  expect(directory.peekToken(site.token)).toBeUndefined();
  expect(await directory.refreshToken(site.token)).toMatchObject({ id: siteId, inbound: { sourceType: "generic", isConnected: false } });
  expect(directory.peekToken(site.token)?.id).toBe(siteId);
  await sql`update site set inbound_token = default where id = ${siteId}`;
  await directory.refresh(siteId);
  expect(directory.peekToken(site.token)).toBeUndefined();
  expect(await directory.refreshToken(site.token)).toBeNull();
});

it("counts an admitted request once against its site's limit, and asks for several in one statement", async () => {
  const asked: object[][] = [];
  const sql = async (_: TemplateStringsArray, wanted: string) => {
    asked.push(JSON.parse(wanted) as object[]);
    return Promise.resolve([{ site_id: "s", granted: 1 }]);
  };
  const { admits } = directoryOf(sql);
  const [first, second] = [{}, {}];
  const of = async (...requests: object[]) => Promise.all(requests.map((one) => admits({ id: "s", rateLimitPerSecond: 1 }, one)));
  expect(await of(first, second)).toEqual([true, false]);
  expect(await of(first)).toEqual([true]);
  expect(asked).toEqual([[{ site_id: "s", allowed: 1, wanted: 2 }]]);
});
