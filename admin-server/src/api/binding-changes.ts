import { isDeepStrictEqual } from "node:util";
import { TRPCError } from "@trpc/server";
import { mapErrors, templateChanges } from "shared/core/binding";
import type { changeManyBindingsInput, createBindingInput, updateBindingInput } from "shared/core/input/bindings";
import { describeReason } from "shared/core/reason";
import { mergeSchedule, scheduleProblem } from "shared/core/schedule/merge";
import type { Schedule } from "shared/core/schedule/schedule";
import { shapeOf } from "shared/core/template/shape";
import { slotNames } from "shared/core/template/slots";
import { say, write } from "shared/core/wording";
import { changesBetween, readAuditedOf } from "shared/db/audited";
import {
  type BindingRow,
  countBindings,
  countOtherEnabled,
  deleteBinding,
  findBinding,
  findBindings,
  findEqualBinding,
  insertBinding,
  updateBinding,
} from "shared/db/binding";
import { newId } from "shared/db/ids";
import { lockSites, touchSite } from "shared/db/site";
import type { Sql } from "shared/db/statement";
import { findTemplate, type TemplateRow } from "shared/db/template";
import { cancelOfBinding } from "shared/db/waiting/cancel";
import type { z } from "zod";
import type { CallContext } from "../context.ts";
import { conflict, EqualBinding, invalidInput, absent, notFound, Refusal, refusalIn, requireUnchanged } from "../trpc/errors.ts";

/** Adds a binding. `sql` is a transaction; the site stays locked until its end. */
export async function addBinding(sql: Sql, accountId: string, input: z.output<typeof createBindingInput>): Promise<BindingRow> {
  const sites = await lockSites(sql, accountId, [input.siteId]);
  if (!sites.has(input.siteId)) throw notFound("site");
  const template_shape = shapeOf((await findTemplateFor(sql, accountId, input)).definition);
  const { siteId: site_id, event, recipient, conditions = null, enabled = true } = input;
  const template = { template_id: input.templateId, template_shape, variable_map: input.variableMap };
  const values = { id: newId(), site_id, event, ...template, recipient, conditions, schedule: readSchedule(input), enabled };
  await insertChecked(sql, accountId, values);
  return await readBinding(sql, accountId, values.id);
}

/** @throws CONFLICT; the site is locked. */
async function insertChecked(sql: Sql, accountId: string, values: Parameters<typeof insertBinding>[1]): Promise<void> {
  if ((await countBindings(sql, accountId)) >= mostBindings)
    throw conflict("An account has at most {most} bindings: delete those that are not used", { most: mostBindings });
  await refuseEqual(sql, values);
  if (values.enabled) await refuseTooMany(sql, values);
  await insertBinding(sql, values);
}

/** The most bindings of an account. No two are created at the same moment: the account's mutations run one after the other. */
const mostBindings = 5_000;

export type Place = Pick<BindingRow, "id" | "site_id" | "event" | "template_id" | "recipient" | "conditions" | "schedule">;

/** @throws BAD_REQUEST when the members, over those that are stored, make no sense together */
export function readSchedule(input: Parameters<typeof mergeSchedule>[0], stored: Schedule | null = null): Schedule | null {
  const schedule = mergeSchedule(input, stored);
  const problem = scheduleProblem(schedule);
  if (problem !== null) throw invalidInput([problem]);
  return schedule;
}

/** Refuses a second binding that would send each message twice; `besides`: those that go. The site is locked. */
export async function refuseEqual(sql: Sql, place: Place, besides: readonly string[] = []): Promise<void> {
  const id = await findEqualBinding(sql, place, besides);
  if (id !== undefined) throw equalTo(id);
}

export function equalTo(id: string): Refusal {
  const said = say(
    "The binding {id} has the same site, event, template, recipient, conditions and timing, so each message would be sent twice. Change that binding",
    { id },
  );
  return new Refusal("CONFLICT", said, new EqualBinding(id));
}

/** The most enabled bindings of a site's event. */
export const mostEnabled = 50;

async function refuseTooMany(sql: Sql, place: Place): Promise<void> {
  if ((await countOtherEnabled(sql, place)) >= mostEnabled) throw tooManyEnabled();
}

export const tooManyEnabled = () =>
  conflict("An event of a site has at most {most} enabled bindings: disable or delete one, or use another event", { most: mostEnabled });

/** `sql` is a transaction; `present` shows the binding to the caller. */
export async function changeBinding(
  sql: Sql,
  accountId: string,
  { ifUpdatedAt, ...input }: z.output<typeof updateBindingInput>,
  present: (row: BindingRow) => object,
): Promise<BindingRow> {
  const former = await lockBinding(sql, accountId, input.id, input.siteId);
  await requireUnchanged(former, { ifUpdatedAt }, () => present(former));
  await applyChanges(sql, accountId, former, input);
  return await readBinding(sql, accountId, former.id);
}

type Changes = Omit<z.output<typeof updateBindingInput>, "id" | "ifUpdatedAt">;

/** Both sites are locked. */
async function applyChanges(sql: Sql, accountId: string, former: BindingRow, input: Changes): Promise<void> {
  const values = {
    id: former.id,
    site_id: input.siteId ?? former.site_id,
    event: input.event ?? former.event,
    template_id: input.templateId ?? former.template_id,
    recipient: input.recipient ?? former.recipient,
    variable_map: input.variableMap ?? former.variable_map,
    template_shape: former.template_shape,
    conditions: input.conditions === undefined ? former.conditions : input.conditions,
    schedule: readSchedule(input, former.schedule),
    enabled: input.enabled ?? former.enabled,
  };
  // Without a new template or map nothing is checked: a binding can be switched off although its template has lost a slot.
  if (input.templateId !== undefined || input.variableMap !== undefined) {
    const template = await findTemplateFor(sql, accountId, { templateId: values.template_id, variableMap: values.variable_map });
    values.template_shape = shapeOf(template.definition);
  }
  const isMoved = values.site_id !== former.site_id || values.event !== former.event;
  const isOther =
    isMoved ||
    values.template_id !== former.template_id ||
    !isDeepStrictEqual(values.recipient, former.recipient) ||
    !isDeepStrictEqual(values.conditions, former.conditions) ||
    !isDeepStrictEqual(values.schedule, former.schedule);
  if (isOther) await refuseEqual(sql, values);
  if (values.enabled && (isMoved || !former.enabled)) await refuseTooMany(sql, values);
  await updateBinding(sql, values);
  if (values.site_id !== former.site_id) await touchSite(sql, former.site_id);
}

/** Removes a binding that the transaction `sql` has locked. */
export async function removeBinding(sql: Sql, { id, site_id }: BindingRow): Promise<void> {
  await cancelOfBinding(sql, site_id, id);
  await deleteBinding(sql, id);
}

type ChangeMany = z.output<typeof changeManyBindingsInput>;

/** Changes each binding for which it is possible, all in one transaction, and records each as an entry of its own. `changed`: those that were not refused and were another before. */
export async function changeBindings({ sql, record, recordNothing }: CallContext, accountId: string, input: ChangeMany) {
  const ids = [...new Set(input.ids)];
  const target = "siteId" in input ? [input.siteId] : [];
  const seen = await findBindings(sql, accountId, ids);
  const sites = await lockSites(sql, accountId, [...seen.map(({ site_id }) => site_id), ...target]);
  if (target.some((id) => !sites.has(id))) throw notFound("site");
  if ("templateId" in input) await readTemplate(sql, accountId, input.templateId);
  const rows = new Map((await findBindings(sql, accountId, ids)).map((row) => [row.id, row]));
  const before = await readAuditedOf(sql, "bindings.", accountId, ids);
  const results: Awaited<ReturnType<typeof changeOne>>[] = [];
  for (const id of ids) results.push(await changeOne(sql, accountId, { id, row: rows.get(id) }, input));
  const after = await readAuditedOf(sql, "bindings.", accountId, [...ids, ...results.flatMap(({ copyId }) => copyId ?? [])]);
  const entries = [...new Set([...before.keys(), ...after.keys()])].map((subject) => ({
    subject,
    changes: changesBetween(before.get(subject) ?? new Map(), after.get(subject) ?? new Map()),
  }));
  const changed = entries.filter(({ changes }) => changes.length > 0);
  if (changed.length === 0) recordNothing();
  await Promise.all(changed.map((told) => record(sql, told)));
  const subjects = new Set(changed.map(({ subject }) => subject));
  return { results, changed: results.filter(({ id, copyId }) => subjects.has(copyId ?? id)).length };
}

const doesNotExist = say("The binding does not exist");

/**
 * The outcome for one of several bindings. `copyId`: of the copy; null where there is none. `refused`: why the binding was not changed, with `said` as data;
 * null where it was changed. `equalId`: of an equal binding that is in the way; null without one.
 */
async function changeOne(sql: Sql, accountId: string, { id, row }: { id: string; row: BindingRow | undefined }, input: ChangeMany) {
  if (row === undefined) return { id, copyId: null, refused: write(doesNotExist), said: doesNotExist, equalId: null };
  try {
    return { id, copyId: await carryOut(sql, accountId, row, input), refused: null, said: null, equalId: null };
  } catch (error) {
    const equalId = error instanceof TRPCError && error.cause instanceof EqualBinding ? error.cause.told : null;
    return { id, copyId: null, ...refusalIn(error), equalId };
  }
}

/** Gives the binding another template if its map keeps its meaning. @throws CONFLICT otherwise */
async function setTemplate(sql: Sql, accountId: string, row: BindingRow, templateId: string): Promise<void> {
  const { definition } = await readTemplate(sql, accountId, templateId);
  const changes = templateChanges(slotNames(row.definition), row.variable_map, definition);
  if (changes.length > 0)
    throw conflict("Its variables differ: {changes}", { changes: changes.map((change) => describeReason(change)).join("; ") });
  await applyChanges(sql, accountId, row, { templateId });
}

/** Answers the id of the copy, if it makes one. @throws TRPCError before anything was written */
async function carryOut(sql: Sql, accountId: string, row: BindingRow, input: ChangeMany): Promise<string | null> {
  const { action } = input;
  if (action === "copy") {
    const { event, template_id, recipient, variable_map, template_shape, conditions, schedule } = row;
    const id = newId();
    const enabled = input.enabled ?? row.enabled;
    const copied = { event, template_id, recipient, variable_map, template_shape, conditions, schedule };
    await insertChecked(sql, accountId, { id, site_id: input.siteId, enabled, ...copied });
    return id;
  }
  if (action === "delete") await removeBinding(sql, row);
  else if (action === "setTemplate") {
    if (row.template_id !== input.templateId) await setTemplate(sql, accountId, row, input.templateId);
  } else if (action === "move") {
    if (row.site_id !== input.siteId) await applyChanges(sql, accountId, row, { siteId: input.siteId });
  } else if (row.enabled !== (action === "enable")) await applyChanges(sql, accountId, row, { enabled: !row.enabled });
  return null;
}

/** Locks the binding's site, and the site it moves to, before reading the binding. */
export async function lockBinding(sql: Sql, accountId: string, id: string, nextSiteId?: string): Promise<BindingRow> {
  const seen = await readBinding(sql, accountId, id);
  const sites = await lockSites(sql, accountId, [seen.site_id, nextSiteId ?? seen.site_id]);
  if (nextSiteId !== undefined && !sites.has(nextSiteId)) throw notFound("site");
  const row = await readBinding(sql, accountId, id);
  if (row.site_id !== seen.site_id) throw conflict("The binding was moved to another site at the same time; try again");
  return row;
}

/** The account's template. @throws NOT_FOUND, or BAD_REQUEST when the map names a slot that the template lacks */
export async function findTemplateFor(
  sql: Sql,
  accountId: string,
  { templateId, variableMap }: Pick<z.output<typeof createBindingInput>, "templateId" | "variableMap">,
): Promise<TemplateRow> {
  const template = await readTemplate(sql, accountId, templateId);
  const errors = mapErrors(variableMap, template.definition);
  if (errors.length > 0) throw invalidInput(errors.map((reason) => ({ path: ["variableMap"], reason })));
  return template;
}

/** @throws NOT_FOUND */
export const readTemplate = async (sql: Sql, accountId: string, id: string) =>
  (await findTemplate(sql, accountId, id)) ?? absent("template");

/** @throws NOT_FOUND */
export const readBinding = async (sql: Sql, accountId: string, id: string) => (await findBinding(sql, accountId, id)) ?? absent("binding");
