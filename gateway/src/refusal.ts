interface Row {
  status: number;
  /** Stable: clients match on it. */
  message: string;
  /** The refusal as which it is listed for the site's people. */
  listedAs?: "invalid_signature";
  /** When to come back, for refusals that pass by themselves. */
  retryAfterSeconds?: number;
}

const rows = {
  bad_request: { status: 400, message: "Bad request" },
  malformed_json: { status: 400, message: "Malformed JSON" },
  not_an_object: { status: 400, message: "Body must be a JSON object" },
  invalid_event_name: { status: 400, message: "Invalid event name" },
  invalid_source: { status: 400, message: "Invalid source" },
  invalid_idempotency_key: { status: 400, message: "Invalid idempotency key" },
  invalid_mode: { status: 400, message: "Invalid mode" },
  missing_topic: { status: 400, message: "Missing topic" },
  unexpected_body: { status: 400, message: "Unexpected body" },
  missing_site_key: { status: 401, message: "Missing site key" },
  invalid_site_key: { status: 401, message: "Invalid site key" },
  invalid_signature: { status: 401, message: "Invalid signature" },
  /** The same to the sender. */
  secret_empty: { status: 401, message: "Invalid signature" },
  signature_used: { status: 401, message: "Invalid signature" },
  missing_webhook_id: { status: 401, message: "Missing webhook-id", listedAs: "invalid_signature" },
  missing_webhook_timestamp: { status: 401, message: "Missing webhook-timestamp", listedAs: "invalid_signature" },
  missing_timestamp: { status: 401, message: "Missing timestamp" },
  stale_timestamp: { status: 401, message: "Stale timestamp" },
  signed_timestamp_required: { status: 401, message: "Signed timestamp required" },
  site_disabled: { status: 403, message: "Site is disabled" },
  invalid_verify_token: { status: 403, message: "Invalid verify token" },
  not_found: { status: 404, message: "Not found" },
  method_not_allowed: { status: 405, message: "Method not allowed" },
  request_timeout: { status: 408, message: "Request timeout" },
  id_already_used: { status: 409, message: "Id already used" },
  body_too_large: { status: 413, message: "Body too large" },
  unsupported_content_type: { status: 415, message: "Unsupported content type" },
  expectation_failed: { status: 417, message: "Expectation failed" },
  misdirected: { status: 421, message: "Misdirected request" },
  rate_limited: { status: 429, message: "Rate limit exceeded", retryAfterSeconds: 1 },
  headers_too_large: { status: 431, message: "Headers too large" },
  internal: { status: 500, message: "Internal error; retry with exponential backoff and the same idempotency key" },
  still_in_progress: { status: 503, message: "Still in progress", retryAfterSeconds: 5 },
  secret_unreadable: { status: 503, message: "Site secret unreadable", retryAfterSeconds: 60 },
  stopping: { status: 503, message: "Server is stopping", retryAfterSeconds: 2 },
  full: { status: 503, message: "Server is busy", retryAfterSeconds: 2 },
  database_away: { status: 503, message: "Database unavailable", retryAfterSeconds: 5 },
} satisfies Record<string, Row>;

/** Every reason for which the gateway refuses a request. */
export type RefusalName = keyof typeof rows;

/** The answer to each. */
export const refusals: Readonly<Record<RefusalName, Row>> = rows;

/** Refuses a request. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly refusal: RefusalName;

  constructor(refusal: RefusalName, options?: ErrorOptions) {
    super(refusal, options);
    this.refusal = refusal;
  }
}
