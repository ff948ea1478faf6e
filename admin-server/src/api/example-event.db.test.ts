import { expect, it } from "vitest";
import { openAdmin, refusal } from "../../../test/support/admin.ts";
import { answeringServer } from "../../../test/support/platform.ts";

it("posts to the site's inbound address, and says what the gateway answers, or that it does not", async () => {
  const answers = [
    { text: '{"ok":true,"event_id":"e1","chat":"accepted"}' },
    { status: 403, text: '{"error":"Site is disabled"}' },
    { text: "<html>" },
  ];
  const gateway = await answeringServer((_request, index) => answers[index] ?? {});
  await using admin = await openAdmin({ publicGatewayUrl: gateway.url });
  const { client } = await admin.signUp();
  const { site } = await client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
  const send = (id = site.id) => client.sites.sendExample.mutate({ id, event: "order.paid", phone: "+491701234567" });
  expect(await send()).toEqual({ eventId: "e1" });
  expect(gateway.seen[0]).toMatchObject({
    method: "POST",
    path: new URL(site.inboundUrl ?? "").pathname,
    body: { type: "order.paid", event: "order.paid", customer: { phone_e164: "+491701234567" } },
  });
  expect((await refusal(send())).message).toBe("The gateway refused the event (403): Site is disabled");
  expect((await refusal(send())).message).toContain("The gateway does not answer at http://127.0.0.1");
  await gateway[Symbol.asyncDispose]();
  expect(await refusal(send())).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("PUBLIC_GATEWAY_URL") });
  const shop = await client.sites.create.mutate({ name: "Shopify", url: "https://shop.example", sourceType: "shopify" });
  expect((await refusal(send(shop.site.id))).message).toBe("A shop posts its events by itself: place an order there");
  expect(gateway.seen).toHaveLength(3);
});
