import { randomBytes } from "node:crypto";
import { uuidv7 } from "shared/core/uuid";
import type { Sql } from "shared/db/connect";

/** An id that carries the instant. */
export const idAt = (time: string | number): string => uuidv7(new Date(time).getTime(), randomBytes(10));

/** Writes an event as a gateway would have; answers its id. */
export async function insertEvent(
  sql: Sql,
  siteId: string,
  columns: Record<string, string | number | boolean | null> = {},
): Promise<string> {
  const id = typeof columns["id"] === "string" ? columns["id"] : idAt(Date.now());
  const { payload = "{}", trace = null, ...given } = columns;
  const row = { source: "generic", name: "order.created", test: false, dry_run: false, bindings_run: 1, chat: "sent", ...given };
  await sql`insert into event ${sql({ ...row, site_id: siteId, id })}`;
  await sql`insert into event_payload ${sql({ site_id: siteId, id, payload, trace })}`;
  return id;
}

/** Writes a message as a gateway would have; answers its id. */
export async function insertNotification(
  sql: Sql,
  at: { accountId: string; siteId: string; eventId: string },
  columns: Record<string, string | number | boolean | Date | null> = {},
): Promise<string> {
  const id = typeof columns["id"] === "string" ? columns["id"] : idAt(Date.now());
  const [event] = await sql<{ name: string }[]>`select name from event where site_id = ${at.siteId} and id = ${at.eventId}`;
  const row = {
    event: event?.name ?? "",
    error_code: columns["status"] === "failed" ? "131026" : null,
    binding_id: "019aa000-0000-7000-8000-0000000000b1",
    template_id: "019aa000-0000-7000-8000-0000000000b2",
    template: "order_created",
    language: "en",
    to_phone: "+491701234567",
    position: 0,
    status: "sent",
    components: "[]",
    ...columns,
  };
  await sql`insert into notification ${sql({ ...row, id, account_id: at.accountId, site_id: at.siteId, event_id: at.eventId })}`;
  return id;
}
