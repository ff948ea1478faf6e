using System;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

public static class Event
{
    const string Body = "{\"customer\":{\"first_name\":\"Ada\",\"phone_e164\":\"+15551230001\"},\"order\":{\"number\":\"10042\",\"total\":\"49.90\",\"currency\":\"USD\","
        + "\"items\":[{\"name\":\"Mug\",\"qty\":2}],\"order_url_customer\":\"https://shop.example/orders/10042\"}}";

    static readonly HttpClient client = new HttpClient { Timeout = TimeSpan.FromSeconds(20) };

    static string Variable(string name) => Environment.GetEnvironmentVariable(name);

    static async Task<HttpResponseMessage> Post(string id)
    {
        var timestamp = DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();
        var mac = new HMACSHA256(Encoding.UTF8.GetBytes(Variable("WEBHOOK_SECRET")));
        var signature = Convert.ToBase64String(mac.ComputeHash(Encoding.UTF8.GetBytes($"{id}.{timestamp}.{Body}")));
        var request = new HttpRequestMessage(HttpMethod.Post, Variable("BASE_URL") + "/api/public/ingest/generic/order.created")
        {
            Content = new StringContent(Body, Encoding.UTF8, "application/json"),
        };
        request.Headers.Add("X-Service-Site-Key", Variable("SITE_KEY"));
        request.Headers.Add("webhook-id", id);
        request.Headers.Add("webhook-timestamp", timestamp);
        request.Headers.Add("webhook-signature", "v1," + signature);
        return await client.SendAsync(request);
    }

    public static int Main() => Run().GetAwaiter().GetResult();

    static async Task<int> Run()
    {
        var id = Variable("EVENT_ID") ?? "order-10042-created-cs"; // the same in every retry
        var random = new Random();
        var until = DateTime.UtcNow.AddSeconds(270); // the id counts for 300 seconds
        for (var wait = 1; ; wait = Math.Min(2 * wait, 600))
        {
            var status = 0;
            var retryAfter = 0.0;
            string answer;
            try
            {
                var response = await Post(id);
                status = (int)response.StatusCode;
                retryAfter = response.Headers.RetryAfter?.Delta?.TotalSeconds ?? 0;
                answer = await response.Content.ReadAsStringAsync();
            }
            catch (Exception failure) when (failure is HttpRequestException || failure is TaskCanceledException)
            {
                answer = failure.Message;
            }
            var pause = TimeSpan.FromSeconds(Math.Max(wait, retryAfter) * (1 + random.NextDouble()));
            var again = new[] { 0, 408, 429 }.Contains(status) || status >= 500;
            if (!again || DateTime.UtcNow + pause > until)
            {
                Console.WriteLine(answer);
                return status / 100 == 2 ? 0 : 1;
            }
            await Task.Delay(pause);
        }
    }
}
