import { type JsonObject, type JsonValue, parseJson } from "shared/core/json";
import type { ReconcileProblem } from "shared/core/reason";
import { type Answered, guardedGet, RequestFailed, type RequestLimits } from "shared/guarded-request";

/** Why a shop's orders could not be fetched. */
export class OrdersUnavailable extends Error {
  override name = "OrdersUnavailable";
  readonly problem: ReconcileProblem;

  constructor(problem: ReconcileProblem, options?: ErrorOptions) {
    super(problem.code, options);
    this.problem = problem;
  }
}

const maxBytes = 8 * 1_048_576;

/** A page of orders. `key`: the user's name and password as the shop's API takes them. @throws OrdersUnavailable */
export async function fetchOrders(
  url: string,
  key: string,
  limits: Pick<RequestLimits, "timeoutMs" | "allowed" | "stopping">,
): Promise<JsonObject[]> {
  const headers = { accept: "application/json", authorization: `Basic ${Buffer.from(key).toString("base64")}` };
  try {
    return readOrders((await guardedGet(url, { ...limits, maxBytes, needsTls: true }, { headers, judge })).bytes);
  } catch (error) {
    if (error instanceof RequestFailed) throw new OrdersUnavailable(problemOf(error, limits.timeoutMs), { cause: error });
    throw error;
  }
}

function judge({ statusCode: status, headers }: Answered): void {
  if (status >= 300 && status < 400) throw new OrdersUnavailable({ code: "shop_redirects" });
  if (status === 401 || status === 403) throw new OrdersUnavailable({ code: "shop_refuses_key", status });
  if (status === 404) throw new OrdersUnavailable({ code: "shop_without_orders" });
  if (status !== 200) throw new OrdersUnavailable({ code: "shop_failed", status });
  if ((headers["content-encoding"] ?? "identity") !== "identity") throw new OrdersUnavailable({ code: "shop_answer_unreadable" });
}

function problemOf({ fault, message }: RequestFailed, timeoutMs: number): ReconcileProblem {
  switch (fault) {
    case "address_private":
      return { code: "shop_address_private" };
    case "not_encrypted":
      return { code: "shop_not_encrypted" };
    case "too_large":
      return { code: "shop_answer_too_large", megabytes: maxBytes / 1_048_576 };
    case "timeout":
      return { code: "shop_timeout", seconds: timeoutMs / 1000 };
    case "unreachable":
      return { code: "shop_unreachable", cause: message.slice(0, 200) };
  }
}

/** What is no object in the list is no order. */
function readOrders(bytes: Buffer): JsonObject[] {
  const list = parseList(bytes.toString("utf8"));
  if (!Array.isArray(list)) throw new OrdersUnavailable({ code: "shop_answer_unreadable" });
  return list.filter((one): one is JsonObject => typeof one === "object" && one !== null && !Array.isArray(one));
}

function parseList(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new OrdersUnavailable({ code: "shop_answer_unreadable" }, { cause: error });
  }
}
