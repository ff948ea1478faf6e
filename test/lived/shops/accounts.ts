import { createAdminClient } from "admin-server/client";
import type { Role } from "shared/core/role";
import type { SourceType } from "shared/core/site";
import { messageTypes } from "shared/core/webhook";
import type { AdminClient } from "../../support/admin.ts";
import { data } from "../../support/data.ts";
import { waitFor } from "../../support/wait-for.ts";

export interface Login {
  readonly email: string;
  readonly password: string;
}

export interface LivedAccount extends Record<Role, Login> {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  /** The templates' ids by their names here. */
  readonly templates: Readonly<Record<TemplateName, string>>;
}

export interface LivedSite {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly sourceType: SourceType;
  /** Out of 100 events of all sites, how many come here. */
  readonly share: number;
  /** Both change when they are rotated. */
  apiKey: string;
  webhookSecret: string;
  readonly inboundUrl: string;
  /** The secret with which the shop itself signs. */
  signingSecret: string;
}

type NewSite = Pick<LivedSite, "name" | "sourceType" | "share">;

interface NewAccount extends Pick<LivedAccount, "name" | "timezone"> {
  readonly sites: readonly NewSite[];
}

/** Who uses the installation: a roastery with three shops, a clinic with an application of its own, a spice merchant who encrypts. */
export const newAccounts = data<readonly NewAccount[]>("test-lived-shops-accounts", "new accounts");

type TemplateInput = Parameters<AdminClient["templates"]["create"]["mutate"]>[0];

const text = (name: string, category: "UTILITY" | "MARKETING", body: string, ...examples: string[]) => ({
  name,
  category,
  body,
  examples: { body: examples },
});

const track = { type: "URL" as const, text: "Track the parcel", url: "https://parcels.example/{{1}}" };
const confirmed = text(
  "order_confirmed",
  "UTILITY",
  "Hello {{1}}, thank you for your order of {{2}}. We tell you when it is on its way.",
  "Ada",
  "EUR 34.80",
);
const shipped = text(
  "order_shipped",
  "UTILITY",
  "Hello {{1}}, your order {{2}} has left our house and is with you in two days.",
  "Ada",
  "10042",
);

/** What becomes of them stands in their names, by which the sandbox reviews. */
const templates = {
  confirmed: {
    ...confirmed,
    header: { format: "TEXT" as const, text: "Order {{1}}" },
    examples: { ...confirmed.examples, header: ["10042"] },
  },
  shipped: { ...shipped, buttons: [track], examples: { ...shipped.examples, buttonUrl: ["JD0146"] } },
  reminder: text(
    "appointment_reminder",
    "UTILITY",
    "Hello {{1}}, we look forward to seeing you at {{2}}. Please call if you cannot come.",
    "Ada",
    "9",
  ),
  cart: text(
    "cart_reminder",
    "MARKETING",
    "Hello {{1}}, there is still something in your basket. We keep it until tomorrow evening.",
    "Ada",
  ),
  offer: text(
    "spring_offer",
    "MARKETING",
    "Hello {{1}}, the new season is here, with 15 percent off until Sunday for friends of the house.",
    "Ada",
  ),
  staff: text(
    "staff_notice",
    "UTILITY",
    "Dear colleagues, the order {{1}} has been paid. Please pack it today and tell the customer.",
    "10042",
  ),
  rejected: text("reject_survey", "UTILITY", "Hello {{1}}, how did you like what you ordered last? Tell us in two minutes.", "Ada"),
  inReview: text("pending_policy", "UTILITY", "Hello {{1}}, our terms change next month. Please read them before you order again.", "Ada"),
  draft: text("pickup_ready", "UTILITY", "Hello {{1}}, your order is ready. Please pick it up until six o'clock today.", "Ada"),
};

export type TemplateName = keyof typeof templates;

type BindingInput = Omit<Parameters<AdminClient["bindings"]["create"]["mutate"]>[0], "siteId" | "templateId">;

const field = (path: string, fallback?: string) => ({ source: "field" as const, path, ...(fallback !== undefined && { fallback }) });
const person = field("customer.first_name", "there");
const number = field("order.number", "?");
const total = { source: "expression", expr: "total.with_currency", fallback: "your choice" } as const;
const today = { source: "expression", expr: "date.today" } as const;
const customer = { strategy: "customer" } as const;
/** The values of slots in their order. */
const slots = <Value>(...values: Value[]): Record<string, Value> => Object.fromEntries(values.map((value, at) => [String(at + 1), value]));

const waitsForCart = { delaySeconds: 7_200, cancelOn: { events: ["order.created"], by: "cart.id" }, restartBy: "cart.id" };
const dayBefore = { path: "data.starts_at", offsetSeconds: -86_400, ifPast: "skip" } as const;
const byDay = { days: [1, 2, 3, 4, 5, 6, 7], from: "08:00", to: "20:00" };
const large = { match: "all", rules: [{ path: "order.total", op: "gte", value: "50" }] } as const;

/** The bindings of every site: event, template, recipient, the values of the body, and the rest. */
const bindings: readonly [string, TemplateName, BindingInput["recipient"], object[], Partial<BindingInput>?][] = [
  ["order.created", "confirmed", customer, [person, total], { variableMap: { header: slots(number) } }],
  ["order.shipped", "shipped", customer, [person, number], { variableMap: { button_url: slots(field("order.tracking_number")) } }],
  ["payment.received", "staff", { strategy: "site_recipients" }, [number]],
  ["order.refunded", "staff", { strategy: "static_phone", phone: "+4915199990001" }, [number]],
  ["order.cancelled", "reminder", customer, [person, today], { conditions: large as never }],
  ["cart.updated", "cart", customer, [person], { ...waitsForCart, throttle: { max: 1, seconds: 3 * 86_400 } }],
  [
    "appointment.booked",
    "reminder",
    { strategy: "field_path", path: "data.phone" },
    [person, field("data.starts_at")],
    { dueAt: dayBefore, window: byDay, expiresSeconds: 86_400 },
  ],
  ["user.signup", "offer", customer, [person]],
  ["survey.asked", "rejected", customer, [person]],
];

/** A site's own phones, of which the platform refuses the last. Each gets one message at a time. */
const staffOf = (share: number) => ({
  "Roasting floor": `+49151999901${share}`,
  "Anna, sales": `+49151999902${share}`,
  "Old phone": "+15550101021",
});
export const password = "a good long password";

export const clientOf = (adminUrl: string, token?: string): AdminClient => createAdminClient({ url: adminUrl, token });

/** The session of a person who signs in now. */
export async function signIn(adminUrl: string, login: Login): Promise<string> {
  const answer = await clientOf(adminUrl).auth.login.mutate(login);
  if ("secondFactor" in answer) throw new Error(`${login.email} has a second factor`);
  return answer.token;
}

/** Opens an account by the API, as its owner would: colleagues, platform, templates, sites, bindings, endpoints. */
export async function openAccount(
  adminUrl: string,
  backendUrl: string,
  wanted: NewAccount,
): Promise<{ account: LivedAccount; sites: LivedSite[] }> {
  const slug = wanted.name.toLowerCase().replaceAll(/\W+/g, "-");
  const loginOf = (name: string): Login => ({ email: `${name}@${slug}.example`, password });
  const people = { owner: loginOf("olga"), operator: loginOf("oscar"), viewer: loginOf("vera") };
  const signedUp = await clientOf(adminUrl).auth.signUp.mutate({ accountName: wanted.name, ...people.owner, setupCode: "code" });
  const owner = clientOf(adminUrl, signedUp.token);
  const { account } = await owner.auth.me.query();
  await waitFor("the sandbox to be connected", async () => (await owner.settings.get.query()).platform.configured);
  await owner.settings.update.mutate({ timezone: wanted.timezone, messagesPerSecond: null });
  for (const role of ["operator", "viewer"] as const) {
    const { token } = await owner.users.invite.mutate({ email: people[role].email, role });
    await clientOf(adminUrl).users.acceptInvite.mutate({ token, name: `The ${role}`, password });
  }
  const ids = await makeTemplates(owner);
  const sites: LivedSite[] = [];
  for (const site of wanted.sites) sites.push(await openSite(owner, account.id, ids, site, `${backendUrl}/${slug}`));
  return { account: { ...wanted, ...people, id: account.id, templates: ids }, sites };
}

async function makeTemplates(owner: AdminClient): Promise<LivedAccount["templates"]> {
  const ids: Record<string, string> = {};
  for (const [key, input] of Object.entries(templates)) {
    const { template } = await owner.templates.create.mutate({ ...input, language: "en_US" } as TemplateInput);
    ids[key] = template.id;
    if (key !== "draft") await owner.templates.submit.mutate({ id: template.id });
  }
  await waitFor("the templates to be reviewed", async () => {
    await owner.templates.sync.mutate();
    return (await owner.templates.list.query({ status: "pending" })).items.length === 1;
  });
  return ids as LivedAccount["templates"];
}

async function openSite(
  owner: AdminClient,
  accountId: string,
  ids: LivedAccount["templates"],
  wanted: NewSite,
  backendUrl: string,
): Promise<LivedSite> {
  const { name, sourceType } = wanted;
  const shopSecret = `shpss_${name.toLowerCase()}_0123456789abcdef`;
  const made = await owner.sites.create.mutate({
    name,
    url: `https://${name.toLowerCase()}.example`,
    sourceType,
    testPhone: "+4915199990000",
    ...(sourceType === "shopify" && { sourceSecret: shopSecret }),
  });
  const siteId = made.site.id;
  for (const [label, phone] of Object.entries(staffOf(wanted.share))) await owner.recipients.add.mutate({ siteId, phone, label });
  for (const [event, template, recipient, body, more] of bindings) {
    const variableMap = { ...more?.variableMap, body: slots(...body) } as BindingInput["variableMap"];
    await owner.bindings.create.mutate({ ...more, siteId, event, templateId: ids[template], recipient, variableMap });
  }
  const url = `${backendUrl}/${name.toLowerCase()}`;
  // Whoever asks for everything makes most of the work: three deliveries of each message.
  const types = wanted.share <= 10 ? [...messageTypes] : (["message.read", "message.failed"] as const);
  await owner.webhooks.create.mutate({ siteId, url: `${url}/works`, types: [...types] });
  await owner.webhooks.create.mutate({ siteId, url: `${url}/fails`, types: ["message.failed"] });
  const { apiKey, webhookSecret } = made;
  const signingSecret = sourceType === "shopify" ? shopSecret : webhookSecret;
  return { ...wanted, id: siteId, accountId, apiKey, webhookSecret, inboundUrl: made.site.inboundUrl ?? "", signingSecret };
}
