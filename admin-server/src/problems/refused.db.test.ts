import type { SourceType } from "shared/core/site";
import { deleteRefusedRequests, addRefusedRequests, type RefusedRequestRow } from "shared/db/refused-request";
import { addProvenRequests } from "shared/db/site-proven";
import { beforeEach, expect, it } from "vitest";
import { idAt } from "../../../test/support/admin-shops.ts";
import type { AdminClient } from "../../../test/support/admin.ts";
import { openAlertWorld } from "../../../test/support/alert-world.ts";
import { shared } from "../../../test/support/shared.ts";

// Alerts of a site's requests that do not prove who sends them.

const minuteMs = 60_000;

const world = shared(async () => openAlertWorld());

let client: AdminClient;
let accountId: string;
beforeEach(async () => {
  // Alerts of other tests must not be found here.
  await world.forgetOthers();
  client = (await world.admin.signUp()).client;
  accountId = (await client.auth.me.query()).account.id;
});

const current = async () => (await client.problems.list.query({ state: "open" })).items;
const titles = async () => (await current()).map(({ title }) => title);
const addHook = () => client.alerts.addChannel.mutate({ kind: "webhook", url: world.receiver.url });
/** The alerts that the account's webhook was told, in order. */
const told = async () => {
  await world.settled();
  return world.receiver.received.flatMap(({ json }) =>
    json["account_id"] === accountId ? [`${String(json["type"])} ${String(json["condition"])}`] : [],
  );
};
const shop = async (sourceType: SourceType): Promise<string> =>
  (await client.sites.create.mutate({ name: "Tea", url: "https://tea.example", sourceType })).site.id;
/** So many requests at that time, a tenth of a second apart. */
const refuse = async (site: string, count: number, minutesAgo: number, changes: Partial<RefusedRequestRow> = {}) => {
  const of = { site_id: site, because: "invalid_signature", event: "", bytes: 1, sha256: null, start: null, skipped: 0 } as const;
  const headers = { "x-wc-webhook-signature": "abc…", "x-shopify-hmac-sha256": "abc…" };
  const rows = Array.from({ length: count }, (_, n) => ({
    ...of,
    headers,
    id: idAt(Date.now() - minutesAgo * minuteMs + n * 100),
    ...changes,
  }));
  await addRefusedRequests(world.admin.sql, rows);
};
const prove = (site: string, requests: number, minutesAgo: number) =>
  addProvenRequests(world.admin.sql, [{ site_id: site, requests, last_at: new Date(Date.now() - minutesAgo * minuteMs) }]);
const raised = ["alert.raised requests_refused"];
const once = [...raised, "alert.cleared requests_refused"];

it("refused requests are told of once, in the words of the shop's own pages, until a valid one comes", async () => {
  await addHook();
  const site = await shop("woocommerce");
  await refuse(site, 1, 3);
  await world.look();
  // The page of a site that is being connected shows it from the first one on.
  expect([(await current()).map(({ count }) => count), await told()]).toEqual([[1], []]);
  await refuse(site, 3, 3);
  await world.look();
  expect(await told()).toEqual([]);
  await refuse(site, 5, 2);
  await world.look();
  await world.look();
  expect(await current()).toMatchObject([
    {
      kind: "requests_refused",
      subject: site,
      siteId: site,
      count: 9,
      title: "Requests to Tea are refused: The secret in WooCommerce › Settings › Advanced › Webhooks is not this one",
      actions: [{ kind: "connect", path: `/sites/${site}` }],
      path: `/sites/${site}`,
      detail: { count: 9, more: false, because: "invalid_signature" },
    },
  ]);
  // Nothing comes for a while, which mends nothing.
  await world.admin
    .sql`update refused_request set id = (left(uuid_at(uuid_time(id) - interval '2 hours')::text, 14) || substr(id::text, 15))::uuid`;
  await world.look();
  // Nor does it mend anything that they are deleted with a person's data.
  await deleteRefusedRequests(world.admin.sql, site, null);
  await world.look();
  expect(await told()).toEqual(raised);
  await prove(site, 1, 0);
  await world.look();
  await world.look();
  expect([await titles(), await told()]).toEqual([[], once]);
});

it("refused requests count anew once somebody has resolved them", async () => {
  const site = await shop("woocommerce");
  for (const _time of ["first", "second"]) {
    await refuse(site, 1, 0);
    await world.look();
    const [found] = await current();
    expect(found).toMatchObject({ count: 1 });
    await client.problems.resolve.mutate({ id: found?.id ?? "" });
    await world.look();
    expect(await current()).toEqual([]);
  }
});

it("refused requests are told of when three came over an hour and none was valid", async () => {
  const site = await shop("shopify");
  await prove(site, 1, 200);
  await refuse(site, 2, 90);
  await world.look();
  expect(await titles()).toEqual([]);
  await refuse(site, 1, 20);
  await world.look();
  expect(await titles()).toEqual([
    "Requests to Tea are refused: No secret of Shopify is saved here, so no request of the shop can be valid",
  ]);
  const words = async () => (await client.sites.refused.query({ siteId: site })).items[0]?.text;
  expect(await words()).toMatch(/^No secret of Shopify is saved here/);
  await client.sites.update.mutate({ id: site, sourceSecret: "shpss_0123456789abcdef" });
  expect(await words()).toMatch(/is not the one that is saved here/);
  await world.look();
  expect(await titles()).toEqual([
    "Requests to Tea are refused: The secret in Shopify › Settings › Notifications › Webhooks is not the one that is saved here",
  ]);
});

it("refused requests are not told of a healthy shop to which anybody posts, nor for what no shop sends", async () => {
  await addHook();
  const [healthy, quiet] = [await shop("woocommerce"), await shop("woocommerce")];
  await prove(healthy, 60, 4);
  await refuse(healthy, 60, 3);
  await refuse(quiet, 100, 3, { headers: { "user-agent": "curl" } });
  await refuse(quiet, 100, 3, { because: "body_too_large" });
  await refuse(quiet, 1, 150, { headers: {} });
  await world.look();
  // Who looks is shown what was refused since the last valid request.
  expect([(await current()).map(({ siteId }) => siteId), await told()]).toEqual([[healthy], []]);
});

it("refused requests that come between valid ones are told of while they are most, and not again and again", async () => {
  await addHook();
  const site = await shop("generic");
  await refuse(site, 6, 9);
  await prove(site, 4, 7);
  await refuse(site, 3, 5);
  await prove(site, 1, 4);
  await world.look();
  expect(await told()).toEqual(raised);
  await world.look();
  expect(await titles()).toHaveLength(1);
  await prove(site, 5, 3);
  await world.look();
  expect(await told()).toEqual(once);
  await refuse(site, 4, 2);
  await world.look();
  expect(await told()).toEqual(once);
  await refuse(site, 1, 1);
  await world.look();
  expect(await told()).toEqual([...once, ...raised]);
});
