import type { Sql } from "../../connect.ts";

/** A name and language that may not be used again before `until`. */
export interface SandboxTemplateLock {
  wabaId: string;
  name: string;
  language: string;
  until: Date;
  approved: boolean;
}

export const listSandboxTemplateLocks = (sql: Sql) =>
  sql<SandboxTemplateLock[]>`select waba_id as "wabaId", name, language, until, approved from sandbox.template_lock`;

export async function saveSandboxTemplateLock(sql: Sql, lock: SandboxTemplateLock): Promise<void> {
  await sql`
    insert into sandbox.template_lock (waba_id, name, language, until, approved)
    values (${lock.wabaId}, ${lock.name}, ${lock.language}, ${lock.until}, ${lock.approved})
    on conflict (waba_id, name, language) do update set until = excluded.until, approved = excluded.approved`;
}
