import type { KnownField } from "shared/core/fields/known";
import { type EventFields, writeTypes } from "shared/core/fields/types";
import { siteTypesInput } from "shared/core/input/log";
import { hidePath, knownOfSamples, maskPath } from "shared/core/mask";
import { may, type Role } from "shared/core/role";
import { findEventKinds, listEventKinds } from "shared/db/event-kind";
import { findSite } from "shared/db/site";
import { readRowCodec } from "shared/sealing/account-rows";
import { readValue, type RowCodec } from "shared/secrets/row-codec";
import type { AdminContext } from "../context.ts";
import { notFound } from "../trpc/errors.ts";
import { everyRow } from "../trpc/paging.ts";
import { shownText } from "../trpc/roles.ts";
import { router, viewerProcedure } from "../trpc/trpc.ts";

/** The most fields of one answer; the event names that came last have them first. */
const mostFields = 20_000;
const namesAtOnce = 20;

export const siteTypesRouter = router({
  /** What a site's events hold, as types of a language: `{text}`. */
  types: viewerProcedure.input(siteTypesInput).query(async ({ ctx, input: { siteId, language } }) => {
    const { accountId, role } = ctx.caller;
    if ((await findSite(ctx.sql, accountId, siteId)) === undefined) throw notFound("site");
    await ctx.learner.catchUp(siteId);
    const all = await listNames(ctx.sql, siteId);
    // A name that holds a phone is no viewer's.
    const names = all.filter((name) => shownText(name, role) === name);
    const rows = await readRowCodec(ctx.sql, ctx.vault, accountId);
    const events: EventFields[] = [];
    let fields = 0;
    while (events.length < names.length && fields < mostFields) {
      await ctx.turns.pause();
      const some = names.slice(events.length, events.length + namesAtOnce);
      const keys = some.map((name) => ({ site_id: siteId, name }));
      const kinds = new Map((await findEventKinds(ctx.sql, keys)).map((kind) => [kind.name, kind.fields]));
      for (const name of some) {
        const own = seenFields(kinds.get(name) ?? [], { role, rows, siteId });
        fields += own.length;
        events.push({ name, fields: own });
      }
    }
    return { text: writeTypes(language, events, names.length - events.length) };
  }),
});

/** Those that came last first. */
async function listNames(sql: AdminContext["sql"], siteId: string): Promise<string[]> {
  const names: string[] = [];
  const kinds = everyRow(
    (page) => listEventKinds(sql, siteId, page),
    (kind) => kind.last_event_id,
  );
  for await (const { name } of kinds) names.push(name);
  return names;
}

/** The fields without those whose path tells somebody who may not see it a person's name, phone or address. */
function seenFields(fields: readonly KnownField[], { role, rows, siteId }: { role: Role; rows: RowCodec; siteId: string }) {
  if (may(role, "seePhones")) return fields;
  const known = knownOfSamples(
    fields.map((field) => ({ ...field, sample: readValue(rows, field.sample, "event_kind.fields", siteId, null) })),
  );
  return fields.filter(({ path, hidden = path }) => maskPath(hidePath(hidden, known)) === path);
}
