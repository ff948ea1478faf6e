import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { newId } from "shared/db/ids";
import { setReconcile } from "shared/db/reconcile";
import { type Pool, inTransaction } from "shared/db/statement";
import { secretPlace } from "shared/secrets/vault";
import { vault } from "./gateway.ts";
import { listen } from "./listen.ts";
import { openPostingShop, type PostingShop, type PostingShopOptions } from "./shop-requests.ts";
import { shopBody } from "./shops/bodies.ts";

/** An order in the form of WooCommerce's REST API and webhooks. */
export interface WooOrder {
  id: number;
  status: string;
  date_created_gmt: string;
  date_modified_gmt: string;
  billing: Record<string, string>;
  refunds?: object[];
}

const gmt = (at: number): string => new Date(at).toISOString().slice(0, 19);

/** An order of a customer with a phone of their own, made and changed this many minutes ago. */
export function wooOrder(id: number, changes: { status?: string; createdAgo?: number; modifiedAgo?: number } = {}): WooOrder {
  const { status = "pending", createdAgo = 30, modifiedAgo = createdAgo } = changes;
  const order = JSON.parse(shopBody("woocommerce-order-created")) as WooOrder;
  return {
    ...order,
    id,
    status,
    date_created_gmt: gmt(Date.now() - createdAgo * 60_000),
    date_modified_gmt: gmt(Date.now() - modifiedAgo * 60_000),
    billing: { ...order.billing, phone: `+49171${String(id).padStart(7, "0")}` },
  };
}

type Answer = (request: IncomingMessage, response: ServerResponse, page: () => WooOrder[]) => unknown;

/** A shop that answers with its orders, on this machine. */
export interface RestShop extends AsyncDisposable {
  url: string;
  orders: WooOrder[];
  /** The requests, with the credentials that came. */
  requests: { url: URL; authorization: string | undefined }[];
  /** The most requests at one moment. */
  mostAtOnce: number;
  /** The answer in place of the usual one; null: the usual one. */
  answer: Answer | null;
}

export async function startRestShop(): Promise<RestShop> {
  let open = 0;
  const server = createServer((request, response) => {
    shop.mostAtOnce = Math.max(shop.mostAtOnce, (open += 1));
    response.on("close", () => (open -= 1));
    const url = new URL(request.url ?? "", shop.url);
    shop.requests.push({ url, authorization: request.headers.authorization });
    const page = (): WooOrder[] => pageOf(shop.orders, url.searchParams);
    const usual: Answer = () => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(page()));
    void (shop.answer ?? usual)(request, response, page);
  });
  const shop: RestShop = {
    ...(await listen(server)),
    orders: [],
    requests: [],
    mostAtOnce: 0,
    answer: null,
  };
  return shop;
}

function pageOf(orders: readonly WooOrder[], query: URLSearchParams): WooOrder[] {
  const after = query.get("modified_after") ?? "";
  const size = Number(query.get("per_page") ?? 10);
  const first = (Number(query.get("page") ?? 1) - 1) * size;
  const changed = orders.filter((order) => order.date_modified_gmt > after);
  return changed.toSorted((a, b) => b.date_modified_gmt.localeCompare(a.date_modified_gmt)).slice(first, first + size);
}

export const restKey = "ck_key:cs_secret";

/** A WooCommerce site with the key of the shop, which is asked for its orders at once, or first by `askAgain`. */
export async function openAskedShop(
  sql: Pool,
  { url }: { url: string },
  { isDue = true, ...options }: PostingShopOptions & { isDue?: boolean } = {},
): Promise<PostingShop> {
  const shop = await openPostingShop(sql, "woocommerce", options);
  await sql`update site set url = ${url} where id = ${shop.siteId}`;
  const id = newId();
  await inTransaction(sql, async (transaction) => {
    await setReconcile(transaction, shop.siteId, { id, secret: vault.seal(restKey, secretPlace(shop.accountId, id)), hint: "_key" });
    if (!isDue) await transaction`update reconcile set due_at = 'infinity' where site_id = ${shop.siteId}`;
  });
  return shop;
}

/** Makes the shop's next run due; resolves when it has ended, with the state that it left. */
export async function askAgain(sql: Pool, { siteId }: { siteId: string }): Promise<{ taken: number; problem: { code: string } | null }> {
  const due = () => sql`update reconcile set due_at = now(), last_at = null where site_id = ${siteId} and owner is null`;
  while ((await due()).count === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  for (;;) {
    const [row] = await sql<{ taken: number; problem: { code: string } | null }[]>`
      select taken, problem from reconcile where site_id = ${siteId} and last_at is not null and owner is null`;
    if (row !== undefined) return row;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
