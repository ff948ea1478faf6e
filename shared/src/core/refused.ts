import type { SourceType } from "./site.ts";
import { sources, headerNames } from "./sources/sources.ts";

interface RefusedWords {
  /** The status that the sender was answered. */
  status: number;
  text: string;
  /** The advice on what to do. */
  action: string;
}

/** Refusals of a request whose sender is known, in words for its operator. The order is the one in which requests are checked. */
export const refusedWords = {
  body_too_large: { status: 413, text: "The body is too large.", action: "Send fewer fields, or raise MAX_BODY_BYTES on the gateway." },
  secret_unreadable: {
    status: 503,
    text: "The site's secret cannot be decrypted.",
    action: "Rotate the webhook secret with “Immediately”, and give the backend the new one.",
  },
  invalid_signature: {
    status: 401,
    text: "The signature does not match this body and this site's secret.",
    action:
      "Sign the exact bytes that are sent, with the secret exactly as it was shown. The checker under Developers shows what differs. If the secret is lost, rotate it.",
  },
  secret_empty: {
    status: 401,
    text: "The webhook in WooCommerce has no secret, so anybody could sign like it.",
    action: "Open it in WooCommerce › Settings › Advanced › Webhooks, enter this site's webhook secret in the field Secret, and save it.",
  },
  signature_used: {
    status: 401,
    text: "The signature came to the site's other address before, and counts only there.",
    action: "If your own program did not send it, somebody repeats a captured request: rotate the webhook secret.",
  },
  signed_timestamp_required: {
    status: 401,
    text: "The site requires a signed timestamp, and the request has only the plain signature.",
    action: "Sign by Standard Webhooks, or switch “Require a signed timestamp” off.",
  },
  missing_timestamp: {
    status: 401,
    text: "The site requires a timestamp, and the request has none.",
    action: "Send X-Service-Timestamp, or switch “Require a timestamp” off.",
  },
  stale_timestamp: {
    status: 401,
    text: "The timestamp is more than five minutes off, or not a whole number of seconds.",
    action: "Correct the sender's clock, and send the time of sending in seconds since 1970.",
  },
  site_disabled: { status: 403, text: "The site refuses events.", action: "Switch “Accept events” on." },
  rate_limited: {
    status: 429,
    text: "More requests arrived in this second than the site allows.",
    action: "Send fewer at a time, try again after Retry-After, or raise “Requests per second”.",
  },
  unsupported_content_type: {
    status: 415,
    text: "The body is not declared as JSON, or is compressed.",
    action: "Send Content-Type: application/json, and no Content-Encoding.",
  },
  malformed_json: {
    status: 400,
    text: "The body is not valid JSON.",
    action: "Write it with a JSON library, in UTF-8 without a byte order mark.",
  },
  not_an_object: { status: 400, text: "The body is JSON, but not an object.", action: "Put the event's data into one object: {…}." },
  missing_topic: { status: 400, text: "The shop's request names no topic.", action: "Create the webhook in the shop again." },
  unexpected_body: {
    status: 400,
    text: "The body is not one of the topic that the request names.",
    action: "If the shop did not send it, somebody repeats a captured request under another topic: replace the secret.",
  },
  invalid_event_name: {
    status: 400,
    text: "The event's name contains characters that are not allowed.",
    action: "Use letters, digits, - and _, with dots between the parts, such as order.created.",
  },
  invalid_source: {
    status: 400,
    text: "The source in the URL contains characters that are not allowed, or is longer than 64 characters.",
    action: "Use letters, digits, dots, - and _, such as generic.",
  },
  invalid_idempotency_key: {
    status: 400,
    text: "The idempotency key is longer than 255 characters, or not printable ASCII.",
    action: "Use an id of the event, such as its UUID.",
  },
  invalid_mode: {
    status: 400,
    text: "X-Service-Mode is neither test nor live.",
    action: "Send test for a dry run, or leave the header out.",
  },
  id_already_used: {
    status: 409,
    text: "The webhook-id was used for another event, mode or body.",
    action: "Give each event its own id, and repeat an id only when you repeat the same request.",
  },
} satisfies Record<string, RefusedWords>;

/** The reason why a request was refused, as it is stored. */
export type RefusedBecause = keyof typeof refusedWords;

export const isRefusedBecause = (name: string): name is RefusedBecause => Object.hasOwn(refusedWords, name);

/** Of a signature that does not fit, of none, and of a site without the secret: in the words of the pages on which the shop's operator sets it up. */
export const signatureWords: Readonly<Record<SourceType, Record<"wrong" | "missing" | "unsaved", RefusedWords>>> = {
  woocommerce: {
    wrong: {
      status: 401,
      text: "The secret in WooCommerce › Settings › Advanced › Webhooks is not this one.",
      action:
        "Open each webhook there, enter this site's webhook secret exactly as it was shown, and save. If the secret is lost, rotate it under Key and secret.",
    },
    missing: {
      status: 401,
      text: "The request has no signature.",
      action: "WooCommerce signs every webhook. If the shop sent it, a proxy or a security plugin removes X-WC-Webhook-Signature.",
    },
    unsaved: {
      status: 401,
      text: "No webhook secret is saved here, so no request of the shop can be valid.",
      action:
        "Rotate the webhook secret under Key and secret, and enter the new one in each webhook in WooCommerce › Settings › Advanced › Webhooks.",
    },
  },
  shopify: {
    wrong: {
      status: 401,
      text: "The secret in Shopify › Settings › Notifications › Webhooks is not the one that is saved here.",
      action: "Copy the secret below the list of webhooks there, and save it on the site's page.",
    },
    missing: {
      status: 401,
      text: "The request has no signature.",
      action: "Shopify signs every webhook. If the shop sent it, a proxy removes X-Shopify-Hmac-Sha256.",
    },
    unsaved: {
      status: 401,
      text: "No secret of Shopify is saved here, so no request of the shop can be valid.",
      action:
        "Copy the secret below the list of webhooks in Shopify › Settings › Notifications › Webhooks, and save it on the site's page.",
    },
  },
  generic: {
    wrong: refusedWords.invalid_signature,
    missing: {
      status: 401,
      text: "The request has no signature.",
      action: "Sign each request with the site's webhook secret, as the documentation shows.",
    },
    unsaved: {
      status: 401,
      text: "No webhook secret is saved here, so no request can be valid.",
      action: "Rotate the webhook secret under Key and secret, and sign with the new one.",
    },
  },
};

/** The words of a refusal at a site of this type. `headers`: the names of those that came; `secrets`: the kinds of the site's valid secrets. */
export function explainRefused(
  because: RefusedBecause,
  sourceType: SourceType,
  headers: readonly string[],
  secrets: readonly string[],
): RefusedWords {
  if (because !== "invalid_signature") return refusedWords[because];
  const has = (names: readonly string[]): boolean => names.some((name) => headers.includes(name));
  if (!has(headerNames.signatures)) return signatureWords[sourceType].missing;
  const type = has(sources[sourceType].headers.signatures) ? sourceType : "generic";
  return signatureWords[type][secrets.includes(sources[type].secret) ? "wrong" : "unsaved"];
}
