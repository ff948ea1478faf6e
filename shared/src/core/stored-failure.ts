import { componentKinds, describeReason, type EmptySlot, type SlotChange, type SlotGroupKey, type StoredReason } from "./reason.ts";
import type { TemplateStatus } from "./template/definition.ts";

/**
 * The reason of a stored failure, or of a cancelled message, as data again: the log keeps its sentence. Null for a text that `describeReason` would not
 * write, such as the platform's own words, or one that was cut or masked within its words.
 */
export function readFailure(code: string | null, text: string | null): StoredReason | null {
  if (code === null || text === null || text === "" || !Object.hasOwn(readers, code)) return null;
  const reason = readers[code as keyof typeof readers](text);
  return reason !== null && describeReason(reason) === text ? reason : null;
}

/** What the sentence of a reason has in place of its one value, which is given as a null character; null for another sentence. */
function valueIn(reason: StoredReason, text: string): string | null {
  const [before = "", after = ""] = describeReason(reason).split("\0");
  return text.startsWith(before) && text.endsWith(after) ? text.slice(before.length, text.length - after.length) : null;
}

const readers: Record<StoredReason["code"], (text: string) => StoredReason | null> = {
  slot_unresolved: (text) => {
    const { clauses, more } = readMore(text);
    return { code: "slot_unresolved", slots: readEmptySlots(clauses), more };
  },
  template_not_approved: (text) => {
    const [, template, language, status] = /^The template (\S+) \((\S+)\) is (draft|pending|rejected|paused|disabled);/u.exec(text) ?? [];
    if (template !== undefined && language !== undefined)
      return { code: "template_not_approved", status: status as Unapproved, of: { template, language } };
    const found = unapproved.find((each) => describeReason({ code: "template_not_approved", status: each }) === text);
    return found === undefined ? null : { code: "template_not_approved", status: found };
  },
  template_not_sendable: (text) => {
    const component = componentKinds.find((name) => describeReason({ code: "template_not_sendable", part: "component", name }) === text);
    if (component !== undefined) return { code: "template_not_sendable", part: "component", name: component };
    for (const part of ["header_type", "header_without_file", "header_file_not_uploaded", "button", "component", "link"] as const) {
      const name = valueIn({ code: "template_not_sendable", part, name: "\0" }, text);
      if (name !== null) return { code: "template_not_sendable", part, name };
    }
    return null;
  },
  template_changed: (text) => {
    const [title = "", told = ""] = text.slice("The template".length).split(" has changed since the binding was saved: ", 2);
    const { clauses, more } = readMore(told.slice(0, told.lastIndexOf(". ")));
    const changes = clauses.split("; ").flatMap(readChange);
    const [, template, language] = /^ (\S+) \((\S+)\)$/u.exec(title) ?? [];
    return {
      code: "template_changed",
      changes,
      more,
      ...(template !== undefined && language !== undefined && { of: { template, language } }),
    };
  },
  too_long: (text) => {
    const [, group, button, length, limit] =
      /^(\w+)(?: \{\{(\d+)\}\})?: (\d+) characters with its values, WhatsApp allows (\d+)$/u.exec(text) ?? [];
    if (group === undefined) return null;
    return {
      code: "too_long",
      group: group as SlotGroupKey,
      button: button === undefined ? null : Number(button),
      length: Number(length),
      limit: Number(limit),
    };
  },
  url_not_fitting: (text) => {
    const [, group, name] = /^(\w+) \{\{(\w+)\}\}: /u.exec(text) ?? [];
    if (group === undefined || name === undefined) return null;
    const slot = { group: group as SlotGroupKey, name };
    for (const how of [{}, { leaves: true as const }]) {
      const fixed = valueIn({ code: "url_not_fitting", slot, fixed: "\0", ...how }, text);
      if (fixed !== null) return { code: "url_not_fitting", slot, fixed, ...how };
    }
    return null;
  },
  too_many_recipients: (text) => ({ code: "too_many_recipients", limit: Number(/\d+/u.exec(text)?.[0]) }),
  in_doubt: (text) => ({ code: "in_doubt", cause: valueIn({ code: "in_doubt", cause: "\0" }, text) ?? "" }),
  deadline: (text) => ({ code: "deadline", cause: valueIn({ code: "deadline", cause: "\0" }, text) ?? "" }),
  unexpected_answer: (text) => {
    const [, status = "", words = ""] = /^The platform answered HTTP (\d+) without a message id\.(?: It says: (.+))?$/su.exec(text) ?? [];
    return { code: "unexpected_answer", status, words };
  },
  recipient_opted_out: () => ({ code: "recipient_opted_out" }),
  restarted: (text) => ({ code: "restarted", event: text.split(" ")[2] ?? "" }),
  cancelled_by_event: (text) => ({ code: "cancelled_by_event", event: text.split(" ", 1)[0] ?? "" }),
};

type Unapproved = Exclude<TemplateStatus, "approved">;
const unapproved: Unapproved[] = ["draft", "pending", "rejected", "paused", "disabled"];

function readMore(text: string): { clauses: string; more: number } {
  const end = text.lastIndexOf("; and ");
  const [, more] = /^; and (\d+) more$/u.exec(text.slice(Math.max(0, end))) ?? [];
  return more === undefined ? { clauses: text, more: 0 } : { clauses: text.slice(0, end), more: Number(more) };
}

function readChange(clause: string): SlotChange[] {
  const [, group, slot, count] = /^(\w+)\.(\d+): the template has (no|\d+) /u.exec(clause) ?? [];
  if (group !== undefined)
    return [{ code: "slot_gone", group: group as SlotGroupKey, slot: Number(slot), count: count === "no" ? 0 : Number(count) }];
  const [, movedGroup, name, by, nowBy] = /^(\w+) \{\{(\w+)\}\} stood by “([^”]*)” and now stands by “([^”]*)”$/u.exec(clause) ?? [];
  if (movedGroup !== undefined && name !== undefined)
    return [{ code: "slot_moved", slot: { group: movedGroup as SlotGroupKey, name }, before: by ?? "", now: nowBy ?? "" }];
  const [before = "", now = ""] = clause.split(" and now has ", 2);
  const part = before.split(" ", 1)[0] as SlotGroupKey;
  return [{ code: "slots_differ", group: part, before: readMarks(before), now: readMarks(now) }];
}

const readMarks = (text: string): string[] => Array.from(text.matchAll(/\{\{(\w+)\}\}/gu), ([, name = ""]) => name);

/** The empty slots that the stored reason of a `slot_unresolved` names; other parts of the text are left out. */
export const readEmptySlots = (reason: string): EmptySlot[] =>
  reason.split("; ").flatMap((clause): EmptySlot[] => {
    const [, group, name, from, fault] = emptySlotClause.exec(clause) ?? [];
    if (group === undefined || name === undefined) return [];
    const slot = { group: group as SlotGroupKey, name };
    if (from === undefined) return [{ code: "value_not_mapped", slot }];
    return [{ code: fault === "blank" ? "value_blank" : "value_missing", slot, from: from === "the static value" ? null : from }];
  });

const emptySlotClause = /^(header|body|button_url) \{\{([a-z0-9_]+)\}\}: (?:not in the variable map|(.+) is (missing|blank))$/u;
