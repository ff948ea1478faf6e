import type { Sql } from "shared/db/connect";
import { inTransaction } from "shared/db/transaction";
import { idAt } from "../../../support/admin/log-rows.ts";
import type { Stack } from "../../open-stack.ts";

interface Place {
  accountId: string;
  siteId: string;
  bindingId: string;
  templateIds: Record<string, string>;
}

const days = 28;
const dayMs = 86_400_000;
const statuses = ["read", "read", "read", "delivered", "delivered", "sent"];
const codes = ["131026", "131026", "131049", "131050", "131056"];

/** Four weeks of messages before today, more of them on workdays and a bad day among them, as gateways would have left them. */
export async function writeHistory(sql: Stack["sql"], place: Place): Promise<void> {
  for (let weeks = days / 7 + 1; weeks >= 0; weeks -= 1) {
    for (const table of ["event", "event_payload", "notification"]) {
      await sql`select make_week_partition(${table}, now() - ${weeks}::integer * interval '7 days')`;
    }
  }
  await inTransaction(sql, async (transaction) => {
    for (let day = days; day > 0; day -= 1) await writeDay(transaction, place, day);
    // Whatever days were counted before are counted anew.
    await transaction`delete from notification_count where site_id = ${place.siteId}`;
    await transaction`delete from notification_day where site_id = ${place.siteId}`;
  });
}

async function writeDay(sql: Sql, { accountId, siteId, bindingId, templateIds }: Place, daysAgo: number): Promise<void> {
  const start = Date.now() - daysAgo * dayMs;
  const isWeekend = [0, 6].includes(new Date(start).getUTCDay());
  const count = (isWeekend ? 14 : 34) + ((daysAgo * 7) % 11);
  const badEach = daysAgo === 5 ? 3 : 17;
  const made = Array.from({ length: count }, (_, n) => {
    const at = start + (n * dayMs * 0.55) / count;
    const hasFailed = (n + daysAgo) % badEach === 0;
    const isShipped = n % 3 === 0;
    return {
      at,
      hasFailed,
      event: isShipped ? "order.shipped" : "order.created",
      template: isShipped ? "order_shipped" : "order_confirmation",
      n,
    };
  });
  const rows = made.map((each) => ({ ...each, eventId: idAt(each.at), id: idAt(each.at) }));
  await sql`insert into event ${sql(
    rows.map(({ eventId, event, hasFailed }) => ({
      id: eventId,
      site_id: siteId,
      source: "woocommerce",
      name: event,
      test: false,
      dry_run: false,
      bindings_run: 1,
      chat: hasFailed ? "failed" : "sent",
      recipients_sent: hasFailed ? 0 : 1,
      recipients_failed: hasFailed ? 1 : 0,
    })),
  )}`;
  await sql`insert into notification ${sql(
    rows.map(({ id, eventId, event, template, hasFailed, at, n }) => ({
      id,
      site_id: siteId,
      account_id: accountId,
      event_id: eventId,
      event,
      binding_id: bindingId,
      template_id: templateIds[template === "order_shipped" ? "shipped" : "confirmation"] ?? "",
      template,
      language: "en_US",
      to_phone: `+49151${String(20_000_000 + daysAgo * 1_000 + n)}`,
      position: 0,
      status: hasFailed ? "failed" : (statuses[n % statuses.length] ?? "sent"),
      components: "[]",
      error_code: hasFailed ? (codes[n % codes.length] ?? null) : null,
      error_reason: hasFailed ? "Message undeliverable" : null,
      sent_at: hasFailed ? null : new Date(at + 400),
      failed_at: hasFailed ? new Date(at + 900) : null,
    })),
  )}`;
}
