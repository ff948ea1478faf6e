import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../faults/harness/scale.ts";
import { lead, looksRight, type WatchedPage } from "./stack.ts";
import { describeInBrowser, type Opened } from "./support.ts";

interface Look {
  /** The path; a part that begins with `$` stands for an id of the shop or of its parts: see `idsOfShop`. */
  path: string;
  /** A text that shows once the page is there. */
  landmark: string;
  as: "owner" | "viewer" | "nobody";
}

const looks: Look[] = [
  { path: "/sign-in", landmark: "E-mail", as: "nobody" },
  { path: "/no/such/page", landmark: "Page not found", as: "nobody" },
  { path: "/invite#$invitation", landmark: "Bean & Leaf, as viewer", as: "nobody" },
  { path: "/invite#token", landmark: "This invitation is no longer valid", as: "nobody" },
  { path: "/invite", landmark: "This link is incomplete", as: "nobody" },
  { path: "/reset-password#token", landmark: "Set a new password", as: "nobody" },
  { path: "/", landmark: "Messages per day", as: "owner" },
  { path: "/?days=90", landmark: "Sent, not confirmed", as: "owner" },
  { path: "/log", landmark: "demo_order_confirmation", as: "owner" },
  { path: "/log?template=none", landmark: "No messages match", as: "owner" },
  { path: "/scheduled", landmark: "No scheduled messages", as: "owner" },
  { path: "/statistics", landmark: "Messages by template", as: "owner" },
  { path: "/statistics?by=hour&from=2020-01-01&to=2020-01-02", landmark: "No messages in these days", as: "owner" },
  { path: "/log?open=$messageId", landmark: "WhatsApp accepted 1 message", as: "owner" },
  { path: "/orders/$orderId", landmark: "Accepted by WhatsApp", as: "owner" },
  { path: "/customers/$phone", landmark: "Ada Lovelace", as: "owner" },
  { path: "/customers/+15550001111", landmark: "Nothing is stored", as: "owner" },
  { path: "/customers/ada", landmark: "This is no phone number", as: "owner" },
  { path: "/log?search=nobody", landmark: "Search by order number", as: "owner" },
  { path: "/webhooks", landmark: "No endpoints yet", as: "owner" },
  { path: "/events", landmark: "order.created", as: "owner" },
  { path: "/events?open=$eventId", landmark: "1 recipient found", as: "owner" },
  { path: "/events?event=no.such.event", landmark: "No events match", as: "owner" },
  { path: "/no/such/page", landmark: "Page not found", as: "owner" },
  { path: "/sites", landmark: "Demo shop", as: "owner" },
  { path: "/sites?search=nowhere", landmark: "No matching sites", as: "owner" },
  { path: "/sites?create=true", landmark: "Add site", as: "owner" },
  { path: "/sites/$siteId", landmark: "Endpoint URL", as: "owner" },
  { path: "/sites/none", landmark: "Site not found", as: "owner" },
  { path: "/bindings", landmark: "The customer", as: "owner" },
  { path: "/bindings?event=no.such.event", landmark: "No matching bindings", as: "owner" },
  { path: "/bindings/new", landmark: "Choose a template to see the message", as: "owner" },
  { path: "/bindings/$bindingId", landmark: "With this data", as: "owner" },
  { path: "/bindings/$bindingId", landmark: "Your role does not see phone numbers", as: "viewer" },
  { path: "/settings/people", landmark: "oscar@example.com", as: "owner" },
  { path: "/settings/tokens", landmark: "Everyday", as: "owner" },
  { path: "/settings/audit", landmark: "oscar@example.com", as: "owner" },
  { path: "/settings/audit?actor=nobody", landmark: "No changes match", as: "owner" },
  { path: "/settings/account", landmark: "this session", as: "owner" },
  { path: "/settings/general", landmark: "where it is", as: "owner" },
  { path: "/settings/platform", landmark: "How to set up the callback", as: "owner" },
  { path: "/settings/alerts", landmark: "No channels yet", as: "owner" },
  { path: "/settings/alerts", landmark: "No alerts", as: "viewer" },
  { path: "/confirm-alerts#token", landmark: "Yes, send me alerts", as: "nobody" },
  { path: "/settings/privacy", landmark: "Erase personal data", as: "owner" },
  { path: "/phone", landmark: "Hello Ada", as: "owner" },
  { path: "/phone?to=%2B14155550123", landmark: "Hello Ada", as: "owner" },
  { path: "/phone?to=%2B14155559999", landmark: "No messages to", as: "owner" },
  { path: "/sites/$siteId", landmark: "Endpoint URL", as: "viewer" },
  { path: "/settings/people", landmark: "No access", as: "viewer" },
  { path: "/getting-started", landmark: "Open in log", as: "owner" },
  { path: "/developers", landmark: "Quick start", as: "viewer" },
  { path: "/developers?q=retry", landmark: "results", as: "viewer" },
  { path: "/developers/authentication", landmark: "Node 18 or newer", as: "viewer" },
  { path: "/developers/signature-checker", landmark: "Webhook secret", as: "viewer" },
  { path: "/templates", landmark: "demo_order_confirmation", as: "owner" },
  { path: "/templates?search=nothing", landmark: "No matching templates", as: "owner" },
  { path: "/templates/new", landmark: "Your message appears here", as: "owner" },
  { path: "/templates/new?from=$templateId", landmark: "Hello Ada", as: "owner" },
  { path: "/templates/$templateId", landmark: "created here", as: "owner" },
  { path: "/templates/gallery?language=ar", landmark: "Abandoned cart", as: "owner" },
  { path: "/templates/gallery?search=nothing+like+it", landmark: "Nothing in the gallery matches", as: "owner" },
  { path: "/templates/gallery?language=de", landmark: "Abandoned cart", as: "viewer" },
  { path: "/templates/nonsense", landmark: "Template not found", as: "owner" },
  { path: "/templates/$templateId", landmark: "created here", as: "viewer" },
];

/** The page of a path, whatever it shows. */
const pageOf = (path: string): string =>
  path.replace(/[?#].*/u, "").replace(/^\/(sites|bindings|templates|customers)\/(?!new|gallery).+/u, "/$1/one");

/** The usual run looks at each page once, in the light and the dark by turns; the long run looks at all that it may show, in both. */
const looked = looks.filter(({ path }, at) => isLong || at === looks.findIndex((look) => pageOf(look.path) === pageOf(path)));

describeInBrowser("how every page looks", (opened) => {
  let ids: Awaited<ReturnType<typeof idsOfShop>>;
  const pages = new Map<Look["as"], WatchedPage>();

  beforeAll(async () => {
    const { open, owner, viewer } = opened();
    await owner.client.tokens.create.mutate({ name: "Everyday", role: "viewer" });
    ids = await idsOfShop(opened());
    const tokens = { owner: owner.token, viewer: viewer.token, nobody: undefined };
    for (const as of ["nobody", "viewer", "owner"] as const) pages.set(as, await open({ token: tokens[as] }));
  });

  afterAll(async () => {
    for (const watched of pages.values()) await watched[Symbol.asyncDispose]();
  });

  test.each(looked)("$path ($as) is accessible, quiet, of files alone and no wider than the window", async (look) => {
    const { path, landmark, as } = look;
    const watched = pages.get(as);
    if (watched === undefined) throw new Error(`no page is open as ${as}`);
    const { page } = watched;
    await lead(
      page,
      path.replace(/\$\w+/u, (name) => ids[name] ?? name),
    );
    await page.getByText(landmark).filter({ visible: true }).first().waitFor();
    await page.emulateMedia({ colorScheme: isLong || looked.indexOf(look) % 2 === 0 ? "light" : "dark" });
    await looksRight(watched, {});
    expect(await page.locator("style").count()).toBe(0);
    expect(watched.problems.splice(0)).toEqual([]);
  });
});

async function idsOfShop({ owner }: Opened): Promise<Record<string, string | undefined>> {
  const { sites, bindings, notifications, events, users } = owner.client;
  const siteId = (await sites.list.query({ search: "Demo shop" })).items[0]?.id;
  const [binding] = (await bindings.list.query({ siteId })).items;
  const [message] = (await notifications.list.query({ siteId })).items;
  const [event] = (await events.list.query({ siteId, event: "order.created" })).items;
  const invitation = await users.invite.mutate({ email: "looker@example.com", role: "viewer" });
  return {
    $invitation: invitation.token,
    $siteId: siteId,
    $bindingId: binding?.id,
    $templateId: binding?.templateId,
    $messageId: message?.id,
    $eventId: event?.id,
    $phone: event?.recipient ?? undefined,
    $orderId: event?.orderId ?? undefined,
  };
}
