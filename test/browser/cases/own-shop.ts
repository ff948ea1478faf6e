import { demoEvent, demoPayload, demoTemplate, demoVariableMap } from "admin-server/cli/demo";
import { postEvent } from "../../support/requests.ts";
import type { Opened } from "./opened.ts";

/** A site of a test's own that confirms orders by the demo's template. `order` posts one for a phone. */
export async function ownShop({ owner, gateway }: Opened, name: string) {
  const { client } = owner;
  const { site, apiKey, webhookSecret } = await client.sites.create.mutate({ name, url: "https://own.example", sourceType: "generic" });
  const [template] = (await client.templates.list.query({ search: demoTemplate.name })).items;
  await client.bindings.create.mutate({
    siteId: site.id,
    event: demoEvent,
    templateId: template?.id ?? "",
    recipient: { strategy: "customer" },
    variableMap: demoVariableMap,
  });
  const order = (phone: string, firstName: string) =>
    postEvent(
      gateway,
      { key: apiKey, secret: webhookSecret },
      { ...demoPayload, customer: { ...demoPayload.customer, first_name: firstName, phone_e164: phone } },
    );
  return { site, order };
}
