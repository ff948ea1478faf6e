import { randomUUID } from "node:crypto";
import { totpCode, totpStep } from "admin-server/session/totp";
import { roles } from "shared/core/role";
import { password } from "../shops/accounts.ts";
import { createSender } from "../shops/sender.ts";
import { orderFor } from "../shops/traffic.ts";
import type { LivedWorld } from "../world.ts";
import { pathsOf } from "./inputs.ts";
import mutations from "./mutations.json" with { type: "json" };
import { calledWithMutations, type Walked } from "./queries.ts";
import { day, samplesOf } from "./samples.ts";

/**
 * A call and its input, in which `<siteId>` stands for a sample of the account, `<sites.create:site.id>` for a member of an earlier step's answer, and # for a
 * number of its own.
 */
type Step = readonly [path: string, input?: object, how?: How];

interface How {
  /** Viewer, operator and owner unless said, or the owner alone. `newcomer`: somebody who has just signed up, for what ends sessions or changes the person. */
  as?: "owner" | "newcomer" | "nobody";
  /** The refusal of everybody, where no input fits: what would fit comes by mail, from a browser or from a provider that is not there. */
  refused?: string;
}

/** Every mutation in an order in which each finds what it needs, and the queries that need one before them. */
const steps = mutations as unknown as readonly Step[];

/** The paths that neither this walk nor that of the queries calls. */
export const uncalledPaths = (): string[] => {
  const called = new Set(steps.map(([path]) => path));
  return [...pathsOf("mutation"), ...calledWithMutations].filter((path) => !called.has(path));
};

/** Calls every mutation as owner, and if it is thorough as operator and viewer, in an account that nobody looks at any more. */
export async function walkMutations(world: LivedWorld, accountId: string, isThorough: boolean): Promise<Walked> {
  const walked: Walked = { calls: 0, faults: [] };
  const valueOf = await valuesFor(world, accountId);
  // Names of an earlier walk through the same installation are taken.
  const first = 10_000 + (Date.now() % 80_000);
  const answers = new Map<string, unknown>();
  const from = (path: string, member: string): string =>
    String(member.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], answers.get(path)));
  for (const [path, template, { as, refused } = {}] of steps) {
    const seen: { line: string; code: string }[] = [];
    for (const role of as === undefined && isThorough ? roles.toReversed() : (["owner"] as const)) {
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

/** Has two messages wait, since at some hours of a day none of the month's does. */
export async function bookAppointments(world: LivedWorld, accountId: string): Promise<void> {
  const site = world.sites.find((one) => one.accountId === accountId && one.sourceType === "generic");
  if (site === undefined) throw new Error(`${accountId} has no generic site`);
  await using sender = createSender(world.gatewayUrl);
  const first = Date.now();
  await sender.send([first, first + 1].map((n) => orderFor(site, `+49152199${String(n).slice(-5)}`, n, "appointment.booked")));
}

/** What a name in angle brackets stands for. */
async function valuesFor(world: LivedWorld, accountId: string) {
  const ids = async (path: string): Promise<string[]> =>
    ((await world.call(path, {}, { accountId })) as { items: { id: string }[] }).items.map(({ id }) => id);
  await bookAppointments(world, accountId);
  const samples = await samplesOf(world, accountId);
  const [, otherWaitingId = ""] = await ids("notifications.scheduled");
  const [[optOutId = ""], [sandboxId = ""]] = [await ids("optOuts.list"), await ids("sandbox.messages")];
  const viewer = world.accounts.find(({ id }) => id === accountId)?.viewer.email ?? "";
  const fixed: Record<string, string> = { otherWaitingId, optOutId, sandboxId, viewer, password, backend: world.backend.url };
  return (name: string, from: (path: string, member: string) => string): string => {
    const ago = /^(\d+) days ago$/u.exec(name)?.[1];
    if (ago !== undefined) return day(-Number(ago));
    if (name === "soon") return new Date(Date.now() + 3_600_000).toISOString();
    if (name === "uuid") return randomUUID();
    if (name === "code") return totpCode(from("auth.enrollTotp", "secret"), totpStep(new Date()));
    return fixed[name] ?? String(samples[name]?.[0]);
  };
}
