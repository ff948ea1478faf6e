import { Autocomplete } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { type OperationKind, operationFacts } from "shared/core/operation";
import { sentenceCase } from "shared/core/text";
import { isUuid } from "shared/core/uuid";
import { formatCount, formatDay, formatLanguage, formatMoment, formatParts } from "../../format.ts";
import { isolated, t, translated } from "../../language.ts";
import { auditCsv, pages, paths } from "../../paths.ts";
import { RolePage } from "../../role-page.tsx";
import { useMe } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { Moment } from "../../ui/base/facts.tsx";
import { CsvButton } from "../../ui/base/files.tsx";
import { optOutScopeLabels, optOutSourceLabels, sourceTypeLabels } from "../../ui/base/labels.ts";
import { rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useCount } from "../../ui/list/count.ts";
import { cut } from "../../ui/list/cut-text.tsx";
import { daysBack } from "../../ui/list/days.ts";
import { type Filter, FilterBar } from "../../ui/list/filter-bar.tsx";
import { useTypedFilter } from "../../ui/list/filters.tsx";
import { inField, periodFilter } from "../../ui/list/list-filters.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { daySpan, fileAddress } from "../../ui/list/search-params.ts";
import { tellState } from "../../ui/list/state-line.ts";
import { operationLabel, operationPage } from "../../ui/operation/operations.tsx";
import problemLabels from "../../ui/problem/problem-labels.json";
import { type Column, byPage } from "../../ui/table/data-table.tsx";
import labels from "./labels.json";
import memberLabels from "./member-labels.json";
import subjectPages from "./pages.json";
import { type AuditSearch, readAuditSearch } from "./route.ts";
import sentenceLabels from "./sentence-labels.json";
import switchLabels from "./switch-labels.json";
import valueTexts from "./value-labels.json";
import classes from "../../ui/table/data-table.module.css";

const switches: Partial<Record<string, string>> = switchLabels;
const sentences: Partial<Record<string, string>> = sentenceLabels;
const problemKinds: Partial<Record<string, string>> = problemLabels.kinds;
/** The audited members in words. */
export const members: Partial<Record<string, string>> = memberLabels;

/** What was done, by procedure; in English until it is drawn. An unknown one shows its own name. */
export const actionLabels: Record<string, string> = labels;
const labelOf = (action: string): string =>
  action.startsWith("mcp.") ? t("Called {tool} over MCP", { tool: action.slice(4) }) : translated(actionLabels[action] ?? action);

export function AuditPage() {
  const search = useSearch({ from: `/signed-in${paths.audit}` });
  const entries = useCount("audit.count", daySpan({ from: daysBack(0) }), { enabled: useMay("owner") }).data;
  return (
    <RolePage needed="owner" title={t("Audit")} lead={tellState("audit", { entries })} actions={<CsvButton href={csvAddress(search)} />}>
      <Filters search={search} />
      <AuditList search={search} />
    </RolePage>
  );
}

function Filters({ search }: { search: AuditSearch }) {
  const people = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  const emails = people.data?.items.map(({ email }) => email) ?? [];
  const filters: Filter<AuditSearch>[] = [
    {
      name: "actor",
      label: t("Who"),
      tell: ({ actor }) => actor ?? "",
      edit: ({ actor }, change) => <ActorField emails={emails} actor={actor} onChange={(value) => change({ actor: value })} />,
    },
    { name: "action", label: t("Action"), options: choices(search.action) },
    periodFilter(),
  ];
  return <FilterBar search={search} read={readAuditSearch} placeholder={t("Name, site or person")} filters={filters} views="audit" />;
}

/** The known actions, and the chosen one if it is unknown. */
function choices(chosen: string | undefined) {
  const named = Object.keys(actionLabels).map((value) => ({ value, label: labelOf(value) }));
  return chosen === undefined || chosen in actionLabels ? named : [...named, { value: chosen, label: labelOf(chosen) }];
}

function ActorField({ emails, actor, onChange }: { emails: string[]; actor: string | undefined; onChange: (actor: string) => void }) {
  const [text, type] = useTypedFilter(actor, onChange);
  return <Autocomplete {...inField} label={t("Who")} placeholder={t("E-mail address")} data={emails} value={text} onChange={type} />;
}

type Entry = Outputs["audit"]["list"]["items"][number];
type Change = Entry["changes"][number];

const columns: Column<Entry>[] = [
  { name: t("Time"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: t("Who"), kind: "short", cell: ({ actor, tokenId }) => (tokenId === null ? actor : t("{actor}, with a token", { actor })) },
  { name: t("What happened"), kind: "title", cell: (entry) => <Sentence {...entry} /> },
  {
    name: t("What changed"),
    kind: "long",
    cell: (entry) => switchOf(entry) === undefined && entry.changes.some(isTold(entry)) && <Changes {...entry} />,
  },
  { name: t("IP address"), kind: "short", cell: ({ address }) => address ?? t("The server") },
];

function AuditList({ search }: { search: AuditSearch }) {
  const entries = trpc.audit.list.useInfiniteQuery({ ...auditFilter(search), limit: 50 }, byPage);
  const counted = useCount("audit.count", auditFilter(search)).data;
  return (
    <PagedTable label={t("Audit")} counted={counted} query={entries} what={t("the audit")} empty={null} filtered={null} columns={columns} />
  );
}

/** The sentence of an entry that turned one switch, which needs no further words. */
function switchOf(entry: Entry): string | undefined {
  const [one, ...others] = entry.changes.filter(isTold(entry));
  if (one?.kept !== "values" || one.before === undefined || others.length > 0) return undefined;
  return switches[`${entry.action} ${one.member} ${String(one.after)}`];
}

function Changes(entry: Entry) {
  const { timezone } = useMe();
  const changes = entry.changes
    .filter(isTold(entry))
    .map((change) => (entry.action === statisticsAction ? inDays(change, timezone) : change));
  return cut(changes.map(describeChange).join(t("; ")), 34);
}

const statisticsAction = "export.statistics.csv";

/** The span of statistics is days of the account, of which `to` is the midnight after the last. */
function inDays(change: Change, timeZone: string): Change {
  if (change.kept !== "values" || !["from", "to"].includes(change.member)) return change;
  const at = Date.parse(String(change.after)) - Number(change.member === "to");
  return Number.isNaN(at) ? change : { ...change, after: formatDay(daysBack(0, new Date(at), timeZone)) };
}

/** What was done, and to what: by its name, which leads to its page as long as there is one. */
function Sentence(entry: Entry) {
  const { action, actor, subject, subjectName, siteName, changes, operation } = entry;
  const page = subjectPage(action);
  const named = changes.find(({ member, kept }) => ["name", "url", "email", "event", "phone"].includes(member) && kept === "values");
  const found = subjectName ?? (named?.kept === "values" ? named.after || named.before : null);
  // Who did it stands beside it.
  const told =
    page === "problem" ? translated(problemKinds[String(found)] ?? String(found)) : operation ? operationName(entry, operation) : found;
  const name = told === actor ? null : told;
  const isThere = subject !== null && page !== undefined && subjectName !== null;
  // The sentence has the words of what has no name.
  const what = isThere ? (
    <TextLink {...linkTo(page, page === "problem" ? String(found) : subject, operation?.kind)}>{name}</TextLink>
  ) : (
    name && <q>{String(name)}</q>
  );
  const sentence = switchOf(entry) ?? sentences[action] ?? "";
  const isWhole = sentence !== "" && !(!what && sentence.includes("<0/>")) && !(siteName === null && sentence.includes("<1/>"));
  return (
    <span title={formatParts([labelOf(action), name, siteName].filter((part) => part != null).map(String))} className={classes["sentence"]}>
      {isWhole ? (
        rich(translated(sentence), what, <bdi>{siteName}</bdi>)
      ) : (
        <>
          {labelOf(action)} {what}
        </>
      )}
      {operation && siteName !== null && rich(" <0/>", <bdi>({siteName})</bdi>)}
    </span>
  );
}

/** An operation has no name but what it was about, and of how many. */
const operationName = ({ action, subjectName }: Entry, { kind, about }: NonNullable<Entry["operation"]>): string =>
  formatParts([action === "operations.stop" && operationLabel(kind), about, formatCount(Number(subjectName))]);

type SubjectPage = "site" | "template" | "binding" | "message" | "event" | "endpoint" | "operation" | "problem";

/** `id`: of a problem its kind, as they stand in a list; of a retry the operation, where there is one. */
function linkTo(page: SubjectPage, id: string, operation: OperationKind | undefined) {
  if (operation !== undefined) return operationPage({ id, kind: operation, ...operationFacts[operation] });
  if (page === "operation") return { to: paths.operations };
  if (page === "problem") return { to: paths.problems, search: { kind: id, state: "all" } };
  return pages[page](id);
}

/** Pages by procedure. Deleted things have no page. */
export const subjectPage = (action: string): SubjectPage | undefined =>
  Object.hasOwn(subjectPages, action) ? (subjectPages[action as keyof typeof subjectPages] as SubjectPage) : undefined;

/** An id tells nobody anything, nor does what was and is empty, what only programs read of something new, or the question that the sentence names. */
const isTold =
  ({ action }: Entry) =>
  (change: Change): boolean => {
    if (change.kept !== "values") return true;
    const values = [change.before, change.after];
    return (
      values.some((value) => !nothing.has(value ?? "")) &&
      !values.some((value) => typeof value === "string" && isUuid(value)) &&
      !(change.before === undefined && isForPrograms(change.after)) &&
      !(change.member === "kind" && action.startsWith("assistant."))
    );
  };

/** What says that there is nothing. */
const nothing: ReadonlySet<unknown> = new Set(["", "{}", "[]"]);

const isForPrograms = (value: unknown): boolean => typeof value === "string" && /^[{[]["{[]/u.test(value);

/** `rate limit per second: 5, was none` */
export function describeChange(change: Change): string {
  const name = sentenceCase(
    translated(members[change.member] ?? change.member.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)),
  );
  if (change.kept === "secret") return t("{name}: changed (hidden)", { name });
  if (change.kept === "erased") return t("{name}: erased with a person's data", { name });
  const { before, after } = change;
  // The file has what programs read.
  if ([before, after].some(isForPrograms)) return t("{name}: changed", { name });
  const tell = (value: typeof after) => describeValue(change.member, value);
  if (after === undefined) return t("{name}: was {before}", { name, before: tell(before) });
  return before === undefined
    ? `${name}: ${isolated(tell(after))}`
    : t("{name}: {after}, was {before}", { name, after: tell(after), before: tell(before) });
}

/** The words of values, by their members; roles and statuses have theirs everywhere. */
const valueLabels: Partial<Record<string, Partial<Record<string, string>>>> = {
  ...valueTexts,
  source: optOutSourceLabels,
  sourceType: sourceTypeLabels,
  scope: optOutScopeLabels,
  optOutScope: optOutScopeLabels,
};

function describeValue(member: string, value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined || value === "") return t("none");
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (typeof value === "number") return formatCount(value);
  if (member === "language") return formatLanguage(String(value));
  if (member === "role") return sentenceCase(translated(String(value)));
  const text = translated(valueLabels[member]?.[String(value)] ?? String(value));
  if (/^\{.*\}$/u.test(text)) return formatParts(text.slice(1, -1).split(","));
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u.test(text) ? formatMoment(text) : text;
}

/** The filters as the server takes them. */
export const auditFilter = (search: AuditSearch): AuditSearch => ({ ...search, ...daySpan(search) });

export const csvAddress = (search: AuditSearch): string => fileAddress(auditCsv, auditFilter(search));
