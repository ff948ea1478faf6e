/** Every reason for which the gateway refuses a request. The answers to them are in `http/answer.ts`. */
export type RefusalName =
  | "bad_request"
  | "body_too_large"
  | "database_away"
  | "expectation_failed"
  | "full"
  | "headers_too_large"
  | "id_already_used"
  | "internal"
  | "invalid_event_name"
  | "invalid_idempotency_key"
  | "invalid_mode"
  | "invalid_signature"
  | "invalid_site_key"
  | "invalid_source"
  | "invalid_verify_token"
  | "malformed_json"
  | "method_not_allowed"
  | "missing_site_key"
  | "missing_topic"
  | "misdirected"
  | "missing_timestamp"
  | "not_an_object"
  | "not_found"
  | "rate_limited"
  | "request_timeout"
  | "secret_unreadable"
  | "signed_timestamp_required"
  | "site_disabled"
  | "stale_timestamp"
  | "still_in_progress"
  | "stopping"
  | "unsupported_content_type";

/** Refuses a request. Only `http` knows its status and text. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly refusal: RefusalName;
  /** When to come back, for refusals that pass by themselves; null: the usual value. */
  readonly retryAfterSeconds: number | null;

  constructor(refusal: RefusalName, retryAfterSeconds: number | null = null, options?: ErrorOptions) {
    super(refusal, options);
    this.refusal = refusal;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
