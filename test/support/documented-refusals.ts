import type { RefusalName } from "gateway/refusal";

/** Status and text of every refusal, on which clients match: the documented table, written a second time, since the product's own is tested. */
export const documentedRefusals = {
  bad_request: [400, "Bad request"],
  malformed_json: [400, "Malformed JSON"],
  not_an_object: [400, "Body must be a JSON object"],
  invalid_event_name: [400, "Invalid event name"],
  invalid_source: [400, "Invalid source"],
  invalid_idempotency_key: [400, "Invalid idempotency key"],
  invalid_mode: [400, "Invalid mode"],
  missing_topic: [400, "Missing topic"],
  missing_site_key: [401, "Missing site key"],
  invalid_site_key: [401, "Invalid site key"],
  invalid_signature: [401, "Invalid signature"],
  missing_timestamp: [401, "Missing timestamp"],
  stale_timestamp: [401, "Stale timestamp"],
  signed_timestamp_required: [401, "Signed timestamp required"],
  site_disabled: [403, "Site is disabled"],
  invalid_verify_token: [403, "Invalid verify token"],
  not_found: [404, "Not found"],
  method_not_allowed: [405, "Method not allowed"],
  request_timeout: [408, "Request timeout"],
  id_already_used: [409, "Id already used"],
  body_too_large: [413, "Body too large"],
  unsupported_content_type: [415, "Unsupported content type"],
  expectation_failed: [417, "Expectation failed"],
  misdirected: [421, "Misdirected request"],
  rate_limited: [429, "Rate limit exceeded"],
  headers_too_large: [431, "Headers too large"],
  internal: [500, "Internal error; retry with exponential backoff and the same idempotency key"],
  still_in_progress: [503, "Still in progress"],
  secret_unreadable: [503, "Site secret unreadable"],
  stopping: [503, "Server is stopping"],
  full: [503, "Server is busy"],
  database_away: [503, "Database unavailable"],
} as const satisfies Record<RefusalName, readonly [status: number, error: string]>;

/** The exact body of a refusal. */
export const refusalBody = (name: RefusalName): string => JSON.stringify({ error: documentedRefusals[name][1] });
