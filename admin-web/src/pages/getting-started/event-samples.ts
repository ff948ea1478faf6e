import type { Sample } from "../../ui/code-sample.tsx";

interface EventToPost {
  url: string;
  siteKey: string;
  webhookSecret: string;
  payload: PlainJson;
}

export const ingestUrl = (gatewayUrl: string, source: string, event: string): string =>
  `${gatewayUrl}/api/public/ingest/${source}/${event}`;

/** Complete programs that sign the event, post it, repeat it under the same id where that helps, and print the answer. Each run is an event of its own. */
export const eventSamples = (event: EventToPost): Sample[] => [
  { name: "curl", language: "sh", code: curlSample(event) },
  { name: "Node", language: "js", code: nodeSample(event) },
  { name: "PHP", language: "php", code: phpSample(event) },
  { name: "Python", language: "python", code: pythonSample(event) },
];

/** For any shell with curl and openssl. */
const curlSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
  String.raw`body=${quoteForShell(layOutJson(payload))}
id="try-$(date +%s)-$$"
until=$(($(date +%s) + 270)) # the id counts for 300 seconds
wait=1
while :; do
  timestamp=$(date +%s)
  signature=$(printf '%s.%s.%s' "$id" "$timestamp" "$body" | openssl dgst -sha256 -hmac ${quoteForShell(webhookSecret)} -binary | openssl base64 -A)
  answer=$(curl -sS -m 20 -w '\n%{http_code}' ${quoteForShell(url)} \
    -H 'Content-Type: application/json' \
    -H ${quoteForShell(`X-Service-Site-Key: ${siteKey}`)} \
    -H "webhook-id: $id" \
    -H "webhook-timestamp: $timestamp" \
    -H "webhook-signature: v1,$signature" \
    --data-binary "$body")
  case "$(printf '%s' "$answer" | tail -n 1)" in
    408 | 429 | 5?? | 000) pause=$((wait + RANDOM % (wait + 1))) ;;
    *) break ;;
  esac
  [ $(($(date +%s) + pause)) -lt "$until" ] || break
  sleep "$pause"
  wait=$((wait < 300 ? 2 * wait : 600))
done
printf '%s\n' "$answer" | sed '$d'
`;

const quoteForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** For Node 18 or newer. */
const nodeSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
  `// Save as event.mjs, then: node event.mjs
import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const siteKey = ${JSON.stringify(siteKey)};
const webhookSecret = ${JSON.stringify(webhookSecret)};
const body = JSON.stringify(${layOutJson(payload)});
const id = randomUUID();
const until = Date.now() + 270_000; // the id counts for 300 seconds

async function post() {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const response = await fetch(${JSON.stringify(url)}, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Service-Site-Key": siteKey,
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": "v1," + createHmac("sha256", webhookSecret).update(id + "." + timestamp + "." + body).digest("base64"),
    },
    body,
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, answer: await response.text() };
}

for (let wait = 1; ; wait = Math.min(2 * wait, 600)) {
  const { status, answer } = await post().catch((error) => ({ status: 0, answer: String(error) }));
  const pause = 1000 * wait * (1 + Math.random());
  const again = [0, 408, 429].includes(status) || status >= 500;
  if (!again || Date.now() + pause > until) {
    console.log(answer);
    break;
  }
  await sleep(pause);
}
`;

/** For PHP 7 or newer with its curl extension. */
const phpSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
  `<?php // Save as event.php, then: php event.php
$siteKey = ${quoteForPhp(siteKey)};
$webhookSecret = ${quoteForPhp(webhookSecret)};
$body = json_encode(${layOut(payload, style)});
$id = bin2hex(random_bytes(16));
$until = time() + 270; // the id counts for 300 seconds
for ($wait = 1; ; $wait = min(2 * $wait, 600)) {
    $timestamp = time();
    $signature = base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $webhookSecret, true));
    $request = curl_init(${quoteForPhp(url)});
    curl_setopt_array($request, [
        CURLOPT_POST => true,
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 20,
        CURLOPT_HTTPHEADER => [
            'Content-Type: application/json',
            'X-Service-Site-Key: ' . $siteKey,
            'webhook-id: ' . $id,
            'webhook-timestamp: ' . $timestamp,
            'webhook-signature: v1,' . $signature,
        ],
    ]);
    $answer = curl_exec($request);
    $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
    $again = $answer === false || in_array($status, [408, 429], true) || $status >= 500;
    $pause = $wait + mt_rand(0, $wait);
    if (!$again || time() + $pause > $until) {
        break;
    }
    sleep($pause);
}
echo $answer === false ? curl_error($request) : $answer, "\\n";
`;

const quoteForPhp = (text: string): string => `'${text.replaceAll(/[\\']/gu, String.raw`\$&`)}'`;

const style: LiteralStyle = { text: quoteForPhp, object: ["[", "]"], is: " => ", indent: "    " };

/** For Python 3, with nothing installed. */
const pythonSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
  `# Save as event.py, then: python3 event.py
import base64, hashlib, hmac, http.client, json, random, time, urllib.request, uuid

site_key = ${JSON.stringify(siteKey)}
webhook_secret = ${JSON.stringify(webhookSecret)}
body = json.dumps(${layOutJson(payload, "    ")}).encode()
event_id = str(uuid.uuid4())


def post():
    timestamp = str(int(time.time()))
    signed = f"{event_id}.{timestamp}.".encode() + body
    signature = base64.b64encode(hmac.new(webhook_secret.encode(), signed, hashlib.sha256).digest()).decode()
    request = urllib.request.Request(
        ${JSON.stringify(url)},
        data=body,
        headers={
            "Content-Type": "application/json",
            "X-Service-Site-Key": site_key,
            "webhook-id": event_id,
            "webhook-timestamp": timestamp,
            "webhook-signature": "v1," + signature,
        },
    )
    with urllib.request.urlopen(request, timeout=20) as response:
        return response.read().decode()


until = time.time() + 270  # the id counts for 300 seconds
wait = 1
while True:
    try:
        print(post())
        break
    except (OSError, http.client.HTTPException) as error:
        status = getattr(error, "code", 0)
        pause = wait * (1 + random.random())
        again = status in (0, 408, 429) or status >= 500
        if not again or time.time() + pause > until:
            raise
    time.sleep(pause)
    wait = min(2 * wait, 600)
`;

/** JSON without booleans and null, which is also valid JavaScript and Python. */
type PlainJson = string | number | PlainJson[] | { [name: string]: PlainJson };

/** How a language writes a literal. */
interface LiteralStyle {
  text: (text: string) => string;
  /** The brackets of an object, and the sign between a name and its value. */
  object: readonly [string, string];
  is: string;
  indent: string;
}

const widest = 80;

/** A literal on one line if it fits, else one member a line. */
function layOut(value: PlainJson, style: LiteralStyle, margin = ""): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return style.text(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : style.object;
  const within = margin + style.indent;
  const members = (inner: string): string[] =>
    Array.isArray(value)
      ? value.map((item) => layOut(item, style, inner))
      : Object.entries(value).map(([name, item]) => `${style.text(name)}${style.is}${layOut(item, style, inner)}`);
  const line = `${open}${members("").join(", ")}${close}`;
  if (!line.includes("\n") && within.length + line.length <= widest) return line;
  return `${open}\n${members(within)
    .map((member) => within + member)
    .join(",\n")}\n${margin}${close}`;
}

const json = { text: (text: string) => JSON.stringify(text), object: ["{", "}"], is: ": " } as const;

export const layOutJson = (value: PlainJson, indent = "  "): string => layOut(value, { ...json, indent });
