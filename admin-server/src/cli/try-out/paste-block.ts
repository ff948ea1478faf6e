import { demoEvent, demoPayload } from "./demo-shop.ts";
import type { DemoShop } from "./make-demo.ts";

/** Shell lines that sign the demo's event and post it: pasted as they are, they print the answer and nothing else. */
export const pasteBlock = (gatewayUrl: string, { apiKey, webhookSecret }: DemoShop): string =>
  [
    `body=${quote(JSON.stringify(demoPayload))}`,
    `signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac ${quote(webhookSecret)} -r | cut -d ' ' -f 1)`,
    `curl -sS --noproxy '*' -X POST ${quote(`${gatewayUrl}/api/public/ingest/generic/${demoEvent}`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H ${quote(`X-Service-Site-Key: ${apiKey}`)} \\`,
    `  -H "X-Service-Signature: sha256=$signature" \\`,
    `  -H "X-Service-Timestamp: $(date +%s)" \\`,
    `  -w '\\n' --data-binary "$body"`,
  ].join("\n");

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
