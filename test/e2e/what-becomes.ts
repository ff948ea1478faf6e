/**
 * What becomes of each table's rows as time passes. A new table has to be entered here, and `retention.test.ts` and `erasure.test.ts` then look into it.
 * - payload, log: goes when the account keeps payloads, or its log, no longer;
 * - follows: goes with what it was made from;
 * - expires: is of no worth after a while, and goes by itself;
 * - kept: the account's own doing, which people remove, or what nobody can be recognised by.
 */
export const whatBecomes: Record<string, "payload" | "log" | "follows" | "expires" | "kept"> = {
  access_token: "kept",
  account: "kept",
  app_user: "kept",
  audit_entry: "kept",
  binding: "kept",
  customer_order: "follows",
  erasure: "kept",
  event: "log",
  event_kind: "follows",
  event_learning: "kept",
  event_payload: "payload",
  idempotency: "expires",
  invite: "kept",
  job_turn: "kept",
  login_try: "expires",
  media_chunk: "kept",
  media_file: "kept",
  notification: "log",
  notification_count: "kept",
  notification_day: "kept",
  notification_late: "expires",
  opt_out: "kept",
  password_reset: "kept",
  platform_account: "kept",
  platform_callback: "kept",
  resend_job: "log",
  "sandbox.account": "kept",
  "sandbox.callback": "expires",
  "sandbox.message": "log",
  "sandbox.template": "kept",
  "sandbox.template_lock": "expires",
  schema_migration: "kept",
  site: "kept",
  site_rate: "expires",
  site_recipient: "kept",
  site_secret: "kept",
  template: "kept",
  template_history: "kept",
  template_poll: "kept",
  user_session: "expires",
};
