import fc from "fast-check";
import { type NotificationStatus, notificationStatuses, type ReportedStatus, statusRank } from "shared/core/message";
import { applyStatuses } from "shared/db/notification/statuses";
import type { Person } from "shared/db/opt-out";
import { beforeAll, describe, expect, it } from "vitest";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { insertNotifications, type NotificationState, openShop, type Shop } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import { type LocatedUpdate, mergeStatuses } from "./statuses.ts";

let shop: Shop;
const database = shared(async () => testDatabase());
beforeAll(async () => {
  shop = await openShop(database.sql);
});

/** The parts of a status update and of a row that matter here. */
interface Word {
  status: ReportedStatus;
  /** Seconds after a fixed instant. */
  second: number;
  attempt: number;
}
interface Shown {
  status: NotificationStatus;
  local_failure: boolean;
  sent_at: number | null;
  delivered_at: number | null;
  read_at: number | null;
  failed_at: number | null;
  error_code: string | null;
  wa_message_id: string | null;
  in_doubt: boolean;
}

const instant = (second: number): Date => new Date(1_790_000_000_000 + second * 1000);
const located = (siteId: string, notificationId: string, word: Word): LocatedUpdate => ({
  siteId,
  notificationId,
  attempt: word.attempt,
  update: {
    waMessageId: "wamid.1",
    status: word.status,
    at: instant(word.second),
    recipient: null,
    userId: null,
    pricing: null,
    reference: null,
    error: word.status === "failed" ? { code: codeOf(word), reason: "why", class: "permanent", detail: [] } : null,
  },
});
/** The error code names the failure, so that a test sees which one is shown. */
const codeOf = ({ attempt, second }: Word): string => `${attempt}@${second}`;

const nobody = {
  recipientOf: () => null,
  timingOf: () => undefined,
  hashOf: ({ phone, userId }: Person) => phone ?? userId ?? "",
};

const apply = async (updates: LocatedUpdate[]): Promise<number> =>
  (await applyStatuses(database.sql, { id: shop.accountId, has_webhooks: false }, mergeStatuses(updates, new Date(), nobody))).changed;

const shown = async (ids: string[]): Promise<Shown[]> => {
  const rows = await database.sql<
    (Omit<Shown, "in_doubt" | `${ReportedStatus}_at`> & { id: string; in_doubt_since: Date | null } & Record<
        `${ReportedStatus}_at`,
        Date | null
      >)[]
  >`
    select id, status, local_failure, sent_at, delivered_at, read_at, failed_at, error_code, wa_message_id, in_doubt_since
    from notification where site_id = ${shop.siteId} and id = any(${ids}::uuid[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (row === undefined) throw new Error("gone");
    const second = (at: Date | null): number | null => (at === null ? null : (at.getTime() - instant(0).getTime()) / 1000);
    const { status, local_failure, error_code, wa_message_id } = row;
    const times = {
      sent_at: second(row.sent_at),
      delivered_at: second(row.delivered_at),
      read_at: second(row.read_at),
      failed_at: second(row.failed_at),
    };
    return { status, local_failure, error_code, wa_message_id, ...times, in_doubt: row.in_doubt_since !== null };
  });
};

/**
 * The status after the platform reported one: the further of the two, whatever the order of arrival, so `failed` never replaces
 * `delivered` or `read`. A failure by our own word (`localFailure`) yields to any word of the platform.
 */
const mergeStatus = (current: NotificationStatus, localFailure: boolean, reported: ReportedStatus): NotificationStatus =>
  (current === "failed" && localFailure) || statusRank(reported) > statusRank(current) ? reported : current;

/** The rules in their plainest form: one word after the other. */
const model = (state: NotificationState, words: Word[]): Shown => {
  const row: Shown = {
    status: state.status,
    local_failure: state.localFailure ?? false,
    sent_at: null,
    delivered_at: null,
    read_at: null,
    failed_at: state.status === "failed" ? 50 : null,
    error_code: state.errorCode ?? null,
    wa_message_id: null,
    in_doubt: state.inDoubt ?? false,
  };
  for (const word of words) {
    // A failure says nothing about the message if another attempt followed it.
    if (word.status === "failed" && word.attempt < (state.attempt ?? 1)) continue;
    if (row.local_failure) row.failed_at = null;
    const next = mergeStatus(row.status, row.local_failure, word.status);
    const explains = word.status === "failed" && (row.failed_at === null || word.second < row.failed_at);
    if (explains) row.error_code = codeOf(word);
    const time = `${word.status}_at` as const;
    row[time] = Math.min(row[time] ?? Infinity, word.second);
    Object.assign(row, { status: next, local_failure: false, in_doubt: false, wa_message_id: "wamid.1" });
  }
  if (row.status !== "failed") row.error_code = null;
  return row;
};

const stateArbitrary = fc.oneof(
  fc.record({
    status: fc.constantFrom("queued" as const, "sending" as const, "sent" as const),
    inDoubt: fc.boolean(),
    attempt: fc.constantFrom(1, 2),
  }),
  fc
    .record({ status: fc.constant("failed" as const), localFailure: fc.boolean(), attempt: fc.constantFrom(1, 2) })
    .map((state) => ({ ...state, errorCode: "before", failedAt: instant(50) })),
);
const wordArbitrary = (attempt: number) =>
  fc.record({
    status: fc.constantFrom("sent" as const, "delivered" as const, "read" as const, "failed" as const),
    second: fc.integer({ min: 0, max: 100 }),
    attempt: fc.integer({ min: 1, max: attempt }),
  });

describe("statuses", () => {
  it("merge as the rules say, each with every other", async () => {
    const cases = notificationStatuses.flatMap((status) =>
      [false, true].flatMap((localFailure) =>
        (["sent", "failed", "delivered", "read"] as const).map((reported) => ({
          status,
          localFailure: localFailure && status === "failed",
          reported,
        })),
      ),
    );
    const rows = await insertNotifications(database.sql, shop, cases);
    await apply(rows.map((row, i) => located(row.siteId, row.id, { status: cases[i]?.reported ?? "sent", second: 1, attempt: 1 })));
    const after = await shown(rows.map(({ id }) => id));
    expect(after.map(({ status }) => status)).toEqual(
      cases.map(({ status, localFailure, reported }) => mergeStatus(status, localFailure, reported)),
    );
    expect(after.every(({ local_failure }) => !local_failure)).toBe(true);
  });

  it("come to the same whatever their order, their grouping and their repeats, and to what the plain rules say", async () => {
    const scenario = stateArbitrary.chain((state) =>
      fc.record({
        state: fc.constant(state),
        words: fc.array(wordArbitrary(state.attempt), { maxLength: 6 }),
        order: fc.infiniteStream(fc.nat()),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(scenario, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (scenarios, calls) => {
        const rows = await insertNotifications(
          database.sql,
          shop,
          scenarios.map(({ state }) => state),
        );
        const updates = scenarios.flatMap(({ words, order }, i) => {
          const row = rows[i];
          const shuffled = [...words, ...words.slice(0, 2)]
            .map((word) => ({ word, rank: order.next().value ?? 0 }))
            .toSorted((a, b) => a.rank - b.rank);
          return row === undefined
            ? []
            : shuffled.map(({ word, rank }) => ({ call: rank % calls, update: located(row.siteId, row.id, word) }));
        });
        for (let call = 0; call < calls; call += 1) await apply(updates.filter((item) => item.call === call).map(({ update }) => update));
        const after = await shown(rows.map(({ id }) => id));
        expect(after).toEqual(scenarios.map(({ state, words }) => model(state, words)));
      }),
      { numRuns: scaled(15, 200) },
    );
  });

  it("that say nothing new change no row", async () => {
    const [row] = await insertNotifications(database.sql, shop, [{ status: "sending" }]);
    const update = located(shop.siteId, row?.id ?? "", { status: "delivered", second: 5, attempt: 1 });
    expect(await apply([update])).toBe(1);
    expect(await apply([update, update])).toBe(0);
    expect(await apply([{ ...update, update: { ...update.update, status: "sent" } }])).toBe(1);
  });

  it("of another account, of another site and of nothing at all are left alone", async () => {
    const stranger = await openShop(database.sql);
    const [row] = await insertNotifications(database.sql, stranger, [{ status: "sending" }]);
    const id = row?.id ?? "";
    const word: Word = { status: "read", second: 1, attempt: 1 };
    expect(await apply([located(stranger.siteId, id, word), located(shop.siteId, id, word), located(shop.siteId, shop.siteId, word)])).toBe(
      0,
    );
  });

  it("keep the whole error of a failure", async () => {
    const [row] = await insertNotifications(database.sql, shop, [{ status: "sent" }]);
    const update = located(shop.siteId, row?.id ?? "", { status: "failed", second: 1, attempt: 1 });
    const detail = [{ code: 131026, title: "\u0000 \ud800", big: 12345678901234567890n }];
    await apply([{ ...update, update: { ...update.update, error: { code: "131026", reason: "no", class: "recipient", detail } } }]);
    const [stored] =
      await database.sql`select error_code, error_reason, error_detail from notification where site_id = ${shop.siteId} and id = ${row?.id ?? ""}`;
    expect(stored).toEqual({
      error_code: "131026",
      error_reason: "no",
      error_detail: String.raw`[{"code":131026,"title":"\u0000 \ud800","big":12345678901234567890}]`,
    });
  });
});
