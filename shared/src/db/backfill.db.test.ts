import { expect, test } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { openShop } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import { type BackfillRow, findMissedEvents, readAhead } from "./backfill.ts";
import { newId } from "./ids.ts";
import { firstId } from "./statement.ts";
import { insertTurns } from "./waiting/turns.ts";

const database = shared(async () => testDatabase());

test("a search for missed events goes on where it ended, beyond thousands that the binding has had", async () => {
  const { sql } = database;
  const { siteId, accountId, bindingId, templateId } = await openShop(sql);
  const made = await sql<{ id: string }[]>`
    with made as (
      insert into event (id, site_id, source, name, test, dry_run, bindings_run)
      select uuid_at(now() - make_interval(secs => n)), ${siteId}, 'generic', 'order.created', false, false, 1 from generate_series(1, 5000) n returning id
    ), ordered as (
      select id, row_number() over (order by id) as n from made
    ), had as (
      insert into notification (id, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status, components, event)
      select id, ${siteId}, ${accountId}, id, ${bindingId}, ${templateId}, 'shipped', 'en_US', '+15550000001', 0, 'sent', '[]', 'order.created' from ordered where n % 2500 > 0
    )
    select id from ordered where n % 2500 = 0 order by id`;
  const missed = made.map(({ id }) => id);
  expect(missed).toHaveLength(2);
  const span = {
    site_id: siteId,
    binding_id: bindingId,
    event: "order.created",
    above: firstId,
    below: "ffffffff-ffff-7fff-bfff-ffffffffffff",
  };
  const found: string[] = [];
  for (let after: string | null = firstId; after !== null;) {
    const { ids, searchedTo } = await findMissedEvents(sql, span, { after, limit: 1 });
    found.push(...ids);
    after = searchedTo;
  }
  expect(found).toEqual(missed);
  expect(await findMissedEvents(sql, { ...span, above: missed[1] ?? "" }, { after: firstId, limit: 10 })).toEqual({
    ids: [missed[1]],
    searchedTo: null,
  });
});

test("a line of messages for one phone is one before a backfill, its binding's own messages are all", async () => {
  const { sql } = database;
  const { siteId: site_id, accountId: account_id, bindingId: binding_id } = await openShop(sql);
  const wait = (phone: string, binding: string) => sql`
    with waiting as (
      insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
      select ${site_id}, gen_random_uuid(), ${account_id}, gen_random_uuid(), ${binding}, ${phone}, now(), now() from generate_series(1, 5) returning account_id, phone_hash, site_id, due_at
    ) ${sql.unsafe(insertTurns("waiting"))}`;
  const ahead = async () => (await readAhead(sql, { account_id, site_id, binding_id } as BackfillRow))?.ahead;
  await wait("staff", newId());
  expect(await ahead()).toBe(1);
  await wait("customer", binding_id);
  expect(await ahead()).toBe(7);
  await sql`update recipient_turn set due_at = now() + interval '6 seconds' where account_id = ${account_id}`;
  expect(await ahead()).toBe(5);
  await sql`update site set hold_messages = true where id = ${site_id}`;
  expect(await ahead()).toBe(0);
});
