import { countBy, groupBy, type Look, newest, pick } from "./compare.ts";
import type { MessageRow } from "./rows.ts";

interface Told {
  id: string;
  kind: string;
  state: string;
  total: number;
  done: number;
  outcomes: Record<string, number>;
}

const outcomeOf: Readonly<Record<string, string>> = { sent: "sent", delivered: "delivered", read: "delivered", failed: "failed" };

/** What operations tell of their messages and deliveries: each is counted once more, as the newest attempt that its rows know. */
export async function checkOperations(look: Look): Promise<void> {
  const { ask, list, same, rows } = look;
  const all = newest(rows.operations);
  same(
    "operations.list",
    (await list<Told>("operations.list", {}, Infinity)).map(({ id }) => id),
    all.map(({ id }) => id),
  );
  for (const [kind, of] of groupBy(all, (row) => row.kind))
    same(
      `operations.list ${kind}`,
      (await list<Told>("operations.list", { kind }, Infinity)).map(({ id }) => id),
      of.map(({ id }) => id),
    );
  const newestOf = attemptsOf(rows.messages);
  const deliveries = new Map(
    rows.deliveries.map(({ id, status, failures }) => [id, status === "pending" && failures > 0 ? "failed" : status]),
  );
  const items = groupBy(rows.operationItems, (item) => item.operationId);
  for (const { id, kind, finishedAt, stoppingAt } of all) {
    const { operation } = await ask<{ operation: Told }>("operations.get", { id });
    const { done, total, outcomes } = operation;
    const own = items.get(id) ?? [];
    const statuses = own.map((item) => (kind === "replay_deliveries" ? deliveries.get(item.id) : newestOf(item.id)) ?? "gone");
    const counts = countBy(statuses, (status) => outcomeOf[status] ?? null);
    const told = pick(outcomes, "sent delivered failed");
    const plain = { sent: counts["sent"] ?? 0, delivered: counts["delivered"] ?? 0, failed: counts["failed"] ?? 0 };
    same(`operations.get ${id}, ${kind}: outcomes`, told, plain);
    same(
      `operations.get ${id}, ${kind}: done`,
      done,
      Object.values(outcomes).reduce((sum, count) => sum + count, 0),
      "the outcomes are exclusive",
    );
    same(`operations.get ${id}, ${kind}: no more than there is`, done <= total, true);
    const state = finishedAt === null ? (stoppingAt === null ? "running" : "stopping") : stoppingAt === null ? "finished" : "stopped";
    same(`operations.get ${id}, ${kind}: state`, operation.state, state);
    if (kind === "cancel") same(`operations.get ${id}: cancelled`, outcomes["cancelled"], own.length);
    if (kind === "resend") {
      const { job } = await ask<{ job: { resent: number } }>("notifications.resendJob", { id });
      same(`notifications.resendJob ${id}: resent`, job.resent, own.length);
    }
  }
}

/** The status of the newest attempt that stands for a message. */
function attemptsOf(messages: readonly MessageRow[]): (id: string) => string | undefined {
  const byId = new Map(messages.map((row) => [row.id, row]));
  const repeats = new Map(
    newest(messages)
      .toReversed()
      .flatMap((row) => (row.resendOf === null || row.status === "cancelled" ? [] : [[row.resendOf, row] as const])),
  );
  return (id) => {
    let row = byId.get(id);
    // One that was taken back gives its place back to what it repeated.
    if (row?.status === "cancelled" && row.resendOf !== null) row = byId.get(row.resendOf) ?? row;
    for (let next = row; next !== undefined; next = repeats.get(next.id)) row = next;
    return row?.status;
  };
}
