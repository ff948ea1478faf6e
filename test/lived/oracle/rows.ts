import type { Pool } from "shared/db/statement";

/** The words of a text, as a type. */
type Word<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Text;
type Of<Members extends string, Value> = Record<Word<Members>, Value>;

export type MessageRow = Of<"id siteId eventId event bindingId templateId template language toPhone status", string> &
  Of<"waMessageId errorCode resendOf", string | null> &
  Of<"sentAt deliveredAt readAt failedAt dueAt", Date | null> & { test: boolean };
export type EventRow = Of<"id siteId source name", string> &
  Of<"test dryRun", boolean> &
  Of<"bindingsRun recipientsSent recipientsFailed recipientsScheduled replays", number> &
  Of<"orderId chat unreached", string | null>;
type Site = Of<"id name", string> & Of<"enabled holdMessages", boolean> & { testPhone: string | null; deletedAt: Date | null };
type Binding = Of<"id siteId event templateId", string> & { enabled: boolean };
type Delivery = Of<"id siteId webhookId type status", string> &
  Of<"notificationId eventId", string | null> & { attempts: number; failures: number; lastStatusCode: number | null; tries: unknown[] };
type Requested = Of<"id kind", string> & Of<"bindingId replayOf backfillId", string | null> & { doneAt: Date | null };

export type Rows = Awaited<ReturnType<typeof readRows>>;

/** The rows of an account, each table by one plain statement. Nothing is joined, counted or left out here. */
export async function readRows(sql: Pool, accountId: string) {
  /** `columns` are those of the table; the members have the same names in camel case. */
  const read = async <Row>(table: string, columns: string, key = "account_id", keys = [accountId]): Promise<Row[]> => {
    const found = await sql`select ${sql(columns.split(" "))} from ${sql(table)} where ${sql(key)} = any(${keys}::uuid[])`;
    return found.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), value as unknown])) as Row);
  };
  const sites = await read<Site>("site", "id name enabled hold_messages test_phone deleted_at");
  const ids = sites.map(({ id }) => id);
  const operations = await read<Of<"id kind", string> & Of<"finishedAt stoppingAt", Date | null>>(
    "operation",
    "id kind finished_at stopping_at",
  );
  const ofSites = <Row>(table: string, columns: string) => read<Row>(table, columns, "site_id", ids);
  return {
    sites,
    events: await ofSites<EventRow>(
      "event",
      "id site_id source name test dry_run order_id bindings_run chat recipients_sent recipients_failed recipients_scheduled replays unreached",
    ),
    /** The texts that came, by event; gone once they are deleted. */
    payloads: new Map((await ofSites<Of<"id payload", string>>("event_payload", "id payload")).map(({ id, payload }) => [id, payload])),
    messages: await read<MessageRow>(
      "notification",
      "id site_id event_id event binding_id template_id template language to_phone status wa_message_id error_code sent_at delivered_at read_at failed_at due_at resend_of test",
    ),
    orders: await ofSites<Of<"id siteId", string> & Of<"externalId number", string | null>>(
      "customer_order",
      "id site_id external_id number",
    ),
    templates: await read<Of<"id name language status", string>>("template", "id name language status"),
    bindings: await ofSites<Binding>("binding", "id site_id event template_id enabled"),
    recipients: await ofSites<Of<"id siteId", string>>("site_recipient", "id site_id"),
    optOuts: await read<Of<"id scope source", string> & { since: Date; active: boolean }>("opt_out", "id scope source since active"),
    endpoints: await read<Of<"id siteId", string> & { disabledBecause: string | null }>("webhook", "id site_id disabled_because"),
    deliveries: await ofSites<Delivery>(
      "webhook_delivery",
      "id site_id webhook_id notification_id event_id type status attempts failures last_status_code tries",
    ),
    refused: await ofSites<Of<"id siteId because", string> & { skipped: number }>("refused_request", "id site_id because skipped"),
    problems: await read<Of<"id kind subject state", string> & { siteId: string | null; alerted: boolean; resolvedAt: Date | null }>(
      "problem",
      "id kind site_id subject state alerted resolved_at",
    ),
    audit: await read<Of<"id action actor", string> & { createdAt: Date }>("audit_entry", "id action actor created_at"),
    erasures: await read<{ id: string; counts: object; scanned: string }>("erasure", "id counts scanned"),
    operations,
    operationItems: await read<Of<"id operationId", string>>(
      "operation_item",
      "id operation_id",
      "operation_id",
      operations.map(({ id }) => id),
    ),
    backfills: await read<Of<"id bindingId", string> & { total: number }>("backfill", "id binding_id total"),
    requested: await read<Requested>("requested_event", "id kind binding_id replay_of backfill_id done_at"),
    members: (await read<{ userId: string }>("membership", "user_id")).map(({ userId }) => ({ id: userId })),
    tokens: await read<{ id: string }>("access_token", "id"),
    invites: await read<{ id: string; acceptedAt: Date | null }>("invite", "id accepted_at"),
    views: await read<{ id: string }>("saved_view", "id"),
    uses: await read<{ id: string; tokens: number }>("assistant_use", "id tokens"),
    account: await read<{ messagesPerSecond: number | null }>("account", "messages_per_second", "id"),
  };
}

const camelCase = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
