import type { IncomingMessage } from "node:http";
import { invalidParameter } from "../errors/graph-error.ts";

/** The request's whole body. Throws a `GraphError` beyond `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Not destroyed when we stop reading: the refusal must still get through.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw invalidParameter(`The request body is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
