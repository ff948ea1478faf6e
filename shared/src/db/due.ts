import { reconciles } from "./reconcile.ts";
import { requests } from "./requested-event.ts";
import { type Sql, firstId, scalar } from "./statement.ts";
import { listDueSites, listTaken } from "./waiting/take.ts";
import { listTakenDeliveries, listWaitingEndpoints } from "./webhook/take.ts";

/** The sites, and the endpoints, that one look passes; where there are more, something counts as due. */
const atOnce = 1_000;

/** Whether the gateway `owner`, if it looked for everything that it takes, or has taken, would find something: one statement in place of one for each kind. */
export const isAnythingDue = (sql: Sql, owner: string): Promise<boolean> => {
  const ofList = (list: ReturnType<typeof listDueSites> | ReturnType<typeof listWaitingEndpoints>) =>
    sql`(select coalesce(bool_or(is_due), false) or count(*) >= ${atOnce} from (${list}) listed)`;
  return scalar(sql<[{ is_due: boolean }]>`
    select ${ofList(listDueSites(sql, firstId, atOnce))} or ${ofList(listWaitingEndpoints(sql, firstId, atOnce))}
      or ${requests.isAnyDue(sql)} or ${reconciles.isAnyDue(sql)} or exists (select from event_due where due_at <= now())
      or exists (select from gateway where lease_until <= now())
      or exists (${listTaken(sql, owner)}) or exists (${listTakenDeliveries(sql, owner)}) as is_due`);
};
