import type { IncomingMessage } from "node:http";
import { invalidParameter } from "../errors/graph-error.ts";

/** What is read and dropped of a body that is too large, so that its sender sees the refusal; one that goes on is cut off. */
const DROPPED_BYTES = 16 * 1024 * 1024;

/** The request's whole body. Throws a `GraphError` when it has more than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else if (size > limit + DROPPED_BYTES) break;
  }
  if (size > limit) throw invalidParameter(`The request body is larger than ${limit} bytes`);
  return Buffer.concat(chunks);
}
