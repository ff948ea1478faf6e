import { type Server, STATUS_CODES } from "node:http";
import { bareHeaders } from "./security-headers.ts";

/** Answers what never becomes a request: bytes that are no HTTP, headers too large or too slow. */
export function answerBrokenRequests(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const status = statusOf(error.code);
    const body = JSON.stringify({ error: STATUS_CODES[status] });
    const headers = { ...bareHeaders, Connection: "close", "Content-Type": "application/json", "Content-Length": String(body.length) };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
  });
}

function statusOf(code: string | undefined): number {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
