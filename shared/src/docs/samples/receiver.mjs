import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { OUTBOUND_SECRET, PORT } = process.env;
const key = Buffer.from(OUTBOUND_SECRET.replace("whsec_", ""), "base64");

function isGenuine(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": given } = headers;
  if (!id || !given || !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const expected = Buffer.from("v1," + createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64"));
  return given.split(" ").some((one) => {
    const signature = Buffer.from(one);
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  console.log(JSON.stringify(JSON.parse(body)));
  response.writeHead(204).end();
}).listen(Number(PORT), "127.0.0.1");
