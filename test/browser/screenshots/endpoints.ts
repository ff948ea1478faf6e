import { messageTypes } from "shared/core/webhook";
import { newId } from "shared/db/ids";
import type { Sql } from "shared/db/statement";
import type { AdminClient } from "../../support/admin.ts";

const addresses = [
  "https://hooks.bean-and-leaf.example/tidings",
  "https://crm.example/in/7f3a",
  "https://old-shop.example/whatsapp",
] as const;

/** Adds endpoints that are well, failing and gone, with their deliveries; answers one delivery that failed. */
export async function addEndpoints(sql: Sql, client: AdminClient, siteId: string): Promise<string> {
  const ids: string[] = [];
  // The deliveries are given up at once: nobody is there to take them.
  for (const url of addresses) {
    const { webhook } = await client.webhooks.create.mutate({ siteId, url, types: [...messageTypes], enabled: false });
    ids.push(webhook.id);
  }
  const [well = "", failing = "", gone = ""] = ids;
  const failed = newId();
  const messages = await sql<{ id: string; event_id: string }[]>`
    select id, event_id from notification where site_id = ${siteId} and status = 'read' order by id desc limit 12`;
  for (const { id, event_id } of messages)
    await insert(sql, { siteId, webhookId: well, id: newId(), message: id, eventId: event_id, code: 204 });
  for (const [index, { id, event_id }] of messages.slice(0, 3).entries())
    await insert(sql, {
      siteId,
      webhookId: failing,
      id: index === 0 ? failed : newId(),
      message: id,
      eventId: event_id,
      code: index === 1 ? null : 503,
    });
  await sql`update webhook set enabled = true where id = ${well}`;
  await sql`update webhook set enabled = true, failing_since = now() - interval '3 hours' where id = ${failing}`;
  await sql`update webhook set disabled_because = 'gone' where id = ${gone}`;
  return failed;
}

interface Told {
  siteId: string;
  webhookId: string;
  id: string;
  message: string;
  eventId: string;
  /** The answer's code: 204 for a delivery that arrived; null: nobody answered. */
  code: number | null;
}

async function insert(sql: Sql, { siteId, webhookId, id, message, eventId, code }: Told): Promise<void> {
  const error = code === 204 ? null : code === null ? "timeout" : "refused";
  const minutesAgo = error === null ? [1] : [480, 479, 474, 440, 320, 20];
  const tries = minutesAgo.map((minutes, index) => ({
    at: new Date(Date.now() - minutes * 60_000).toISOString(),
    ms: code === null ? 15_003 : 38 + index * 7,
    statusCode: code,
    error,
  }));
  const body = code === 204 ? "" : '{"error":"Down for maintenance until Monday"}';
  const answer = code === null ? null : JSON.stringify({ head: "server: nginx\ncontent-type: application/json", body, isCut: false });
  await sql`
    insert into webhook_delivery (id, webhook_id, type, site_id, event_id, notification_id, occurred_at, status, due_at, attempts, failures,
      last_status_code, last_error, tries, answer)
    values (${id}, ${webhookId}, 'message.read', ${siteId}, ${eventId}, ${message}, now(), ${error === null ? "delivered" : code === null ? "pending" : "failed"},
      now() + interval '5 hours', ${tries.length}, ${error === null ? 0 : tries.length}, ${code}, ${error}, ${JSON.stringify(tries)}::text::jsonb, ${answer})`;
}
