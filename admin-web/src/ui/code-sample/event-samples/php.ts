import type { EventToPost } from "./event-to-post.ts";
import { layOut, type LiteralStyle } from "./layout.ts";

/** For PHP 7 or newer with its curl extension. */
export const phpSample = ({ url, siteKey, webhookSecret, payload }: EventToPost): string =>
  `<?php // Save as event.php, then: php event.php
$siteKey = ${quote(siteKey)};
$webhookSecret = ${quote(webhookSecret)};
$body = json_encode(${layOut(payload, style)});

$request = curl_init(${quote(url)});
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

const quote = (text: string): string => `'${text.replaceAll(/[\\']/gu, String.raw`\$&`)}'`;

const style: LiteralStyle = { text: quote, object: ["[", "]"], is: " => ", indent: "    " };
