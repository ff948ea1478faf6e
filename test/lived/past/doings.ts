import { randomUUID } from "node:crypto";
import type { Role } from "shared/core/role";
import type { AdminClient } from "../../support/admin.ts";
import { shopHeaders } from "../../support/shop-requests.ts";
import { waitFor } from "../../support/wait-for.ts";
import { clientOf, type LivedAccount, type LivedSite, signIn } from "../shops/accounts.ts";
import type { Backend } from "../shops/backend.ts";
import { callSandbox } from "../shops/sandbox.ts";
import type { Sender } from "../shops/sender.ts";
import { orderFor } from "../shops/traffic.ts";
import type { PastInstallation } from "./installation.ts";

/** A day of the past, and what there is on it. */
export interface PastDay extends Pick<PastInstallation, "adminUrl" | "gatewayUrl" | "sandboxUrl" | "controlToken"> {
  day: number;
  accounts: LivedAccount[];
  sites: LivedSite[];
  backend: Backend;
  sender: Sender;
  /** The accounts whose customers cannot be reached today. */
  isBadDay: Set<string>;
  /** The sites to which nothing is posted today. */
  closed: Set<string>;
}

/** The accounts' places in the list. */
const [roastery, clinic, spices] = [0, 1, 2] as const;

type Run = (today: PastDay) => Promise<unknown>;

/** What happens on a day before, during or after its events. */
type Doing = readonly [day: number, when: "before" | "during" | "after", what: string, run: Run];

export const doings: readonly Doing[] = [
  [2, "before", "an account has no platform any more", change(spices, { platform: null })],
  [3, "before", "the platform is connected again", async (today) => (await as(today, spices)).settings.connectSandbox.mutate()],
  [4, "after", "people write a stop word, one comes back", peopleStop],
  [5, "before", "the platform's token expires", (today) => refuseEverything(today, 190)],
  [6, "before", "a new token is entered", replaceToken],
  [7, "during", "keys and secrets are replaced", rotateSecrets],
  [8, "before", "the platform pauses a template", changeTemplate("PAUSED")],
  [9, "during", "a shop opens for a day", openForADay],
  [10, "before", "the platform takes the pause back", changeTemplate("APPROVED")],
  [11, "before", "an account encrypts from now on", change(spices, { encryptPayloads: true })],
  [12, "before", "the customers' backends are down", async ({ backend }) => (backend.isDown = true)],
  [13, "before", "the backends are up again", async ({ backend }) => (backend.isDown = false)],
  [14, "before", "most customers cannot be reached", async ({ accounts, isBadDay }) => isBadDay.add(accounts[roastery]?.id ?? "")],
  [15, "after", "failed messages are sent again, one and many", sendAgain],
  [16, "before", "an endpoint is gone", (today) => addEndpoint(today, "gone")],
  [17, "after", "a new binding gets the events that it missed", backfill],
  [18, "after", "an event is replayed, tests are sent", replayAndTest],
  [19, "during", "an endpoint is deleted while messages leave", endpointUnderLoad],
  [20, "before", "a site is switched off", switchSite({ enabled: false })],
  [21, "before", "it is on again, and holds its messages", switchSite({ enabled: true, holdMessages: true })],
  [22, "before", "it sends what it has held", switchSite({ holdMessages: false })],
  [22, "after", "a shop signs with a wrong secret", wrongSecret],
  [23, "after", "a person is forgotten, an opt-out lifted", forgetAndLift],
  [24, "after", "what waits is cancelled, or sent at once", changeWaiting],
  [25, "before", "alerts go to a channel; views, tokens and invitations are made", furnish],
  [27, "before", "payloads are kept for two weeks", change(clinic, { retention: { payloadDays: 14 } })],
];

/** A client of one of an account's people. */
async function as({ adminUrl, accounts }: PastDay, account: number, role: Role = "owner"): Promise<AdminClient> {
  const found = accounts[account];
  if (found === undefined) throw new Error(`there is no account ${account}`);
  return clientOf(adminUrl, await signIn(adminUrl, found[role]));
}

type Settings = Parameters<AdminClient["settings"]["update"]["mutate"]>[0];

function change(account: number, settings: Settings): Run {
  return async (today) => (await as(today, account)).settings.update.mutate(settings);
}

const siteOf = ({ sites }: PastDay, name: string): LivedSite => {
  const found = sites.find((site) => site.name === name);
  if (found === undefined) throw new Error(`there is no site ${name}`);
  return found;
};

const stopping = ["+491520000001", "+491520000002", "+491520000003", "+491520000004"] as const;

async function peopleStop(today: PastDay): Promise<void> {
  const owner = await as(today, roastery);
  const site = siteOf(today, "Subscriptions");
  await today.sender.send(stopping.map((phone, n) => orderFor(site, phone, n, "user.signup")));
  for (const from of stopping.slice(1)) await owner.sandbox.answer.mutate({ from, text: "STOP" });
  const { phoneNumberId } = (await owner.settings.get.query()).platform;
  await callSandbox(today, "POST", "preferences", { phoneNumberId, from: stopping[0], value: "stop" });
  await waitFor("the stop words", async () => (await owner.optOuts.list.query({ phone: stopping[3] })).items.length > 0);
  await owner.sandbox.answer.mutate({ from: stopping[3], text: "start" });
  await waitFor("the start word", async () => (await owner.optOuts.list.query({ phone: stopping[3] })).items.length === 0);
  await today.sender.send(stopping.map((phone, n) => orderFor(site, phone, n + 10, "user.signup")));
}

async function refuseEverything(today: PastDay, refuseCode: number | null): Promise<void> {
  const { wabaId } = (await (await as(today, roastery)).settings.get.query()).platform;
  await callSandbox(today, "PATCH", `accounts/${wabaId}`, { refuseCode });
}

async function replaceToken(today: PastDay): Promise<void> {
  await refuseEverything(today, null);
  const owner = await as(today, roastery);
  const { platform } = await owner.settings.get.query();
  const { id = "", name } = today.accounts[roastery] ?? {};
  const wanted = { owner: id, name, callbackUrl: platform.webhookUrl, verifyToken: platform.verifyToken };
  const { wabaId, phoneNumberId, accessToken, appSecret } = await callSandbox(today, "POST", "accounts", wanted);
  await owner.settings.update.mutate({ platform: { wabaId, phoneNumberId, accessToken, appSecret } as never });
}

async function rotateSecrets(today: PastDay): Promise<void> {
  const owner = await as(today, roastery);
  const site = siteOf(today, "Subscriptions");
  const overlapSeconds = 3_600;
  site.apiKey = (await owner.sites.rotateApiKey.mutate({ id: site.id, overlapSeconds })).apiKey;
  site.webhookSecret = (await owner.sites.rotateWebhookSecret.mutate({ id: site.id, overlapSeconds })).webhookSecret;
  await owner.webhooks.rotateSecret.mutate({ siteId: site.id, overlapSeconds });
}

function changeTemplate(status: "PAUSED" | "APPROVED"): Run {
  return async (today) => {
    for (const [place, { templates }] of today.accounts.entries()) {
      const [owner, id] = [await as(today, place), templates.offer];
      const { template } = await owner.templates.get.query({ id });
      await callSandbox(today, "PATCH", `templates/${template.platformId}`, { status });
      const isTold = async () => (await owner.templates.get.query({ id })).template.status === status.toLowerCase();
      await waitFor("the template's new status", isTold);
    }
  };
}

async function sendAgain(today: PastDay): Promise<void> {
  const operator = await as(today, roastery, "operator");
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const [failed] = (await operator.notifications.list.query({ status: "failed", errorCode: "131021" })).items;
  await operator.notifications.resend.mutate({ id: failed?.id ?? "", force: true });
  const { job } = await operator.notifications.resendMany.mutate({
    from: yesterday,
    to: yesterday,
    errorCodes: ["131026"],
    siteId: siteOf(today, "Atelier").id,
  });
  await waitFor("the resends", async () => (await operator.notifications.resendJob.query({ id: job.id })).job.finishedAt !== null);
}

async function addEndpoint(today: PastDay, end: string): Promise<string> {
  const url = `${today.backend.url}/bean-leaf/subscriptions/${end}`;
  const { webhook } = await (
    await as(today, roastery)
  ).webhooks.create.mutate({ siteId: siteOf(today, "Subscriptions").id, url, types: ["message.sent", "message.read"] });
  return webhook.id;
}

async function backfill(today: PastDay): Promise<void> {
  const operator = await as(today, roastery, "operator");
  const { binding } = await operator.bindings.create.mutate({
    siteId: siteOf(today, "Subscriptions").id,
    event: "loyalty.points",
    templateId: today.accounts[roastery]?.templates.reminder ?? "",
    recipient: { strategy: "customer" },
    variableMap: { body: { "1": { source: "field", path: "customer.first_name" }, "2": { source: "field", path: "data.points" } } },
  });
  const since = new Date(Date.now() - 8 * 86_400_000).toISOString();
  await operator.bindings.backfillPreview.query({ id: binding.id, since });
  await operator.bindings.backfill.mutate({ id: binding.id, since, requestId: randomUUID() });
  await waitFor(
    "the backfill",
    async () => (await operator.bindings.backfills.query({ bindingId: binding.id })).items[0]?.finishedAt != null,
  );
}

async function replayAndTest(today: PastDay): Promise<void> {
  const operator = await as(today, roastery, "operator");
  const site = siteOf(today, "Subscriptions");
  const [event] = (
    await operator.events.list.query({ siteId: site.id, outcome: "sent", event: "order.created", test: false, dryRun: false })
  ).items;
  const { replay } = await operator.events.replay.mutate({ id: event?.id ?? "", requestId: randomUUID() });
  await operator.events.sendTest.mutate({ siteId: site.id, event: "order.created", requestId: randomUUID() });
  await operator.events.sendTest.mutate({
    siteId: site.id,
    templateId: today.accounts[roastery]?.templates.cart ?? "",
    requestId: randomUUID(),
  });
  await operator.sites.sendExample.mutate({ id: site.id, event: "order.created" });
  await waitFor("the replay", async () => (await operator.events.requested.query({ id: replay.id })).request.state === "done");
}

/** Deleted amid messages of its site; on a quiet day they are all there are. */
async function endpointUnderLoad(today: PastDay): Promise<void> {
  const [owner, site, id] = [await as(today, roastery), siteOf(today, "Subscriptions"), await addEndpoint(today, "short/works")];
  let n = 1_000_000;
  const load = async () => today.sender.send(Array.from({ length: 24 }, () => orderFor(site, `+4915${200_000_000 + n}`, (n += 1))));
  const isTold = () => [...today.backend.taken.keys()].some((path) => path.endsWith("short/works"));
  do await load();
  while (!isTold());
  await Promise.all([load(), owner.webhooks.delete.mutate({ id })]);
}

/** Its events and messages stay in the log of its account. */
async function openForADay(today: PastDay): Promise<void> {
  const [owner, { id: accountId = "", templates } = {}] = [await as(today, clinic), today.accounts[clinic]];
  const [name, sourceType] = ["Vaccinations", "generic"] as const;
  const url = "https://vaccinations.example";
  const { site, ...secrets } = await owner.sites.create.mutate({ name, url, sourceType, testPhone: "+4915199990000" });
  await owner.bindings.create.mutate({
    siteId: site.id,
    event: "order.created",
    templateId: templates?.reminder ?? "",
    recipient: { strategy: "customer" },
    variableMap: { body: { "1": { source: "field", path: "customer.first_name" }, "2": { source: "field", path: "order.number" } } },
  });
  const known = { ...secrets, id: site.id, accountId, name, sourceType, share: 0, inboundUrl: "", signingSecret: secrets.webhookSecret };
  await today.sender.send(Array.from({ length: 8 }, (_, n) => orderFor(known, `+49152000001${n}`, n)));
  await owner.sites.delete.mutate({ id: site.id });
}

function switchSite(to: { enabled?: boolean; holdMessages?: boolean }): Run {
  return async (today) => {
    const site = siteOf(today, "Pharmacy");
    await (await as(today, clinic)).sites.update.mutate({ id: site.id, ...to });
    if (to.enabled !== false) return;
    today.closed.add(site.id);
    const { status } = await today.sender.try(orderFor(site, "+491520000009", 1));
    if (status !== 403) throw new Error(`a site that is switched off answered ${status}`);
  };
}

async function wrongSecret(today: PastDay): Promise<void> {
  const site = siteOf(today, "Wholesale");
  for (let n = 0; n < 12; n += 1) {
    const body = JSON.stringify({ id: n, status: "pending" });
    const { status } = await fetch(site.inboundUrl, {
      method: "POST",
      body,
      headers: shopHeaders(site, body, { secret: "whs_pasted_wrongly" }),
    });
    if (status !== 401) throw new Error(`a wrong signature was answered ${status}`);
  }
}

async function forgetAndLift(today: PastDay): Promise<void> {
  const owner = await as(today, roastery);
  await owner.people.erase.mutate({ phone: stopping[0] });
  const [optOut] = (await owner.optOuts.list.query({ phone: stopping[1] })).items;
  await owner.optOuts.lift.mutate({ id: optOut?.id ?? "" });
}

async function changeWaiting(today: PastDay): Promise<void> {
  const operator = await as(today, roastery, "operator");
  const site = siteOf(today, "Subscriptions");
  const siteId = site.id;
  await today.sender.send(["+491520000011", "+491520000012"].map((phone, n) => orderFor(site, phone, n, "appointment.booked")));
  const [first, second] = (await operator.notifications.scheduled.query({ siteId, event: "appointment.booked" })).items;
  await operator.notifications.sendNow.mutate({ id: first?.id ?? "" });
  await operator.notifications.cancel.mutate({ id: second?.id ?? "" });
  await operator.notifications.cancelMany.mutate({ siteId, event: "cart.updated" });
}

async function furnish(today: PastDay): Promise<void> {
  for (const place of [roastery, clinic, spices]) {
    const owner = await as(today, place);
    const site = today.sites.find(({ accountId }) => accountId === today.accounts[place]?.id);
    await owner.alerts.addChannel.mutate({ kind: "webhook", url: `${today.backend.url}/alerts/works` });
    await owner.views.create.mutate({
      list: "log",
      name: "What failed this month",
      filter: { status: "failed", siteId: site?.id, period: "month" },
    });
    await owner.tokens.create.mutate({ name: "Nightly export", role: "viewer" });
    await owner.users.invite.mutate({ email: `nora.${place}@example.com`, role: "viewer" });
  }
}
