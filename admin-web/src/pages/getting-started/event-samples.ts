import type { Sample } from "../../ui/code-sample.tsx";

interface EventToPost {
  url: string;
  siteKey: string;
  webhookSecret: string;
  payload: PlainJson;
}

export const ingestUrl = (gatewayUrl: string, source: string, event: string): string =>
  `${gatewayUrl}/api/public/ingest/${source}/${event}`;

/** Complete programs that sign the event, post it, and print the answer. */
export const eventSamples = (event: EventToPost): Sample[] => [
  { name: "curl", language: "sh", code: curlSample(event) },
  { name: "Node", language: "js", code: nodeSample(event) },
  { name: "PHP", language: "php", code: phpSample(event) },
  { name: "Python", language: "python", code: pythonSample(event) },
];

/** For any shell with curl and openssl. */
const curlSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
  String.raw`body=${quoteForShell(layOutJson(payload))}
signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac ${quoteForShell(webhookSecret)} -r | cut -d ' ' -f 1)
curl -sS ${quoteForShell(url)} \
  -H 'Content-Type: application/json' \
  -H ${quoteForShell(`X-Service-Site-Key: ${siteKey}`)} \
  -H "X-Service-Signature: sha256=$signature" \
  -H "X-Service-Timestamp: $(date +%s)" \
  -w '\n' --data-binary "$body"
`;

const quoteForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** For Node 18 or newer. */
const nodeSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
  `// Save as event.mjs, then: node event.mjs
import { createHmac } from "node:crypto";

const siteKey = ${JSON.stringify(siteKey)};
const webhookSecret = ${JSON.stringify(webhookSecret)};
const body = JSON.stringify(${layOutJson(payload)});

const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "X-Service-Site-Key": siteKey,
    "X-Service-Signature": "sha256=" + createHmac("sha256", webhookSecret).update(body).digest("hex"),
    "X-Service-Timestamp": String(Math.floor(Date.now() / 1000)),
  },
  body,
});
console.log(await response.text());
`;

/** For PHP 7 or newer with its curl extension. */
const phpSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
  `<?php // Save as event.php, then: php event.php
$siteKey = ${quoteForPhp(siteKey)};
$webhookSecret = ${quoteForPhp(webhookSecret)};
$body = json_encode(${layOut(payload, style)});

$request = curl_init(${quoteForPhp(url)});
curl_setopt_array($request, [
    CURLOPT_POST => true,
    CURLOPT_POSTFIELDS => $body,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 20,
    CURLOPT_HTTPHEADER => [
        'Content-Type: application/json',
        'X-Service-Site-Key: ' . $siteKey,
        'X-Service-Signature: sha256=' . hash_hmac('sha256', $body, $webhookSecret),
        'X-Service-Timestamp: ' . time(),
    ],
]);
echo curl_exec($request) ?: curl_error($request), "\\n";
`;

const quoteForPhp = (text: string): string => `'${text.replaceAll(/[\\']/gu, String.raw`\$&`)}'`;

const style: LiteralStyle = { text: quoteForPhp, object: ["[", "]"], is: " => ", indent: "    " };

/** For Python 3, with nothing installed. */
const pythonSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
  `# Save as event.py, then: python3 event.py
import hashlib, hmac, json, time, urllib.request

site_key = ${JSON.stringify(siteKey)}
webhook_secret = ${JSON.stringify(webhookSecret)}
body = json.dumps(${layOutJson(payload, "    ")}).encode()

request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=body,
    headers={
        "Content-Type": "application/json",
        "X-Service-Site-Key": site_key,
        "X-Service-Signature": "sha256=" + hmac.new(webhook_secret.encode(), body, hashlib.sha256).hexdigest(),
        "X-Service-Timestamp": str(int(time.time())),
    },
)
with urllib.request.urlopen(request, timeout=20) as response:
    print(response.read().decode())
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
