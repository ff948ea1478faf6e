import type { EventToPost } from "./event-to-post.ts";
import { layOutJson } from "./layout.ts";

/** For any shell with curl and openssl. */
export const curlSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
  String.raw`body=${quote(layOutJson(payload))}
signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac ${quote(webhookSecret)} -r | cut -d ' ' -f 1)
curl -sS ${quote(url)} \
  -H 'Content-Type: application/json' \
  -H ${quote(`X-Service-Site-Key: ${siteKey}`)} \
  -H "X-Service-Signature: sha256=$signature" \
  -H "X-Service-Timestamp: $(date +%s)" \
  -w '\n' --data-binary "$body"
`;

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
