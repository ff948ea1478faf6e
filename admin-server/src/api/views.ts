import { clientIdMember, idInput } from "shared/core/input/values";
import { createViewInput, listViewsInput, updateViewInput, type ViewFilter } from "shared/core/input/views";
import type { Role } from "shared/core/role";
import { mostViews, type ViewList, viewMembers } from "shared/core/saved-view";
import { say } from "shared/core/wording";
import { newId } from "shared/db/ids";
import { countViews, deleteView, findView, insertView, listViews, updateView, type ViewRow } from "shared/db/saved-view";
import type { Sql } from "shared/db/statement";
import { findTemplate } from "shared/db/template";
import { conflict, invalidInput, absent, notFound, requireUnchanged } from "../trpc/errors.ts";
import { present, readPage, requireSite } from "../trpc/paging.ts";
import { shownText } from "../trpc/roles.ts";
import { once, operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

const creating = operatorProcedure.input(createViewInput.extend(clientIdMember)).use(
  once(async ({ sql, caller }, id) => ({
    view: presentView(caller.role)((await findView(sql, caller.accountId, id)) ?? absent("view")),
  })),
);

/** The account's mutations run one after the other, so no two take the last place or the same name. */
export const viewsRouter = router({
  list: viewerProcedure
    .input(listViewsInput)
    .query(({ ctx, input }) =>
      readPage("views", input, (page) => listViews(ctx.sql, ctx.caller.accountId, input.list, page), presentView(ctx.caller.role)),
    ),

  create: creating.mutation(async ({ ctx, input: given }) => {
    const { clientId: _, ...input } = given;
    const { accountId, userId, role } = ctx.caller;
    const view = { id: newId(), account_id: accountId, created_by: userId, ...input };
    await requireFilter(ctx.sql, view);
    const { count } = await requireFreeName(ctx.sql, view);
    if (count >= mostViews) throw conflict("A list has at most {most} views: delete one that is not used", { most: mostViews });
    return { view: presentView(role)(await insertView(ctx.sql, view)) };
  }),

  update: operatorProcedure.input(updateViewInput).mutation(async ({ ctx, input: { id, name, filter, ifUpdatedAt } }) => {
    const { accountId, role } = ctx.caller;
    const stored = (await findView(ctx.sql, accountId, id)) ?? absent("view");
    await requireUnchanged(stored, { ifUpdatedAt }, () => presentView(role)(stored));
    const view = { ...stored, name: name ?? stored.name, filter: filter ?? stored.filter };
    if (filter !== undefined) await requireFilter(ctx.sql, view);
    await requireFreeName(ctx.sql, view);
    const row = (await updateView(ctx.sql, view)) ?? absent("view");
    return { view: presentView(role)(row) };
  }),

  delete: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    if (!(await deleteView(ctx.sql, ctx.caller.accountId, input.id))) throw notFound("view");
    return { id: input.id };
  }),
});

/** @throws TRPCError BAD_REQUEST if the list has no such filter, NOT_FOUND if a site or template is not the account's */
async function requireFilter(sql: Sql, { account_id, list, filter }: Pick<ViewRow, "account_id" | "list" | "filter">): Promise<void> {
  const foreign = Object.keys(filter).filter((name) => !viewMembers[list].includes(name as keyof ViewFilter));
  if (foreign.length > 0)
    throw invalidInput(
      foreign.map((name) => ({ path: ["filter", name], said: say("Is no filter that a view of {list} holds", { list }) })),
    );
  await requireSite(sql, account_id, filter.siteId);
  if (filter.templateId !== undefined && (await findTemplate(sql, account_id, filter.templateId)) === undefined) throw notFound("template");
}

/** @throws TRPCError CONFLICT if another view of the list has the name */
async function requireFreeName(sql: Sql, view: { id: string; account_id: string; list: ViewList; name: string }) {
  const found = await countViews(sql, view);
  if (found.same !== null && found.same !== view.id)
    throw conflict("There is a view with the name {name}: choose another name", { name: view.name });
  return found;
}

const presentView = (role: Role) => (row: ViewRow) => ({
  ...present(row, "id", "list", "created_by", "created_at", "updated_at"),
  name: shownText(row.name, role),
  filter: shownFilter(row.filter, role),
});

/** Only these members can hold a phone: ids and days are none. */
const typed = ["search", "event", "template", "field", "errorCode", "unreached", "state", "kind", "actor", "action"] as const;

function shownFilter(filter: ViewFilter, role: Role): ViewFilter {
  const shown = { ...filter };
  for (const name of typed) if (shown[name] !== undefined) shown[name] = shownText(shown[name], role);
  return shown;
}
