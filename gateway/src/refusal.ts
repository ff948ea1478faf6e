/** Every reason for which the gateway refuses a request. What each answers stands in `http/error-response.ts`. */
export type RefusalName =
  | "bad_request"
  | "body_too_large"
  | "database_away"
  | "expectation_failed"
  | "full"
  | "headers_too_large"
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
  | "missing_timestamp"
  | "not_an_object"
  | "not_found"
  | "rate_limited"
  | "request_timeout"
  | "site_disabled"
  | "stale_timestamp"
  | "still_in_progress"
  | "stopping"
  | "unsupported_content_type";

/** A request that is refused, by name: the steps that throw it know nothing of HTTP. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly refusal: RefusalName;
  /** When to come back, for refusals that pass by themselves. Null: the table's own value. */
  readonly retryAfterSeconds: number | null;

  constructor(refusal: RefusalName, retryAfterSeconds: number | null = null, options?: ErrorOptions) {
    super(refusal, options);
    this.refusal = refusal;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
