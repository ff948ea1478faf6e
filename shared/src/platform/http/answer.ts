import type { Exchange } from "./exchange.ts";

/** What came back from one call. `json` is undefined when the body is no JSON object. */
export type Answer =
  | { kind: "answered"; status: number; json: object | undefined }
  | { kind: "not_sent"; reason: string }
  | { kind: "lost"; reason: string };

export function readAnswer(exchange: Exchange): Answer {
  if (exchange.kind !== "answered") return exchange;
  return { kind: "answered", status: exchange.status, json: parseObject(exchange.body.toString("utf8")) };
}

/** The content type is not looked at: what counts is whether the platform's own words are in there. */
function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
