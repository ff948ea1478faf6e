<?php
$order = [
    'number' => '10042',
    'total' => '49.90',
    'currency' => 'USD',
    'items' => [['name' => 'Mug', 'qty' => 2]],
    'order_url_customer' => 'https://shop.example/orders/10042',
];
$body = json_encode(['customer' => ['first_name' => 'Ada', 'phone_e164' => '+15551230001'], 'order' => $order]);
$id = getenv('EVENT_ID') ?: 'order-10042-created-php'; // the same in every retry
$until = time() + 270; // the id counts for 300 seconds
for ($wait = 1; ; $wait = min(2 * $wait, 600)) {
    $timestamp = time();
    $signature = base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", getenv('WEBHOOK_SECRET'), true));
    $request = curl_init(getenv('BASE_URL') . '/api/public/ingest/generic/order.created');
    $retryAfter = 0;
    curl_setopt_array($request, [
        CURLOPT_POST => true,
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 20,
        CURLOPT_HTTPHEADER => [
            'Content-Type: application/json',
            'X-Service-Site-Key: ' . getenv('SITE_KEY'),
            'webhook-id: ' . $id,
            'webhook-timestamp: ' . $timestamp,
            'webhook-signature: v1,' . $signature,
        ],
        CURLOPT_HEADERFUNCTION => function ($request, $line) use (&$retryAfter) {
            $retryAfter = preg_match('/^retry-after: *(\d+)/i', $line, $found) ? (int) $found[1] : $retryAfter;
            return strlen($line);
        },
    ]);
    $answer = curl_exec($request);
    $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
    $again = $answer === false || in_array($status, [408, 429], true) || $status >= 500;
    $pause = max($wait, $retryAfter) + mt_rand(0, $wait);
    if (!$again || time() + $pause > $until) {
        break;
    }
    sleep($pause);
}
echo $answer === false ? curl_error($request) : $answer, "\n";
exit($answer !== false && intdiv($status, 100) === 2 ? 0 : 1);
