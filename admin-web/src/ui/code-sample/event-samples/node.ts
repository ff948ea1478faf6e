import type { EventToPost } from "./event-to-post.ts";
import { layOutJson } from "./layout.ts";

/** For Node 18 or newer, or anything else that has its modules. */
export const nodeSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
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
