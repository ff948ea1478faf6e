import { words } from "../support/words.ts";

type Fate = "payload" | "log" | "follows" | "expires" | "kept";

/**
 * The fate of each table's rows as time passes. A new table has to be entered here, and `retention.test.ts` and `erasure.test.ts` then look into it.
 * - payload, log: deleted once the account no longer keeps payloads, or its log;
 * - follows: deleted with the row that it was made from;
 * - expires: worthless after a while, and deleted by itself;
 * - kept: made by the account's people, who remove it, or without anything that recognises a person.
 */
export const whatBecomes: Readonly<Record<string, Fate>> = Object.fromEntries(
  Object.entries({
    payload: `event_payload event_search refused_request`,
    log: `backfill event notification operation requested_event resend_job sandbox.message`,
    follows: `alert_notice customer_order event_kind operation_item problem_notice webhook_delivery`,
    expires: `
      account_move alert assistant_use challenge encryption event_due gateway idempotency login_try made_once notification_late outbox platform_user problem recipient_turn
      sandbox.callback sandbox.template_lock send_count shop_history site_rate throttle user_session waiting_message`,
    kept: `
      access_token account alert_channel alert_watch app_user assistant audit_entry audit_head audit_value binding binding_use erasure
      erasure_request event_learning invite job_turn media_chunk media_file membership moved_token notification_count notification_day
      notification_hour notification_price notification_recent object_version opt_out passkey password_reset platform_account platform_callback platform_health platform_notice number_pace reconcile recovery_code
      sandbox.account sandbox.media sandbox.person sandbox.template saved_view schema_migration search_learning site site_proven site_recipient site_secret
      site_topic template template_history template_poll test_connection totp vault_key webhook`,
  }).flatMap(([fate, tables]) => words(tables).map((table) => [table, fate as Fate])),
);
