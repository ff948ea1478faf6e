import { type RequestListener, type Server, STATUS_CODES } from "node:http";
import { bareHeaders } from "./security-headers.ts";

/** Answers what never becomes a request: bytes that are no HTTP, headers too large or too slow. */
export function answerBrokenRequests(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const status = statusOf(error.code);
    const body = bodyOf(status);
    const lines = Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
  });
}

/** Answers a request of which nobody can tell where it ends. */
export const refuseUnclear: RequestListener = (_request, response) => {
  const body = bodyOf(400);
  response.writeHead(400, headersOf(body)).end(body);
};

const bodyOf = (status: number): string => JSON.stringify({ error: STATUS_CODES[status] });

const headersOf = (body: string): Record<string, string> => ({
  ...bareHeaders,
  Connection: "close",
  "Content-Type": "application/json",
  "Content-Length": String(body.length),
});

function statusOf(code: string | undefined): number {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
