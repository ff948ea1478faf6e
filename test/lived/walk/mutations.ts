import { randomUUID } from "node:crypto";
import { totpCode, totpStep } from "admin-server/session/totp";
import { roles } from "shared/core/role";
import { password } from "../shops/accounts.ts";
import type { LivedWorld } from "../world.ts";
import { pathsOf } from "./inputs.ts";
import { calledWithMutations, type Walked } from "./queries.ts";
import { day, samplesOf } from "./samples.ts";

/**
 * A call and its input, in which `<siteId>` stands for a sample of the account, `<sites.create:site.id>` for a member of an earlier step's answer, and # for a
 * number of its own.
 */
type Step = readonly [path: string, input?: object, how?: How];

interface How {
  /** Viewer, operator and owner unless said. `newcomer`: somebody who has just signed up, for what ends sessions or changes the person. */
  as?: "owner" | "newcomer" | "nobody";
  /** The refusal of everybody, where no input fits: what would fit comes by mail, from a browser or from a provider that is not there. */
  refused?: string;
}

const template = {
  name: "walk_#",
  language: "en_US",
  category: "UTILITY",
  body: "Hello {{1}}, your order {{2}} is ready. Please pick it up until six o'clock today.",
  examples: { body: ["Ada", "77"] },
};
const variableMap = { body: { "1": { source: "static", value: "Ada" }, "2": { source: "static", value: "77" } } };
const newcomer: Step = ["auth.signUp", { accountName: "Walk #", email: "newcomer.#@example.com", password }, { as: "nobody" }];
const binding = { siteId: "<siteId>", event: "user.signup", templateId: "<templateId>", recipient: { strategy: "test" }, variableMap };
const turns = [{ from: "person", text: "Why?" }];
const soon = new Date(Date.now() + 3_600_000).toISOString();
const draft = { request: "Thank you", language: "en" };

/** Every mutation in an order in which each finds what it needs, and the queries that need one before them. */
const steps: readonly Step[] = [
  ["views.create", { list: "log", name: "Walk #", filter: { siteId: "<siteId>", status: "failed" } }],
  ["views.update", { id: "<views.create:view.id>", name: "Walk again #" }],
  ["views.delete", { id: "<views.create:view.id>" }],
  ["tokens.create", { name: "Walk #", role: "viewer" }],
  ["tokens.revoke", { id: "<tokens.create:id>" }],
  ["users.invite", { email: "walk.#@example.com", role: "viewer" }],
  ["users.readInvite", { token: "<users.invite:token>" }, { as: "nobody" }],
  ["users.acceptInvite", { token: "<users.invite:token>", name: "Wally", password }, { as: "nobody" }],
  ["users.setRole", { id: "<users.acceptInvite:user.id>", role: "operator" }],
  ["users.resetPassword", { id: "<users.acceptInvite:user.id>" }],
  ["users.resetSecondFactor", { id: "<users.acceptInvite:user.id>" }],
  ["users.remove", { id: "<users.acceptInvite:user.id>" }],
  ["users.invite", { email: "walk.#@example.com", role: "viewer" }],
  ["users.invites.revoke", { id: "<users.invite:id>" }],

  ["alerts.update", { conditions: { failure_rate: { enabled: true, bound: 20 } }, urgentAlways: true }],
  ["alerts.addChannel", { kind: "webhook", url: "<backend>/alerts-#/works" }],
  ["alerts.rotateSecret", { id: "<alerts.addChannel:channel.id>" }],
  ["alerts.test", { id: "<alerts.addChannel:channel.id>" }],
  ["alerts.updateChannel", { id: "<alerts.addChannel:channel.id>", enabled: false }],
  ["alerts.removeChannel", { id: "<alerts.addChannel:channel.id>" }],
  ["alerts.confirm", { token: "of no mail" }, { refused: "NOT_FOUND" }],

  ["problems.note", { id: "<problemId>", note: "Walk #" }],
  ["problems.acknowledge", { id: "<problemId>" }],
  ["problems.snooze", { id: "<problemId>", until: soon }],
  ["problems.resolve", { id: "<problemId>" }],

  ["templates.create", template],
  ["templates.update", { id: "<templates.create:template.id>", footer: "Walk" }],
  ["templates.restore", { id: "<templates.create:template.id>", version: 1 }],
  ["templates.submit", { id: "<templates.create:template.id>" }],
  ["templates.sync"],
  ["templates.delete", { id: "<templates.create:template.id>" }],
  ["templates.create", { ...template, header: { format: "IMAGE", url: "https://shop.example/a.png" } }],
  ["templates.setHeaderMedia", { id: "<templates.create:template.id>", url: "<backend>/walk.png" }],

  ["sites.create", { name: "Walk #", url: "https://walk.example", sourceType: "generic", testPhone: "+491520000078" }],
  ["sites.update", { id: "<sites.create:site.id>", rateLimitPerSecond: 50 }],
  ["sites.rotateApiKey", { id: "<sites.create:site.id>" }],
  ["sites.rotateWebhookSecret", { id: "<sites.create:site.id>" }],
  ["sites.rotateInboundToken", { id: "<sites.create:site.id>" }],
  ["sites.sendExample", { id: "<sites.create:site.id>", event: "order.created" }],
  ["recipients.add", { siteId: "<sites.create:site.id>", phone: "+4915211#", label: "Walk" }],
  ["recipients.update", { id: "<recipients.add:recipient.id>", active: false }],
  ["recipients.remove", { id: "<recipients.add:recipient.id>" }],
  ["webhooks.create", { siteId: "<sites.create:site.id>", url: "<backend>/walk-#/works", types: ["message.sent"] }],
  ["webhooks.update", { id: "<webhooks.create:webhook.id>", types: ["message.failed"] }],
  ["webhooks.test", { id: "<webhooks.create:webhook.id>" }],
  ["webhooks.rotateSecret", { siteId: "<sites.create:site.id>" }],
  ["webhookDeliveries.replayFailed", { webhookId: "<webhooks.create:webhook.id>", since: "<3 days ago>" }],
  ["webhooks.delete", { id: "<webhooks.create:webhook.id>" }],
  ["webhookDeliveries.replay", { id: "<deliveryId>" }],
  ["sites.delete", { id: "<sites.create:site.id>" }],

  ["bindings.create", { ...binding, conditions: { match: "all", rules: [{ path: "walk", op: "neq", value: "#" }] } }],
  ["bindings.update", { id: "<bindings.create:binding.id>", delaySeconds: 60 }],
  ["bindings.restore", { id: "<bindings.create:binding.id>", version: 1 }],
  ["bindings.changeMany", { action: "disable", ids: ["<bindings.create:binding.id>"] }],
  ["bindings.changeMany", { action: "enable", ids: ["<bindings.create:binding.id>"] }],
  ["bindings.backfill", { id: "<bindings.create:binding.id>", since: "<3 days ago>", requestId: "<uuid>" }],
  ["bindings.backfills", { bindingId: "<bindings.create:binding.id>" }],
  ["bindings.cancelBackfill", { id: "<bindings.backfill:backfill.id>" }],
  ["bindings.delete", { id: "<bindings.create:binding.id>" }],

  ["events.replay", { id: "<eventId>", requestId: "<uuid>" }],
  ["events.requested", { id: "<events.replay:replay.id>" }],
  ["events.sendTest", { bindingId: "<bindingId>", requestId: "<uuid>" }],
  ["notifications.resend", { id: "<failedId>", force: true }],
  ["notifications.resendMany", { from: "<3 days ago>", to: "<1 days ago>", siteId: "<siteId>" }],
  ["notifications.resendJob", { id: "<notifications.resendMany:job.id>" }],
  ["operations.get", { id: "<notifications.resendMany:job.id>" }],
  ["operations.stop", { id: "<notifications.resendMany:job.id>" }],
  ["notifications.sendNow", { id: "<waitingId>" }],
  ["notifications.cancel", { id: "<otherWaitingId>" }],
  ["notifications.sendNowMany", { siteId: "<siteId>", event: "cart.updated" }],
  ["notifications.cancelMany", { siteId: "<siteId>", event: "cart.updated" }],
  ["optOuts.lift", { id: "<optOutId>" }],
  ["people.erase", { phone: "+4915212#" }],
  ["people.erasure", { id: "<people.erase:erasure.id>" }],
  // No shop of the world asks for one.
  ["people.confirmErasure", { id: "<uuid>" }, { refused: "NOT_FOUND" }],
  ["people.refuseErasure", { id: "<uuid>" }, { refused: "NOT_FOUND" }],
  ["sandbox.answer", { from: "<phone>", text: "Thank you" }],
  ["sandbox.markRead", { id: "<sandboxId>" }],

  ["settings.update", { retryHours: 12 }],
  ["settings.renameAccount", { name: "Renamed #" }],
  ["settings.testConnection"],
  ["settings.connectSandbox"],
  ["settings.saveAssistant", { provider: "openai", baseUrl: "<backend>/v1", model: "none", apiKey: "key" }],
  ["assistant.preview", { question: { kind: "draftTemplate", input: draft } }],
  ["assistant.agree", { place: "<backend>" }],
  ["assistant.draftTemplate", draft, { as: "owner" }],
  ["assistant.follow", { id: "<assistant.draftTemplate:use.id>" }, { as: "owner" }],
  ["assistant.translateTemplate", { templateId: "<templateId>", language: "de" }, { as: "owner" }],
  ["assistant.proposeBinding", { siteId: "<siteId>", event: "order.created", templateId: "<templateId>" }, { as: "owner" }],
  ["assistant.explain", { eventId: "<eventId>", turns }, { as: "owner" }],
  ["assistant.try", {}, { as: "owner" }],
  ["settings.removeAssistant"],

  newcomer,
  ["auth.logout", {}, { as: "newcomer" }],
  newcomer,
  ["auth.confirm", { password }, { as: "newcomer" }],
  ["auth.changeName", { name: "Nina" }, { as: "newcomer" }],
  ["auth.changeEmail", { email: "newcomer.again.#@example.com" }, { as: "newcomer" }],
  ["auth.enrollTotp", {}, { as: "newcomer" }],
  ["auth.confirmTotp", { code: "<code>" }, { as: "newcomer" }],
  ["auth.removeTotp", { password }, { as: "newcomer" }],
  ["auth.startPasskey", {}, { as: "newcomer" }],
  ["auth.addPasskey", { name: "Phone", response: {} }, { as: "newcomer", refused: "BAD_REQUEST" }],
  ["auth.removePasskey", { id: "<uuid>" }, { as: "newcomer", refused: "NOT_FOUND" }],
  ["auth.startPasskeyConfirm", {}, { as: "newcomer" }],
  ["auth.startPasskeySignIn", {}, { as: "nobody" }],
  ["auth.passkeySignIn", { challenge: "<auth.startPasskeySignIn:challenge>", response: {} }, { as: "nobody", refused: "UNAUTHORIZED" }],
  ["auth.secondFactor", { challenge: "none", code: "000000" }, { as: "nobody", refused: "UNAUTHORIZED" }],
  ["auth.forgotPassword", { email: "newcomer@example.com" }, { as: "nobody", refused: "CONFLICT" }],
  ["auth.resetPassword", { token: "of no mail", password }, { as: "nobody", refused: "NOT_FOUND" }],
  ["auth.confirmEmail", { token: "of no mail" }, { as: "nobody", refused: "NOT_FOUND" }],
  ["auth.proveEmail", { token: "of no mail" }, { as: "nobody", refused: "NOT_FOUND" }],
  ["auth.resendProof", {}, { as: "newcomer", refused: "CONFLICT" }],
  ["auth.me", {}, { as: "newcomer" }],
  ["auth.switchAccount", { accountId: "<auth.me:account.id>" }, { as: "newcomer" }],
  ["auth.changePassword", { currentPassword: password, newPassword: password }, { as: "newcomer" }],
  ["auth.revokeSession", { id: "<uuid>" }, { as: "newcomer", refused: "NOT_FOUND" }],
  ["auth.signOutEverywhere", {}, { as: "newcomer" }],
  ["auth.login", { email: "<viewer>", password }, { as: "nobody" }],
];

/** The paths that neither this walk nor that of the queries calls. */
export const uncalledPaths = (): string[] => {
  const called = new Set(steps.map(([path]) => path));
  return [...pathsOf("mutation"), ...calledWithMutations].filter((path) => !called.has(path));
};

/** Calls every mutation as owner, operator and viewer, in an account that nobody looks at any more. */
export async function walkMutations(world: LivedWorld, accountId: string): Promise<Walked> {
  const walked: Walked = { calls: 0, faults: [] };
  const valueOf = await valuesFor(world, accountId);
  // Names of an earlier walk through the same installation are taken.
  const first = 10_000 + (Date.now() % 80_000);
  const answers = new Map<string, unknown>();
  const from = (path: string, member: string): string =>
    String(member.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], answers.get(path)));
  for (const [path, template, { as, refused } = {}] of steps) {
    const seen: { line: string; code: string }[] = [];
    for (const role of as === undefined ? roles.toReversed() : (["owner"] as const)) {
      const text = JSON.stringify(template ?? {})
        .replaceAll(/<([^:<>]+)>/gu, (_, name: string) => valueOf(name, from))
        .replaceAll(/<([^:<>]+):([^<>]+)>/gu, (_, earlier: string, member: string) => from(earlier, member))
        .replaceAll("#", String(first + walked.calls));
      const token = { nobody: undefined, newcomer: from("auth.signUp", "token") };
      const who = as === "nobody" || as === "newcomer" ? { token: token[as] } : { accountId, role };
      const answer = await world.tryCall(path, JSON.parse(text), who);
      walked.calls += 1;
      seen.push({ line: `${path} ${text} as ${as ?? role}: ${answer.status} ${answer.text.slice(0, 300)}`, code: answer.code });
      if (answer.status >= 500) walked.faults.push(seen.at(-1)?.line ?? "");
      if (answer.code === "ok") answers.set(path, (JSON.parse(answer.text) as { result?: { data: unknown } }).result?.data);
    }
    if (!seen.some(({ code }) => code === (refused ?? "ok")))
      walked.faults.push(`nobody could: ${seen.map(({ line }) => line).join(" | ")}`);
  }
  return walked;
}

/** What a name in angle brackets stands for. */
async function valuesFor(world: LivedWorld, accountId: string) {
  const ids = async (path: string): Promise<string[]> =>
    ((await world.call(path, {}, { accountId })) as { items: { id: string }[] }).items.map(({ id }) => id);
  const samples = await samplesOf(world, accountId);
  const [, otherWaitingId = ""] = await ids("notifications.scheduled");
  const [[optOutId = ""], [sandboxId = ""]] = [await ids("optOuts.list"), await ids("sandbox.messages")];
  const viewer = world.accounts.find(({ id }) => id === accountId)?.viewer.email ?? "";
  const fixed: Record<string, string> = { otherWaitingId, optOutId, sandboxId, viewer, backend: world.backend.url };
  return (name: string, from: (path: string, member: string) => string): string => {
    const ago = /^(\d+) days ago$/u.exec(name)?.[1];
    if (ago !== undefined) return day(-Number(ago));
    if (name === "uuid") return randomUUID();
    if (name === "code") return totpCode(from("auth.enrollTotp", "secret"), totpStep(new Date()));
    return fixed[name] ?? String(samples[name]?.[0]);
  };
}
