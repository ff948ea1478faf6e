import { signBody, signStandard } from "shared/secrets/signature";
import { expect, test } from "vitest";
import { type Received, startReceiver } from "../../support/receiver.ts";
import { shared } from "../../support/shared.ts";
import { waitFor } from "../../support/wait-for.ts";
import { looksRight } from "../stack.ts";
import { describeInBrowser, ownShop, press } from "../support.ts";

const ada = "+4915112345603";

describeInBrowser("the pages of webhooks", (opened) => {
  const receiver = shared(startReceiver);

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
    await press(section.getByRole("link", { name: "Add endpoint" }));
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("URL").fill("ftp://shop.example");
    for (const words of ["WhatsApp accepted", "on the recipient's phone", "opened a message", "could not be sent"])
      await dialog.getByLabel(words).uncheck();
    await dialog.getByRole("button", { name: "Add endpoint" }).click();
    await dialog.getByText("Must be an address like").waitFor();
    await dialog.getByText("Must name at least one type").waitFor();
    await dialog.getByLabel("URL").fill("https://10.0.0.1/hooks");
    await dialog.getByLabel("A message is on the recipient's phone").check();
    await dialog.getByRole("button", { name: "Add endpoint" }).click();
    await dialog.getByText("Is not an address of the internet").waitFor();
    await looksRight(watched);
    await dialog.getByLabel("URL").fill(receiver.url);
    await dialog.getByLabel("URL").press("Enter");

    const secret = await dialog.getByRole("textbox", { name: "Endpoint secret" }).inputValue();
    expect(secret).toMatch(/^whsec_/u);
    await page.keyboard.press("Escape");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy Endpoint secret" }).click();
    await dialog.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await looksRight(watched);
    await dialog.getByRole("button", { name: "I have saved it" }).click();
    await page.goto(`/sites/${shop.site.id}?tab=webhooks`);
    await section.getByText(`whsec_…${secret.slice(-4)}`).waitFor();
    expect(await page.content()).not.toContain(secret);
    await section.getByRole("table", { name: "Endpoints" }).getByRole("link").click();
    await page.getByText("No deliveries yet").waitFor();
    await page.getByRole("button", { name: "Send test event" }).first().waitFor();
    await looksRight(watched);

    await untilTold(shop);
    const [{ body, headers, json } = { body: "", headers: {} as Record<string, string>, json: {} }] = receiver.received;
    expect(json).toMatchObject({ type: "message.delivered", site_id: shop.site.id, to_phone: ada });
    expect(headers["x-service-signature"]).toBe(signBody(secret, Buffer.from(body)));
    expect(signaturesOf({ headers })).toEqual([standardSignature(secret, { headers, body })]);
    const row = page.getByRole("table", { name: "Deliveries" }).getByRole("row").filter({ hasText: "message.delivered" }).first();
    await row.getByText("delivered", { exact: true }).last().waitFor();
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
});

const signaturesOf = ({ headers }: Pick<Received, "headers">): string[] => String(headers["webhook-signature"]).split(" ");

const standardSignature = (secret: string, { headers, body }: Pick<Received, "headers" | "body">): string =>
  signStandard(secret, { id: String(headers["webhook-id"]), timestamp: String(headers["webhook-timestamp"]) }, Buffer.from(body));
