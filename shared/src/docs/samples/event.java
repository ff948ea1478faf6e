import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.UTF_8;

public class Event {
    static final String BODY = """
        {"customer":{"first_name":"Ada","phone_e164":"+15551230001"},"order":{"number":"10042","total":"49.90","currency":"USD",\
        "items":[{"name":"Mug","qty":2}],"order_url_customer":"https://shop.example/orders/10042"}}""";

    static final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(20)).build();

    static HttpResponse<String> post(String id) throws Exception {
        String timestamp = String.valueOf(Instant.now().getEpochSecond());
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(System.getenv("WEBHOOK_SECRET").getBytes(UTF_8), "HmacSHA256"));
        byte[] signature = mac.doFinal((id + "." + timestamp + "." + BODY).getBytes(UTF_8));
        HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("BASE_URL") + "/api/public/ingest/generic/order.created"))
            .timeout(Duration.ofSeconds(20))
            .header("Content-Type", "application/json")
            .header("X-Service-Site-Key", System.getenv("SITE_KEY"))
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", "v1," + Base64.getEncoder().encodeToString(signature))
            .POST(HttpRequest.BodyPublishers.ofString(BODY))
            .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    public static void main(String[] arguments) throws Exception {
        String id = System.getenv().getOrDefault("EVENT_ID", "order-10042-created-java"); // the same in every retry
        Instant until = Instant.now().plusSeconds(270); // the id counts for 300 seconds
        for (long wait = 1; ; wait = Math.min(2 * wait, 600)) {
            int status = 0;
            long retryAfter = 0;
            String answer;
            try {
                HttpResponse<String> response = post(id);
                status = response.statusCode();
                retryAfter = response.headers().firstValueAsLong("Retry-After").orElse(0);
                answer = response.body();
            } catch (IOException failure) {
                answer = failure.toString();
            }
            long pause = (long) (1000 * Math.max(wait, retryAfter) * (1 + Math.random()));
            boolean again = status == 0 || status == 408 || status == 429 || status >= 500;
            if (!again || Instant.now().plusMillis(pause).isAfter(until)) {
                System.out.println(answer);
                System.exit(status / 100 == 2 ? 0 : 1);
            }
            Thread.sleep(pause);
        }
    }
}
