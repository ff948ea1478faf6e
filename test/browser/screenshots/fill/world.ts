import { postEvent } from "../../../support/gateway/post-event.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { owner } from "../../as-a-person.ts";
import type { Stack } from "../../open-stack.ts";
import { writeHistory } from "./history.ts";
import { orderOf } from "./orders.ts";
import { addPeople } from "./people.ts";
import { setUp } from "./set-up.ts";

/** Whose pages are shown: an account that was opened a moment ago, and one with a month of work behind it. */
export interface World {
  emptyToken: string;
  fullToken: string;
  siteId: string;
  templateId: string;
  bindingId: string;
  orderId: string;
  eventId: string;
  failedId: string;
}

const liveOrders = 18;

export async function fillWorld(stack: Stack): Promise<World> {
  const { admin, sql } = stack;
  const full = await admin.client().auth.signUp.mutate({ accountName: "Bean & Leaf", ...owner });
  const empty = await admin.client().auth.signUp.mutate({ accountName: "New shop", email: "new@example.com", password: owner.password });
  const client = admin.client(full.token);
  const { account } = await client.auth.me.query();
  await waitFor("the sandbox to be connected", async () => (await client.settings.get.query()).platform.configured);
  const { shop, templateIds, bindingId } = await setUp(client);
  await writeHistory(sql, { accountId: account.id, siteId: shop.site.id, bindingId, templateIds });
  await rejectOne(stack, templateIds["survey"] ?? "");
  await addPeople(stack, client, account.id);
  const { orderId, eventId } = await postOrders(stack, { key: shop.apiKey, secret: shop.webhookSecret });
  const failed = await waitFor("a message to fail", async () => (await client.notifications.list.query({ status: "failed" })).items[0]);
  await waitFor("a message to be read", async () => (await client.notifications.list.query({ eventId })).items[0]?.status === "read");
  return {
    emptyToken: empty.token,
    fullToken: full.token,
    siteId: shop.site.id,
    templateId: templateIds["confirmation"] ?? "",
    bindingId,
    orderId,
    eventId,
    failedId: failed.id,
  };
}

async function postOrders({ gateway }: Stack, sender: { key: string; secret: string }): Promise<{ orderId: string; eventId: string }> {
  const post = async (n: number, event: string, headers = {}) =>
    (await postEvent(gateway, sender, orderOf(n, event), { source: "woocommerce", event, headers })).json;
  for (let n = 1; n < liveOrders; n += 1) await post(n, "order.created", n % 6 === 0 ? { "X-Service-Mode": "test" } : {});
  const { event_id, order_id } = await post(0, "order.created");
  await post(0, "order.shipped");
  return { eventId: String(event_id), orderId: String(order_id) };
}

/** The platform takes an approval back, and says why. */
async function rejectOne({ sandbox, sql }: Stack, id: string): Promise<void> {
  const [template] = await sql<{ platform_id: string }[]>`select platform_id from template where id = ${id}`;
  await fetch(`${sandbox.url}/_sandbox/templates/${template?.platform_id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ status: "REJECTED", reason: "INCORRECT_CATEGORY" }),
  });
  await waitFor(
    "the rejection to be told",
    async () => (await sql`select from template where id = ${id} and status = 'rejected'`).count === 1,
  );
}
