import type { Language, Sample } from "../../ui/base/code-sample.tsx";
import { sampleText } from "../../ui/message/samples.ts";
import programs from "./programs.json";

/** `phone`: E.164. */
type EventToPost = Record<"gatewayUrl" | "source" | "event" | "siteKey" | "webhookSecret" | "phone", string>;

/** Four lines that post the event once, then the documentation's programs, which try again, each below the command that runs it. */
export const eventSamples = (event: EventToPost): Sample[] => [
  { name: "curl", language: "sh", code: fourLines(event) },
  ...programs.map(({ name, language, file, run, comment }) => ({
    name,
    language: language as Language,
    code: inPlace(sampleText(file), event).replace(/^(?:<\?php\n)?/u, `$&${comment} ${variables(event)} ${run}\n`),
  })),
];

/** For any shell with curl and openssl. Each run is an event of its own. */
function fourLines(event: EventToPost): string {
  const body = /^BODY=.*$/mu.exec(inPlace(sampleText("event.sh"), event))?.[0] ?? "";
  return String.raw`${body}
ID="try-$(date +%s)"; TIMESTAMP=$(date +%s)
SIGNATURE=$(printf '%s.%s.%s' "$ID" "$TIMESTAMP" "$BODY" | openssl dgst -sha256 -hmac ${quoted(event.webhookSecret)} -binary | openssl base64 -A)
curl ${quoted(`${event.gatewayUrl}/api/public/ingest/${event.source}/${event.event}`)} -H 'Content-Type: application/json' -H ${quoted(`X-Service-Site-Key: ${event.siteKey}`)} -H "webhook-id: $ID" -H "webhook-timestamp: $TIMESTAMP" -H "webhook-signature: v1,$SIGNATURE" --data-binary "$BODY"
`;
}

/** The sample with the site's event and recipient in place of its own. */
const inPlace = (program: string, { source, event, phone }: EventToPost): string =>
  program.replaceAll("/generic/order.created", () => `/${source}/${event}`).replaceAll("+15551230001", () => phone);

const variables = ({ gatewayUrl, siteKey, webhookSecret }: EventToPost): string =>
  `BASE_URL=${quoted(gatewayUrl)} SITE_KEY=${quoted(siteKey)} WEBHOOK_SECRET=${quoted(webhookSecret)} EVENT_ID=try-$(date +%s)`;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
