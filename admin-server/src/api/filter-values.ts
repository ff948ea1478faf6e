import { dayMs } from "shared/core/durations";
import { filterValuesInput } from "shared/core/input/log";
import { compareCodePoints } from "shared/core/text";
import { findAccount } from "shared/db/account";
import { countFieldSets } from "shared/db/binding";
import { listEventNames } from "shared/db/event-kind";
import { countErrors } from "shared/db/notification/statistics";
import type { Sql } from "shared/db/statement";
import { listTemplateNames } from "shared/db/template";
import { titleOf } from "shared/platform/errors/classify";
import type { z } from "zod";
import type { CallerContext } from "../context.ts";
import { absent } from "../trpc/errors.ts";
import { requireSite } from "../trpc/paging.ts";
import { shownText } from "../trpc/roles.ts";
import { readerProcedure, router } from "../trpc/trpc.ts";

export const filterValuesRouter = router({
  filterValues: readerProcedure.input(filterValuesInput).query(async ({ ctx, input }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    const found = await findValues(ctx, input);
    const search = (input.search ?? "").toLowerCase();
    // Leaves out values that match only by digits that the caller may not see.
    const shown = found.map((item) => ({ ...item, value: shownText(item.value, ctx.caller.role) }));
    const items = shown.filter(({ value, title }) => `${value}\n${title ?? ""}`.toLowerCase().includes(search));
    return { items: items.slice(0, most), more: found.length > most };
  }),
});

const most = 100;

type Input = z.output<typeof filterValuesInput>;

interface FilterValue {
  value: string;
  /** The meaning of an error code; null for other fields. */
  title: string | null;
  /** The number of failed messages with this error code, or of bindings that read this field; null for events and templates. */
  count: number | null;
  /** There may be more than were counted. */
  countIsLeast: boolean;
}

type Reading = Pick<CallerContext, "sql" | "clock" | "caller">;

/** The values that match; one more than are shown, if there are more. */
async function findValues(context: Reading, { field, siteId, search = "", ...span }: Input): Promise<FilterValue[]> {
  const { sql, caller } = context;
  const sought = search.toLowerCase();
  const named = ({ name }: { name: string }): FilterValue => ({ value: name, title: null, count: null, countIsLeast: false });
  if (field === "event") return (await listEventNames(sql, caller.accountId, { siteId, search: sought }, most + 1)).map(named);
  if (field === "template") return (await listTemplateNames(sql, caller.accountId, sought, most + 1)).map(named);
  if (field === "field") return await findFields(sql, caller.accountId, siteId, sought);
  return await findErrors(context, siteId, span);
}

/** The fields that bindings read, and the fields that contain those, such as `customer` for `customer.first_name`. The field that finds the most bindings comes first. */
async function findFields(sql: Sql, accountId: string, siteId: string | undefined, sought: string): Promise<FilterValue[]> {
  const sets = (await countFieldSets(sql, accountId, siteId)).map(({ paths, count }) => {
    const fields = new Set(paths.flatMap(withParents).filter((field) => field.toLowerCase().includes(sought)));
    return { fields, text: paths.join("\n"), count };
  });
  const reads = new Map<string, number>();
  for (const { fields, count } of sets) for (const field of fields) reads.set(field, (reads.get(field) ?? 0) + count);
  // `bindings.list` looks for a part of the path.
  const countOf = (field: string) => sets.reduce((sum, { text, count }) => sum + (text.includes(field) ? count : 0), 0);
  const shown = byCount([...reads].map(([value, count]) => ({ value, count }))).slice(0, most + 1);
  return byCount(shown.map(({ value }) => ({ value, title: null, count: countOf(value), countIsLeast: false })));
}

const byCount = <Item extends { value: string; count: number }>(items: Item[]): Item[] =>
  items.toSorted((a, b) => b.count - a.count || compareCodePoints(a.value, b.value));

function withParents(path: string): string[] {
  const steps = path.split(".");
  return steps.map((_, index) => steps.slice(0, index + 1).join("."));
}

/** The longest span before the end that is searched, and the usual one without a beginning. */
const mostDays = 92;
const usualDays = 30;

async function findErrors({ sql, clock, caller }: Reading, siteId: string | undefined, span: Pick<Input, "from" | "to">) {
  const account = (await findAccount(sql, caller.accountId)) ?? absent("account");
  const now = clock().getTime();
  const to = Math.max(Math.min(span.to === undefined ? now : span.to + 1, now + dayMs), mostDays * dayMs);
  const from = Math.min(Math.max(span.from ?? to - usualDays * dayMs, to - mostDays * dayMs), to);
  const filter = { accountId: caller.accountId, siteId: siteId ?? null, timezone: account.timezone };
  const rows = await countErrors(sql, { ...filter, from: new Date(from), to: new Date(to) }, most + 1);
  return rows.map(({ error_code, count, more }) => ({ value: error_code, title: titleOf(error_code), count, countIsLeast: more }));
}
