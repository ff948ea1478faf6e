import type { Finding } from "shared/core/diagnosis";
import type { EmptySlot } from "shared/core/reason";
import { readEmptySlots } from "shared/core/stored-failure";
import type { BindingUseRow } from "shared/db/binding";
import type { FailureRow } from "shared/db/notification/log";
import type { OutcomeRow } from "shared/db/notification/statistics";
import { explain, isContentFailure, titleOf } from "shared/platform/errors/classify";
import type { Facts } from "./facts.ts";
import { isOfStop, sum, timeOf } from "./standing.ts";

/** Why messages failed, by site and error code, and by template where the message itself was at fault. */
export function findFailures(facts: Facts): Finding[] {
  const groups = new Map<string, OutcomeRow[]>();
  for (const row of facts.outcomes) {
    const { site_id, template, status, error_code } = row;
    if (status !== "failed" || error_code === "" || isToldElsewhere(error_code, facts)) continue;
    const key = JSON.stringify([site_id, error_code, ofTemplate(error_code) ? template : null]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const found = [...groups.values()].flatMap((rows) => ofGroup(rows, facts));
  return [...unusableTemplates(facts), ...found];
}

/** The finding of the account's stop, and of a disabled site, has these messages. */
const isToldElsewhere = (errorCode: string, { platform }: Facts): boolean =>
  errorCode === "site_disabled" || (platform?.stopped_code != null && isOfStop(errorCode, platform.stopped_code));

/** Whether it is one template's fault, or that of its binding. */
const ofTemplate = (code: string): boolean => isContentFailure({ code, subcode: null });

/** `rows`: of one site and error code. */
function ofGroup(rows: readonly OutcomeRow[], facts: Facts): Finding[] {
  const [{ site_id: siteId, error_code: errorCode, template }] = rows as [OutcomeRow];
  const isOfTemplate = ofTemplate(errorCode);
  if (errorCode === "template_not_approved" && usersOf(facts, siteId, template).some(({ status }) => status !== "approved")) return [];
  const sample = facts.failures.filter(
    (row) => row.site_id === siteId && row.error_code === errorCode && (!isOfTemplate || row.template === template),
  );
  const slots = errorCode === "slot_unresolved" ? emptySlots(sample, facts) : [];
  if (slots.length > 0) return slots;
  const count = sum(rows.map((row) => row.count));
  const filter = { siteId, status: "failed", errorCode, ...(isOfTemplate && { template }) } as const;
  return [
    {
      code: "messages_failed",
      errorCode,
      title: titleOf(errorCode),
      explanation: explain({ code: errorCode, subcode: null }),
      template: isOfTemplate ? template : null,
      count,
      more: false,
      share: shareOf(count, messagesOf(facts, siteId, isOfTemplate ? template : null)),
      lastAt: timeOf(sample[0]?.id) ?? latest(rows),
      site: siteOf(facts, siteId),
      place: { kind: "log", filter },
    },
  ];
}

/** Which variables were empty, each with the messages that failed for it. `sample`: of one site and template, the newest first. */
function emptySlots(sample: readonly FailureRow[], facts: Facts): Finding[] {
  const bySlot = new Map<string, { problem: EmptySlot; rows: FailureRow[] }>();
  for (const row of sample) {
    for (const problem of readEmptySlots(row.empty_slots ?? "")) {
      const key = JSON.stringify([row.binding_id, problem]);
      const group = bySlot.get(key) ?? { problem, rows: [] };
      group.rows.push(row);
      bySlot.set(key, group);
    }
  }
  return [...bySlot.values()].flatMap(({ problem, rows }): Finding[] => {
    const [{ site_id: siteId, template, binding_id, id }] = rows as [FailureRow];
    return [
      {
        code: "slot_empty",
        template,
        problem,
        count: rows.length,
        more: facts.failures.filter((row) => row.site_id === siteId).length >= facts.most,
        share: shareOf(rows.length, messagesOf(facts, siteId, template)),
        lastAt: timeOf(id),
        site: siteOf(facts, siteId),
        place: facts.bindings.some((binding) => binding.id === binding_id)
          ? { kind: "binding", id: binding_id }
          : { kind: "log", filter: { siteId, status: "failed", errorCode: "slot_unresolved", template } },
      },
    ];
  });
}

const usersOf = ({ bindings }: Facts, siteId: string, template: string): BindingUseRow[] =>
  bindings.filter((binding) => binding.site_id === siteId && binding.template === template);

/** Templates that enabled bindings use and that cannot be sent, with the messages that failed for it. */
function unusableTemplates(facts: Facts): Finding[] {
  const used = new Map(facts.bindings.map((binding) => [`${binding.site_id} ${binding.template_id}`, binding]));
  return [...used.values()].flatMap(({ site_id: siteId, template_id: id, template, language, status, reason }): Finding[] => {
    if (status === "approved") return [];
    const rows = facts.outcomes.filter(
      (row) => row.site_id === siteId && row.template === template && row.error_code === "template_not_approved",
    );
    const count = sum(rows.map((row) => row.count));
    const sample = facts.failures.find(
      (row) => row.site_id === siteId && row.template === template && row.error_code === "template_not_approved",
    );
    return [
      {
        code: "template_not_usable",
        template,
        language,
        status,
        reason,
        count,
        more: false,
        share: shareOf(count, messagesOf(facts, siteId, template)),
        lastAt: timeOf(sample?.id) ?? latest(rows),
        site: siteOf(facts, siteId),
        place: { kind: "template", id },
      },
    ];
  });
}

export const siteOf = ({ sites }: Facts, id: string): { id: string; name: string } => ({ id, name: sites.get(id)?.name ?? "" });

/** How many messages a site had, of one template where it is named. */
const messagesOf = ({ outcomes }: Facts, siteId: string, template: string | null): number =>
  sum(outcomes.filter((row) => row.site_id === siteId && (template === null || row.template === template)).map(({ count }) => count));

const shareOf = (count: number, all: number): number | null => (count === 0 || all === 0 ? null : Math.min(1, count / all));

/** Of days that were counted only the day is known. */
const latest = (rows: readonly OutcomeRow[]): string | null => {
  const day = rows
    .map(({ last_day }) => last_day)
    .toSorted()
    .at(-1);
  return day === undefined ? null : `${day}T00:00:00.000Z`;
};
