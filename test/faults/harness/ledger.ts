import type { Pool } from "shared/db/statement";
import type { Owner } from "../../support/database.ts";
import type { Shop } from "../../support/gateway.ts";
import type { Posted } from "../../support/requests.ts";

/** A shop and the recipients of its events; null: the customer that the payload names. */
export interface LoadedShop {
  shop: Shop;
  phones: readonly string[] | null;
}

/** One event of the load, and all answers to its client. */
export interface LedgerEntry {
  key: string;
  shop: Shop;
  recipients: readonly string[];
  /** True if its client does not wait for the platform. */
  queued?: boolean | undefined;
  /** Every answer of 200, to the original and to the duplicates. */
  answers: Posted[];
}

/** The clients' record of requests and answers. */
export interface Ledger {
  entries: LedgerEntry[];
  /** The number of requests in all. */
  requests: number;
  /** The number of events with an answer. */
  answered: number;
  /** The number of answers that ask to come back, and of connections that failed. */
  refused: number;
  /** Answers that no client should ever see. */
  unexpected: string[];
}

export const emptyLedger = (): Ledger => ({ entries: [], requests: 0, answered: 0, refused: 0, unexpected: [] });

/** Makes the database record every change of a message's status, and of an answer once given. Call it before the first event. */
export async function recordHistory(owner: Owner): Promise<void> {
  await owner`
    create table status_history (
      id uuid, old_status notification_status, old_local boolean, old_attempt integer, new_status notification_status, new_local boolean, new_attempt integer
    )`;
  await owner`create table answer_history (id uuid, said text)`;
  await owner`grant select, insert on status_history, answer_history to public`;
  await owner.unsafe(functions);
  await owner`
    create trigger write_down after update on notification for each row
    when (old.status is distinct from new.status or old.local_failure is distinct from new.local_failure or old.attempt is distinct from new.attempt)
    execute function write_status_down()`;
  await owner`
    create trigger write_down after update on event for each row
    when (old.chat is not null and (old.chat, old.recipients_sent, old.recipients_failed, old.order_id)
      is distinct from (new.chat, new.recipients_sent, new.recipients_failed, new.order_id))
    execute function write_answer_down()`;
}

/** Forbidden changes: a status that went backward, an answer that was changed. */
export async function historyViolations(sql: Pool): Promise<string[]> {
  const changes = await sql<StatusChange[]>`
    select id, old_status::text, old_local, old_attempt, new_status::text, new_local, new_attempt from status_history`;
  const answers = await sql<{ id: string; said: string }[]>`select id, said from answer_history`;
  return [
    ...changes.filter((change) => !mayFollow(change)).map((change) => `a status went backward: ${JSON.stringify(change)}`),
    ...answers.map(({ id, said }) => `the answer of event ${id} was changed: ${said}`),
  ];
}

interface StatusChange {
  id: string;
  old_status: string;
  old_local: boolean;
  old_attempt: number;
  new_status: string;
  new_local: boolean;
  new_attempt: number;
}

const ladder = ["scheduled", "queued", "sending", "sent", "delivered", "read"];

/** Whether the change follows the documented order, written a second time, since the product's own code is tested. */
function mayFollow(change: StatusChange): boolean {
  const { old_status: from, old_local: ours, new_status: to, new_local: oursNow } = change;
  if (change.new_attempt < change.old_attempt) return false;
  // A message that was not handed over after all, or was refused for a while, waits again.
  if (from === "sending" && to === "queued") return true;
  if (from === "failed") return ours ? to !== "queued" && to !== "sending" : !oursNow && ["failed", "delivered", "read"].includes(to);
  if (to === "failed") return oursNow ? from === "queued" || from === "sending" : from !== "delivered" && from !== "read";
  return ladder.indexOf(to) >= ladder.indexOf(from);
}

const functions = `
  create function write_status_down() returns trigger language plpgsql as $$
  begin
    insert into status_history values (new.id, old.status, old.local_failure, old.attempt, new.status, new.local_failure, new.attempt);
    return null;
  end $$;
  create function write_answer_down() returns trigger language plpgsql as $$
  begin
    insert into answer_history values (new.id, format('%s %s/%s then %s %s/%s',
      old.chat, old.recipients_sent, old.recipients_failed, new.chat, new.recipients_sent, new.recipients_failed));
    return null;
  end $$;`;
