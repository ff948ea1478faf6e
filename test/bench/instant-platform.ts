/** A platform that accepts everything, after DELAY_MS. It is cheap, so that the measured server is the bottleneck. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const delayMs = Number(process.env["DELAY_MS"] ?? "0");
let sent = 0;

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const body = `{"messaging_product":"whatsapp","contacts":[],"messages":[{"id":"wamid.bench.${process.pid}.${(sent += 1)}"}]}`;
    const answer = (): void =>
      void response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length }).end(body);
    if (delayMs > 0) setTimeout(answer, delayMs);
    else answer();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`));
process.on("disconnect", () => process.exit());
