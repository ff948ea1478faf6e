import { checkName } from "../connection-check.ts";
import { describeEmptySlot, describeReason, opLabel, phoneFault, slotLabel, type Unreached } from "../reason.ts";
import { describeShopFault } from "../sources/shop-problem.ts";
import { sentenceCase } from "../text.ts";
import { readUnreachedKey } from "../unreached.ts";
import { english, type Values, type Write } from "../wording.ts";
import type { Explained, ProblemDetails, ProblemKind, TellableProblem } from "./problem.ts";
import words from "./words.json" with { type: "json" };

export interface ProblemWords {
  /** The fault, as a sentence without its full stop. */
  title: string;
  /** How many messages, events or requests are part of it; null where nothing is counted. */
  counted: string | null;
  /** The advice on what to do. */
  advice: string;
}

/** The texts of each kind by their names: its `title` and its `advice`, the `unit` that it counts in, and those that `choices` chooses. */
const texts: Readonly<Record<ProblemKind, Readonly<Record<string, string>>>> = words;

/** The sentences of a problem: in English for answers and messages, or by a page's `t` in the reader's language. */
export function describeProblem(problem: TellableProblem, t: Write = english): ProblemWords {
  const { kind, detail, count, more } = problem;
  const own = texts[kind];
  const write = t;
  const put: Say = (name, values = {}) => write(own[name] ?? "", { ...(detail as Values), ...values });
  const choose = choices[kind] as Choose<ProblemKind> | undefined;
  const { title = put("title"), advice = [put("advice")] } = choose?.(detail, put, t, problem.subject) ?? {};
  const counted = own["unit"] === undefined || count === 0 ? null : put("unit", { count });
  return {
    title,
    advice: advice.flatMap((sentence) => (sentence ? sentenceCase(sentence) : [])).join(" "),
    counted: counted !== null && more ? t("at least {counted}", { counted }) : counted,
  };
}

/** Writes a text of the kind; its values are the members of the problem's detail, and those that are given. */
type Say = (name: string, values?: Values) => string;
type Choose<K extends ProblemKind> = (
  detail: ProblemDetails[K],
  put: Say,
  t: Write,
  subject: string,
) => { title?: string; advice?: readonly (string | false | null | undefined)[] };

/** `invalid format` for WhatsApp's `INVALID_FORMAT`, in the reader's language where it is one that WhatsApp names; other words stay. */
const inWords = (reason: string, put: Say): string =>
  reason.replace(/^[A-Z_]+(?=:|$)/, (name) => (name in words.template_refused ? put(name) : name.replaceAll("_", " ").toLowerCase()));

const withoutStop = (text: string): string => text.replace(/\.$/, "");

/** What the words of a problem depend on beside its kind. */
const choices: { [K in ProblemKind]?: Choose<K> } = {
  platform_stopped: ({ code, reason, until, explanation }, put, t) => {
    // The platform's English or the explanation in the reader's language: both say the same.
    const isQuoted = reason !== "" && (explanation === undefined || t === english);
    return {
      // The platform's message may begin with the code.
      title: put("title", { error: isQuoted ? `${code}: ${reason.replace(`(#${code}) `, "")}` : code }),
      advice: [
        explanation === undefined ? put("advice") : !isQuoted && explanation.text,
        explanation?.action,
        until !== undefined && put("ends"),
      ],
    };
  },
  platform_notice: ({ until }, put) => ({ advice: [put("advice"), until !== null && put("ends")] }),
  template_category: ({ name, language, at, done }, put) => ({
    title: put(done ? "done" : "title", { template: `${name} (${language})` }),
    advice: [at !== null && put(done ? "wasAt" : "comesAt"), put("advice")],
  }),
  secret_unreadable: ({ of, name }, put) => ({ title: put(of, { site: name ?? "" }) }),
  requests_refused: ({ explanation: { text, action } }, put) => ({ title: put("title", { reason: withoutStop(text) }), advice: [action] }),
  failure_rate: ({ usualPercent, more }, put) => ({
    title: put(usualPercent === null ? "first" : "title", { more: more === true ? "+" : "" }),
  }),
  template_refused: ({ name, language, status, reason, deletedOn }, put) => {
    const said = reason === null ? "" : inWords(reason, put);
    const isSentence = said.endsWith(".");
    return {
      title: [put(status, { template: `${name} (${language})` }), said]
        .filter((part, index) => part !== "" && (index === 0 || !isSentence))
        .join(": "),
      advice: [isSentence && said, put(deletedOn === undefined ? `${status}_advice` : "archived")],
    };
  },
  binding_cannot_send: ({ problems, empty, failed }, put, t) => ({
    advice: [
      ...problems.map((problem) => describeReason(problem, t)),
      ...empty.map((slot) => put("empty", { slot: slotLabel(slot.slot, t), cause: describeEmptySlot(slot, t) })),
      empty.length > 0 && put("advice"),
      failed?.text,
      failed?.action,
    ],
  }),
  messages_failed: ({ explanation: { text, action } }, put, _, code) => ({ title: put("title", { code }), advice: [text, action] }),
  nobody_reached: (_, put, t, subject) => {
    const reason: Unreached = readUnreachedKey(subject) ?? { code: "no_active_recipient" };
    const fault = "problem" in reason ? phoneFault(reason.problem, t) : "";
    const why = put(reason.code, { path: "", ...reason, fault });
    const needsCountry = "problem" in reason && reason.problem === "no_country";
    return { title: put("title", { reason: why }), advice: [put(needsCountry ? "no_country_advice" : `${reason.code}_advice`)] };
  },
  phones_dropped: ({ problem }, put, t) => ({
    title: put("title", { fault: phoneFault(problem, t) }),
    advice: [put(problem === "no_country" ? problem : "advice")],
  }),
  connection_check: ({ check, failed, reason }, put, t) => ({
    title: put(failed ? "failed" : "title", { name: checkName(check, t) }),
    advice: [reason !== "" && `${withoutStop(reason)}.`, put("advice")],
  }),
  number_limit: ({ reached, more, limit }, put) => ({
    title: put("title", { more: more === true ? "+" : "" }),
    advice: [put(reached < limit ? "advice" : "reached")],
  }),
  backlog: ({ minutes }, put) => ({ title: minutes < 120 ? put("title") : put("long", { hours: Math.floor(minutes / 60) }) }),
  shop_fault: ({ site, sourceType, fault }, _, t) => {
    const { text, action } = describeShopFault(fault, sourceType, t);
    return { title: `${site}: ${withoutStop(text)}`, advice: [action] };
  },
  site_silent: ({ sourceType = "generic" }, put) => ({ advice: [put("last"), put(sourceType)] }),
  endpoint_disabled: ({ because }, put) => ({ title: put(because) }),
  field_changed: ({ now }, put) => ({ title: put(now === null ? "gone" : "title") }),
  binding_never_fired: ({ rule }, put, t) => ({
    title: rule === null ? put("ever") : put("title", { path: rule.path, op: opLabel(rule.op, t) }),
  }),
};

/** The problem with its fixed texts, such as the meaning of a code, written by `meaning` in the reader's language, and its times by `when` in their zone. */
export function withMeanings(problem: TellableProblem, meaning: (text: string) => string, when: (at: string) => string): TellableProblem {
  const inWords = ({ text, action }: Explained): Explained => ({ text: meaning(text), action: meaning(action) });
  const { detail } = problem;
  return {
    ...problem,
    detail: {
      ...detail,
      ...("lastEventAt" in detail && { lastEventAt: when(detail.lastEventAt) }),
      ...("title" in detail && { title: meaning(detail.title) }),
      ...("explanation" in detail && { explanation: inWords(detail.explanation) }),
      ...("failed" in detail && typeof detail.failed === "object" && { failed: detail.failed && inWords(detail.failed) }),
    },
  } as TellableProblem;
}
