import { maskPhone } from "shared/core/mask";
import { phoneForms } from "shared/core/phone";
import { phonePattern } from "shared/core/phone-search";
import type { PageResult, Person } from "shared/db/erasure/erase";
import { beginPass, claimErasure, finishErasure, releaseErasure, saveErasure, type WorkingErasure } from "shared/db/erasure/request";
import { newId } from "shared/db/ids";
import { inTransaction } from "shared/db/transaction";
import type { AdminContext } from "../context.ts";
import { runStep } from "./steps.ts";

/** All in milliseconds. */
export interface ErasingTimes {
  /** Between two looks for something to do. */
  tickMs: number;
  /** How long a page may take before another server takes its owner for dead. */
  leaseMs: number;
  /** From the request: by then whatever came before it is committed. */
  settleMs: number;
  /** Until what was in use is looked at again. */
  againMs: number;
}

export const defaultErasingTimes: ErasingTimes = { tickMs: 1_000, leaseMs: 120_000, settleMs: 30_000, againMs: 30_000 };

type ErasingContext = Pick<AdminContext, "sql" | "vault" | "sandbox" | "log" | "stopping">;

/** Works off the requests to forget somebody, page by page, whichever server gets to one; what is cut short goes on where it stood. */
export async function workOnErasures(context: ErasingContext, times: ErasingTimes): Promise<void> {
  const owner = newId();
  while (!context.stopping.aborted) {
    const erasure = await claimErasure(context.sql, owner, times.leaseMs / 1000);
    if (erasure === undefined) return;
    try {
      await workOn(context, erasure, owner, times);
    } catch (error) {
      context.log.warn({ err: error, erasureId: erasure.id }, "an erasure was interrupted and goes on later");
      await releaseErasure(context.sql, erasure.id, owner, times.againMs / 1000);
    }
  }
}

async function workOn(context: ErasingContext, erasure: WorkingErasure, owner: string, times: ErasingTimes): Promise<void> {
  const { sql, log } = context;
  const person = toPerson(context, erasure);
  let current = erasure;
  while (current.step < current.steps.length) {
    if (context.stopping.aborted) return releaseErasure(sql, erasure.id, owner, 0);
    current = await erasePage(context, current, owner, person, times.leaseMs / 1000);
  }
  // The first pass ends before everything that was under way when it was asked for can be there.
  if (current.pass === 0 || current.postponed > 0) {
    await beginPass(sql, erasure.id, owner, current.postponed > 0 ? times.againMs / 1000 : 0, times.settleMs / 1000);
    return;
  }
  await finishErasure(sql, erasure.id, owner);
  log.info({ erasureId: erasure.id, counts: current.counts }, "a person is forgotten");
}

/** One page and how far it brings us, in one transaction. */
async function erasePage(
  context: ErasingContext,
  erasure: WorkingErasure,
  owner: string,
  person: Person,
  leaseSeconds: number,
): Promise<WorkingErasure> {
  const step = erasure.steps[erasure.step];
  if (step === undefined) return erasure;
  return await inTransaction(context.sql, async (sql) => {
    const result = await runStep(context, sql, erasure, step, person);
    const after = { ...erasure, ...advance(erasure, result) };
    const isOurs = await saveErasure(sql, erasure.id, owner, leaseSeconds, { ...after, scanned: result.scanned });
    if (!isOurs) throw new Error("another server has taken the erasure over");
    return after;
  });
}

function advance(erasure: WorkingErasure, { next, counts, postponed }: PageResult) {
  const sums = { ...erasure.counts };
  for (const [table, count] of Object.entries(counts)) if (count > 0) sums[table] = (sums[table] ?? 0) + count;
  return {
    step: next === null ? erasure.step + 1 : erasure.step,
    position: next,
    postponed: erasure.postponed + postponed,
    counts: sums,
  };
}

function toPerson({ vault }: ErasingContext, { phone: sealed, below }: WorkingErasure): Person {
  const phone = vault.decrypt(sealed);
  const forms = phoneForms(phone);
  return {
    pattern: phonePattern(phone),
    encodedPattern: forms.flatMap(encoded).join("|"),
    phones: forms.map((digits) => `+${digits}`),
    mask: maskPhone(phone),
    below,
  };
}

/** What base64 shows of a text, wherever in the encoded bytes it begins: the signs that hold nothing of what stands around it. */
const encoded = (text: string): string[] =>
  [0, 1, 2].map((offset) => {
    const whole = Math.floor((offset + text.length) / 3) * 4;
    return Buffer.from(`${"x".repeat(offset)}${text}`)
      .toString("base64")
      .slice(offset === 0 ? 0 : 4, whole)
      .replaceAll("+", "\\+");
  });
