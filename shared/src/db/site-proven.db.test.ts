import { expect, it } from "vitest";
import { idAt } from "../../../test/support/admin-shops.ts";
import { planOf, testDatabase } from "../../../test/support/database.ts";
import { shared } from "../../../test/support/shared.ts";
import { openPostingShop } from "../../../test/support/shop-requests.ts";
import type { SourceType } from "../core/site.ts";
import { addRefusedRequests, type RefusedRequestRow } from "./refused-request.ts";
import { addProvenRequests, readProofs } from "./site-proven.ts";

const database = shared(async () => testDatabase());

const minuteMs = 60_000;

async function openSite(sourceType: SourceType) {
  const { sql } = database;
  const { siteId, accountId } = await openPostingShop(sql, sourceType);
  const at = (minutes: number) => Date.now() - minutes * minuteMs;
  return {
    siteId,
    accountId,
    refuse: (minutes: number, changes: Partial<RefusedRequestRow> = {}) =>
      addRefusedRequests(sql, [
        {
          site_id: siteId,
          id: idAt(at(minutes)),
          because: "invalid_signature",
          event: "e",
          headers: { "x-wc-webhook-signature": "abc…" },
          bytes: 1,
          sha256: "0",
          start: "x",
          skipped: 0,
          ...changes,
        },
      ]),
    prove: (minutes: number, requests = 1) => addProvenRequests(sql, [{ site_id: siteId, requests, last_at: new Date(at(minutes)) }]),
    read: async () => (await readProofs(sql, accountId))[0],
  };
}

it("refused requests count since the last valid one, and of ten minutes, with those that came too fast to be listed", async () => {
  const { siteId, refuse, prove, read } = await openSite("woocommerce");
  expect(await read()).toBeUndefined();
  await refuse(300);
  await refuse(90);
  await refuse(8, { skipped: 4 });
  expect(await read()).toMatchObject({
    siteId,
    validAt: null,
    refused: 5,
    valid: 0,
    between: 0,
    since: 7,
    more: false,
    endedLately: false,
  });
  await prove(100, 7);
  expect(await read()).toMatchObject({ refused: 5, valid: 0, since: 6 });
  await prove(5, 3);
  await refuse(3, { headers: { "x-service-signature": "abc…" } });
  expect(await read()).toMatchObject({ refused: 6, valid: 3, between: 3, since: 1, headers: { "x-service-signature": "abc…" } });
  await prove(1, 2);
  expect(await read()).toMatchObject({ refused: 6, valid: 5, between: 3, since: 0 });
});

it("only what fails its proof counts, and of a shop that always signs nothing that is not signed", async () => {
  const woo = await openSite("woocommerce");
  await woo.refuse(2, { headers: { "user-agent": "curl" } });
  for (const because of ["site_disabled", "rate_limited", "malformed_json", "body_too_large", "secret_unreadable"] as const)
    await woo.refuse(2, { because });
  expect(await woo.read()).toBeUndefined();
  const generic = await openSite("generic");
  await generic.refuse(2, { headers: {} });
  await generic.refuse(1, { because: "stale_timestamp" });
  expect(await generic.read()).toMatchObject({ refused: 2, since: 2, because: "stale_timestamp" });
});

it("a site that was deleted is not told of, nor one that is long healthy again, and a flood is counted as far as it is listed", async () => {
  const { accountId, siteId, refuse, prove, read } = await openSite("generic");
  const rows = Array.from({ length: 1_000 }, (_, n) => refuse(5 - n / 1_000));
  await Promise.all(rows);
  expect(await read()).toMatchObject({ refused: 1_000, more: true });
  const plan = await planOf(database.sql, readProofs(database.sql, accountId));
  expect(plan.scanned).toEqual([]);
  await database.sql`update refused_request set id = (left(uuid_at(now() - interval '20 minutes')::text, 14) || substr(id::text, 15))::uuid where site_id = ${siteId}`;
  await prove(15);
  expect(await read()).toBeUndefined();
  await refuse(1);
  await database.sql`update site set deleted_at = now() where id = ${siteId}`;
  expect(await read()).toBeUndefined();
});
