import type { Sql } from "../../db/connect.ts";
import { listSandboxTemplateLocks, type SandboxTemplateLock, saveSandboxTemplateLock } from "../../db/tables/sandbox/template-lock.ts";
import { deleteSandboxTemplate, listSandboxTemplates, saveSandboxTemplate } from "../../db/tables/sandbox/template.ts";
import type { TemplateRecord } from "./record.ts";
import { createTemplateIndex, type TemplateIndex } from "./template-index.ts";

/** Every account's templates and the locks on deleted names, in memory and written through. */
export interface Templates extends Pick<TemplateIndex, "byId" | "find" | "ofAccount"> {
  save(record: TemplateRecord): Promise<void>;
  remove(record: TemplateRecord): Promise<void>;
  /** Also those that are over. */
  locks(wabaId: string, name: string): SandboxTemplateLock[];
  lock(lock: SandboxTemplateLock): Promise<void>;
}

export async function loadTemplates(sql: Sql, now: () => number): Promise<Templates> {
  const index = createTemplateIndex(now);
  const locks = new Map<string, SandboxTemplateLock>();
  const holdLock = (lock: SandboxTemplateLock): void => {
    locks.set([lock.wabaId, lock.name, lock.language].join(" "), lock);
  };
  for (const row of await listSandboxTemplates(sql)) index.hold(JSON.parse(row.record) as TemplateRecord);
  for (const lock of await listSandboxTemplateLocks(sql)) holdLock(lock);
  return {
    ...index,
    save: async (record) => {
      const former = index.byId(record.id);
      // Held at once: another request for the name must find it taken while it is being written.
      index.hold(record);
      try {
        await saveSandboxTemplate(sql, { id: record.id, waba_id: record.wabaId, record: JSON.stringify(record) });
      } catch (error) {
        if (former === undefined) index.drop(record);
        else index.hold(former);
        throw error;
      }
    },
    remove: async (record) => {
      await deleteSandboxTemplate(sql, record.id);
      index.drop(record);
    },
    locks: (wabaId, name) => [...locks.values()].filter((lock) => lock.wabaId === wabaId && lock.name === name),
    lock: async (lock) => {
      await saveSandboxTemplateLock(sql, lock);
      holdLock(lock);
    },
  };
}
