import { isUtf8 } from "node:buffer";
import { type JsonObject, parseJson } from "shared/core/json";
import { createLargeTurns, isCostly } from "shared/db/batch/large-turns";
import { orRefuse, RequestRefused } from "../refusal.ts";

/** A body's text, and the object that it says. */
export type ReadBody = ReturnType<typeof parseBody>;

/** Reads the body of a request that its site has proven. @throws RequestRefused `malformed_json`, `not_an_object`, or `full` after a long wait for its turn */
export type ReadObject = (accountId: string, body: Buffer, parse?: typeof parseJson) => ReadBody | Promise<ReadBody>;

/** Costly bodies are parsed in turns, between which everything else goes on; none waits for its turn longer than `holdMs`. */
export function createReadObject(holdMs: number): ReadObject {
  const enter = createLargeTurns(holdMs, () => new RequestRefused("full"));
  const parseInTurn = async (accountId: string, body: Buffer, parse: typeof parseJson): Promise<ReadBody> => {
    const leave = await enter(accountId);
    try {
      return parseBody(body, parse);
    } finally {
      leave();
    }
  };
  return (accountId, body, parse = parseJson) => (isCostly(body) ? parseInTurn(accountId, body, parse) : parseBody(body, parse));
}

/** `JSON.parse` refuses an empty text and a byte order mark by itself. */
function parseBody(body: Buffer, parse: typeof parseJson): { text: string; payload: JsonObject } {
  if (!isUtf8(body)) throw new RequestRefused("malformed_json");
  const text = body.toString("utf8");
  const payload = orRefuse("malformed_json", () => parse(text));
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) throw new RequestRefused("not_an_object");
  return { text, payload };
}
