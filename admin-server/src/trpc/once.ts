import { findMade, insertMade } from "shared/db/made-once";
import type { CallContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { subjectOf } from "./audit-trail.ts";
import { conflict } from "./errors.ts";
import { middleware } from "./trpc.ts";

export type CreateContext = CallContext & { caller: Caller };

/**
 * Lets a create with the caller's own `clientId` make its object once: the same input again is answered by `read`, with `existing: true`. It stands after the
 * input of a mutation that runs in the audit's transaction, where an account's mutations run one after the other.
 */
export const once = (read: (context: CreateContext, id: string) => Promise<object>) =>
  middleware(async ({ ctx, path, next, getRawInput }) => {
    const { clientId, ...input } = (await getRawInput()) as { clientId?: string };
    if (clientId === undefined) return await next();
    const call = ctx as CreateContext;
    const { sql, vault, caller } = call;
    const account_id = caller.accountId;
    const [key, digest] = [`${path} ${clientId}`, write(input)].map((text) => vault.fingerprint(`made once ${account_id} ${text}`));
    const made = await findMade(sql, account_id, key ?? "");
    if (made === undefined) {
      const result = await next();
      const object_id = result.ok ? subjectOf(null, result.data) : null;
      if (object_id !== null) await insertMade(sql, { account_id, key: key ?? "", input: digest ?? "", object_id });
      return result;
    }
    if (made.input !== digest) throw conflict("This clientId has been used with another input: choose another one");
    call.recordNothing();
    return { ok: true, data: { ...(await read(call, made.object_id)), existing: true } } as Awaited<ReturnType<typeof next>>;
  });

/** The input as JSON, whatever the order of its members. */
const write = (input: unknown): string =>
  JSON.stringify(input, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
