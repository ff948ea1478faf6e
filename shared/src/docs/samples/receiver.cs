using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;

public static class Receiver
{
    static readonly byte[] Key = Convert.FromBase64String(Environment.GetEnvironmentVariable("OUTBOUND_SECRET").Replace("whsec_", ""));

    static bool IsGenuine(HttpListenerRequest request, byte[] body)
    {
        string id = request.Headers["webhook-id"], timestamp = request.Headers["webhook-timestamp"];
        if (string.IsNullOrEmpty(id) || !long.TryParse(timestamp, out var seconds)) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300) return false;
        var signed = Encoding.UTF8.GetBytes($"{id}.{timestamp}.").Concat(body).ToArray();
        var expected = "v1," + Convert.ToBase64String(new HMACSHA256(Key).ComputeHash(signed));
        return (request.Headers["webhook-signature"] ?? "").Split(' ').Any(one => IsSame(one, expected));
    }

    // Takes the same time wherever the first difference is.
    static bool IsSame(string given, string expected)
    {
        var difference = given.Length ^ expected.Length;
        for (var at = 0; at < given.Length && at < expected.Length; at++) difference |= given[at] ^ expected[at];
        return difference == 0;
    }

    public static void Main()
    {
        var listener = new HttpListener();
        listener.Prefixes.Add($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/");
        listener.Start();
        while (true)
        {
            var context = listener.GetContext();
            var buffer = new MemoryStream();
            context.Request.InputStream.CopyTo(buffer);
            var genuine = IsGenuine(context.Request, buffer.ToArray());
            if (genuine) Console.WriteLine(Encoding.UTF8.GetString(buffer.ToArray()));
            context.Response.StatusCode = genuine ? 204 : 401;
            context.Response.Close();
        }
    }
}
