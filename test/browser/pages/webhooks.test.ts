import { signBody, signStandard } from "shared/secrets/signature";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Received, type Receiver, startReceiver } from "../../support/receiver.ts";
import { waitFor } from "../../support/wait-for.ts";
import { lead, looksRight } from "../stack.ts";
import { describeInBrowser, detail, type Opened, ownShop, press } from "../support.ts";

const ada = "+4915112345603";

describeInBrowser("the pages of webhooks", (opened) => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => {
    receiver.script((_, response) => response.writeHead(204).end());
    receiver.received.splice(0);
  });
  afterAll(async () => {
    await receiver?.[Symbol.asyncDispose]();
  });

  /** A shop with an endpoint that is told of sent and delivered messages; its secret. */
  async function toldShop({ operator }: Opened, name: string, url = receiver.url) {
    const shop = await ownShop(opened(), name);
    const types: ("message.sent" | "message.delivered")[] = ["message.sent", "message.delivered"];
    const { webhook, secret = "" } = await operator.client.webhooks.create.mutate({ siteId: shop.site.id, url, types });
    return { ...shop, webhook, secret };
  }
  /** Waits until gateways have learned of a new endpoint. */
  const untilTold = async ({ order }: { order: (phone: string, name: string) => Promise<unknown> }) =>
    waitFor("the endpoint to be told", async () => {
      if (receiver.received.length === 0) await order(ada, "Ada");
      return receiver.received.length > 0;
    });

  test("an endpoint is added, its secret shown once, and what it is told of an event is signed by that and stands in the list", async () => {
    const { open, owner } = opened();
    const shop = await ownShop(opened(), "Told shop");
    await using watched = await open({ token: owner.token });
    const { page } = watched;
    await page.goto(`/sites/${shop.site.id}?tab=webhooks`);
    const section = page.getByRole("region", { name: "Endpoints" });
    await section.getByText("No endpoints yet").waitFor();
    await looksRight(watched);
    await press(section.getByRole("button", { name: "Add endpoint" }));
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill("ftp://shop.example");
    for (const words of ["WhatsApp accepted", "on the recipient's phone", "opened a message", "could not be sent"])
      await dialog.getByLabel(words).uncheck();
    await dialog.getByRole("button", { name: "Add endpoint" }).click();
    await dialog.getByText("Must be an address like").waitFor();
    await dialog.getByText("Must name at least one type").waitFor();
    await dialog.getByLabel("Address").fill("https://10.0.0.1/hooks");
    await dialog.getByLabel("A message is on the recipient's phone").check();
    await dialog.getByRole("button", { name: "Add endpoint" }).click();
    await dialog.getByText("Is not an address of the internet").waitFor();
    await looksRight(watched);
    await dialog.getByLabel("Address").fill(receiver.url);
    await dialog.getByLabel("Address").press("Enter");

    const secret = await dialog.getByRole("textbox", { name: "Endpoint secret" }).inputValue();
    expect(secret).toMatch(/^whsec_/u);
    await page.keyboard.press("Escape");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy Endpoint secret" }).click();
    await dialog.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await looksRight(watched);
    await dialog.getByRole("button", { name: "I have saved it" }).click();
    await section.getByText(`whsec_…${secret.slice(-4)}`).waitFor();
    expect(await page.content()).not.toContain(secret);

    await untilTold(shop);
    const [{ body, headers, json } = { body: "", headers: {} as Record<string, string>, json: {} }] = receiver.received;
    expect(json).toMatchObject({ type: "message.delivered", site_id: shop.site.id, to_phone: ada });
    expect(headers["x-service-signature"]).toBe(signBody(secret, Buffer.from(body)));
    expect(signaturesOf({ headers })).toEqual([standardSignature(secret, { headers, body })]);
    await section.getByRole("table", { name: "Endpoints" }).getByRole("link").click();
    const row = page.getByRole("table", { name: "Deliveries" }).getByRole("row").filter({ hasText: "message.delivered" }).first();
    await row.getByText("delivered", { exact: true }).waitFor();
    await looksRight(watched);
    await press(row.getByRole("link", { name: "message.delivered" }));
    await dialog.getByRole("table", { name: "Attempts" }).getByRole("cell", { name: "204" }).waitFor();
    await dialog.getByText(`"to_phone": "${ada}"`).waitFor();
    await looksRight(watched);
    await dialog.getByRole("link", { name: "Open the message" }).click();
    await dialog.getByRole("link", { name: /^\d+ deliver/u }).click();
    await page.getByRole("button", { name: /^Message ID:/u }).waitFor();
    await row.waitFor();
    expect(watched.problems).toEqual([]);
  });

  detail("one that fails shows its attempts, is told of on the overview, and takes everything once it is repaired", async () => {
    const { open, operator, sql } = opened();
    receiver.script((_, response) => response.writeHead(500, { "x-from": "the shop" }).end("The basement is full of water"));
    const shop = await toldShop(opened(), "Flooded shop");
    await untilTold(shop);
    await using watched = await open({ token: operator.token });
    const { page, problems } = watched;
    await page.goto(`/webhooks?webhookId=${shop.webhook.id}`);
    const row = page.getByRole("row").filter({ hasText: "message.sent" }).first();
    await row.getByText("failed, retrying").waitFor();
    await row.getByText("500 Internal Server Error").waitFor();
    await looksRight(watched);
    await row.getByRole("link").click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("cell", { name: "500" }).first().waitFor();
    await drawer.getByText("The basement is full of water").waitFor();
    await drawer.getByText("x-from: the shop").waitFor();
    await looksRight(watched);

    await sql`update webhook_delivery set status = 'failed' where webhook_id = ${shop.webhook.id} and owner is null`;
    await sql`update webhook set failing_since = now() - interval '20 minutes' where id = ${shop.webhook.id}`;
    await lead(page, "/");
    const finding = page
      .getByRole("region", { name: "Problems" })
      .getByRole("article")
      .filter({ hasText: `The endpoint at ${new URL(receiver.url).host}` });
    await finding.getByRole("link", { name: "Show" }).click();
    await page.getByRole("link", { name: "Webhooks" }).last().click();
    await page.getByRole("table", { name: "Endpoints" }).getByText("failing").waitFor();
    await looksRight(watched);

    receiver.script((_, response) => response.writeHead(200).end("Thank you"));
    await lead(page, `/webhooks?webhookId=${shop.webhook.id}&status=failed`);
    const failed = page.getByRole("table", { name: "Deliveries" }).getByRole("link");
    const count = await waitFor("the failed ones", async () => await failed.count());
    await failed.first().click();
    await drawer.getByText("Failed. 500").waitFor();
    await press(drawer.getByRole("button", { name: "Replay" }));
    await drawer.getByText("Delivered: the endpoint answered 200.").waitFor();
    await drawer.getByText("Thank you").waitFor();
    await drawer.getByRole("button", { name: "Close" }).click();
    if (count > 1) {
      await page.getByRole("button", { name: "Retry all…" }).click();
      await looksRight(watched);
      await drawer.getByRole("button", { name: "Retry deliveries" }).click();
      await page.getByText(/^\d+ deliver(?:y|ies) replayed\.$/u).waitFor();
    }
    await page.getByText("Nothing matches these filters").waitFor();
    await lead(page, `/sites/${shop.site.id}?tab=webhooks`);
    await page.getByRole("table", { name: "Endpoints" }).getByText("on", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });
});

const signaturesOf = ({ headers }: Pick<Received, "headers">): string[] => String(headers["webhook-signature"]).split(" ");

const standardSignature = (secret: string, { headers, body }: Pick<Received, "headers" | "body">): string =>
  signStandard(secret, { id: String(headers["webhook-id"]), timestamp: String(headers["webhook-timestamp"]) }, Buffer.from(body));
