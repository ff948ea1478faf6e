import type { EventToPost } from "./event-to-post.ts";
import { layOutJson } from "./layout.ts";

/** For Python 3, with nothing installed. */
export const pythonSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
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
