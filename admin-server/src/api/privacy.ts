import { listOptOutsInput } from "shared/core/input/team";
import { idInput, listInput, phoneInput } from "shared/core/input/values";
import { readLogSearch } from "shared/core/log-search";
import { optOutKey } from "shared/core/person-key";
import { phonePattern } from "shared/core/phone-search";
import { may } from "shared/core/role";
import { findSettingsNaming } from "shared/db/erasure/erase";
import { countOpenErasures, findErasure, listErasures, type ErasureRow, mostOpenErasures } from "shared/db/erasure/request";
import { decideShopErasure, listShopErasures, lockShopErasure, type ShopErasureRow } from "shared/db/erasure/shop-request";
import { listRecipients } from "shared/db/event/log";
import { liftOptOut, listOptOuts, phonePlace, type OptOutRow, userPlace } from "shared/db/opt-out";
import { readRowCodec } from "shared/sealing/account-rows";
import { askToErase, readShopPerson } from "shared/sealing/ask-to-erase";
import { tellPeoplesWords, toWord } from "shared/sealing/tell-people";
import { readValue } from "shared/secrets/row-codec";
import { readRecord, type Vault } from "shared/secrets/vault";
import type { z } from "zod";
import type { AdminContext, CallerContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { conflict, absent } from "../trpc/errors.ts";
import { present, readPage } from "../trpc/paging.ts";
import { requirePhoneSearch, shownNumber, shownPhone } from "../trpc/roles.ts";
import { searchEvents } from "../trpc/search.ts";
import { operatorProcedure, ownerProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

export const optOutsRouter = router({
  list: viewerProcedure.input(listOptOutsInput).query(async ({ ctx, input }) => {
    const { scope, source } = input;
    const filter = { hashes: await soughtPeople(ctx, input), scope, source };
    return readPage("opt-outs", input, (page) => listOptOuts(ctx.sql, ctx.caller.accountId, filter, page), presentOptOut(ctx));
  }),

  lift: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const lifted = (await liftOptOut(ctx.sql, accountId, input.id)) ?? absent("opt-out");
    // The phone of an erased person is not known any more.
    const phone = lifted.phone && readRecord(ctx.vault, lifted.phone, phonePlace(accountId, lifted.id));
    const word = phone && toWord({ phone, scope: lifted.scope, source: "operator", active: false, at: new Date() });
    if (word) await tellPeoplesWords(ctx.sql, ctx.vault, accountId, [word]);
    return { id: input.id };
  }),
});

export const peopleRouter = router({
  erase: ownerProcedure.input(phoneInput).mutation(async ({ ctx, input }) => {
    const row = await erasePerson(ctx, ctx.caller, input.phone);
    return { operation: { id: row.id }, erasure: presentErasure(row) };
  }),

  erasures: ownerProcedure
    .input(listInput)
    .query(({ ctx, input }) => readPage("erasures", input, (page) => listErasures(ctx.sql, ctx.caller.accountId, page), presentErasure)),

  erasure: ownerProcedure.input(idInput).query(async ({ ctx, input }) => ({
    erasure: presentErasure((await findErasure(ctx.sql, ctx.caller.accountId, input.id)) ?? absent("erasure")),
  })),

  /** What shops ask for: each waits for an owner, for two weeks. */
  erasureRequests: ownerProcedure
    .input(listInput)
    .query(({ ctx, input }) =>
      readPage("erasure requests", input, (page) => listShopErasures(ctx.sql, ctx.caller.accountId, page), presentRequest(ctx)),
    ),

  confirmErasure: ownerProcedure.input(idInput).mutation(({ ctx, input }) => decide(ctx, ctx.caller, input.id, "confirmed")),

  refuseErasure: ownerProcedure.input(idInput).mutation(({ ctx, input }) => decide(ctx, ctx.caller, input.id, "refused")),
});

/** @throws TRPCError NOT_FOUND; CONFLICT once it is decided */
async function decide(context: AdminContext, { accountId, email }: Caller, id: string, state: "confirmed" | "refused") {
  const row = (await lockShopErasure(context.sql, accountId, id)) ?? absent("request to erase");
  if (row.state !== "asked") throw conflict("This request is decided already");
  await decideShopErasure(context.sql, id, state, email);
  const decided = await lockShopErasure(context.sql, accountId, id);
  return { request: presentRequest(context)(decided ?? row) };
}

/** Shows who is meant until the request is refused or done; then only the masked phone is left. */
const presentRequest =
  ({ vault }: Pick<AdminContext, "vault">) =>
  (row: ShopErasureRow) => {
    const person = readShopPerson(vault, row);
    return {
      ...present(row, "id", "site_id", "site"),
      phone: person?.phone ?? (row.hint || null),
      email: person?.email ?? null,
      /** The shop's ids. */
      customer: person?.customer ?? null,
      orders: person?.orders ?? [],
      askedAt: row.asked_at.toISOString(),
      /** When it confirms itself. */
      dueAt: row.confirms_at.toISOString(),
      // Decided by nobody yet, or by the time: null.
      ...present(row, "state", "decided_by", "decided_at", "finished_at", "counts"),
    };
  };

/**
 * Starts the erasure of a person, which goes on in the background. CONFLICT while the account's own settings name the phone: a binding would go on sending to
 * it, and only a person can say where else.
 */
async function erasePerson({ sql, vault }: AdminContext, { accountId, email }: Caller, phone: string): Promise<ErasureRow> {
  const naming = await findSettingsNaming(sql, accountId, phonePattern(phone));
  if (naming.length > 0) {
    const listed = naming.map(({ kind, id, name }) => `${kind} ${name} (${id})`).join(", ");
    throw conflict("The phone number is still used in the set-up. Change or delete it there first: {listed}", { listed });
  }
  if ((await countOpenErasures(sql, accountId)) >= mostOpenErasures)
    throw conflict("{most} erasures of the account are under way: wait until some have ended", { most: mostOpenErasures });
  return await askToErase(sql, vault, { accountId, phone, requestedBy: email });
}

/** The digests of the people who are looked for, by their phone or by what events say whose messages they were to get; undefined: of everybody. */
async function soughtPeople({ sql, vault, caller }: CallerContext, { phone, search }: z.output<typeof listOptOutsInput>) {
  const { accountId, role } = caller;
  requirePhoneSearch(role, phone);
  if (search === undefined) return phone === undefined ? undefined : [vault.fingerprint(optOutKey(accountId, phone))];
  const as = readLogSearch(search);
  if ("phone" in as && shownNumber(search, [], role) !== search) requirePhoneSearch(role, as.phone);
  const rows = await readRowCodec(sql, vault, accountId);
  const people = new Set("phone" in as && may(role, "seePhones") ? [as.phone] : []);
  let before: string | null = null;
  for (let looks = 0; looks === 0 || (before !== null && looks < mostLooks); looks += 1) {
    const { ids, readTo } = await searchEvents({ sql, accountId, role, rows }, { search }, { from: null, before });
    for (const row of await listRecipients(sql, accountId, ids))
      people.add(readValue(rows, row.to_phone, "notification.to_phone", row.id, ""));
    before = readTo;
  }
  return [...people].filter((each) => each !== "" && each === (phone ?? each)).map((each) => vault.fingerprint(optOutKey(accountId, each)));
}

/** How often the next thousand of the events that a text finds are looked at for people. */
const mostLooks = 10;

/** `phone` is null once the person was erased, and while its record cannot be read; the opt-out still applies. */
const presentOptOut =
  ({ vault, caller }: { vault: Vault; caller: Caller }) =>
  (row: OptOutRow) => {
    const phone = row.phone && readRecord(vault, row.phone, phonePlace(caller.accountId, row.id));
    const userId = row.user_id && readRecord(vault, row.user_id, userPlace(caller.accountId, row.id));
    return {
      id: row.id,
      phone: phone && shownPhone(phone, caller.role),
      /** WhatsApp's id for a person whose phone it hides: the opt-out applies to the phone once a report names both. */
      userId: userId && (may(caller.role, "seePhones") ? userId : `${userId.slice(0, 3)}•••`),
      ...present(row, "scope", "source", "code", "since"),
    };
  };

/** Once finished, this is the certificate of the erasure. */
const presentErasure = (row: ErasureRow) => ({
  ...present(row, "id", "requested_by", "requested_at", "finished_at", "counts"),
  /** The masked phone, which is all that is left of it. */
  phone: row.hint,
  /** From 0 to 1; stays at 0.99 while rows that were in use are tried again. */
  progress: progressOf(row),
  /** Rows examined. */
  scanned: Number(row.scanned),
});

function progressOf({ finished_at, pass, step, steps }: ErasureRow): number {
  if (finished_at !== null) return 1;
  return Math.floor((pass === 0 ? step / Math.max(1, steps.length) : 1) * 99) / 100;
}
