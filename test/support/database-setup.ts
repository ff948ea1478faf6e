import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { connect } from "../../shared/src/db/connect.ts";
import { grantEverydayRights } from "../../shared/src/db/grants.ts";
import { migrate } from "../../shared/src/db/migrate.ts";
import { everydayRole, startPostgres } from "../../shared/src/postgres/start.ts";

// The import goes by path: a global set-up is resolved outside any project, so a package's name would lead to its last build.

declare module "vitest" {
  interface ProvidedContext {
    /** The test server's own database; `testDatabase` clones the template beside it. */
    serverUrl: string;
    /** The same by the role of the programs. */
    everydayUrl: string;
    templateName: string;
  }
}

const templateDatabase = "tidings_template";

/** One embedded PostgreSQL for a run of a project, with a migrated template database; stopped and removed afterwards. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(join(tmpdir(), "tidings-test-"));
  const postgres = await startPostgres({ dataDir: folder, durable: false });
  await createTemplate(postgres.url);
  project.provide("serverUrl", postgres.url);
  project.provide("everydayUrl", postgres.everydayUrl);
  project.provide("templateName", templateDatabase);
  return async () => {
    await postgres[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  };
};

const createTemplate = async (serverUrl: string): Promise<void> => {
  const server = connect(serverUrl, { max: 1, applicationName: "test" });
  await server`create database ${server(templateDatabase)}`;
  await server.end();
  const url = new URL(serverUrl);
  url.pathname = templateDatabase;
  const template = connect(url.href, { max: 1, applicationName: "test" });
  await migrate(template);
  await grantEverydayRights(template, everydayRole);
  await template.unsafe(ownerGuard).simple();
  await template.end();
};

/**
 * Keeps every program of the product from the owner's connection, by the name that it gives: what the tests start works as an installation's does. It runs at
 * each of thousands of connections, so it asks nothing that would have to be planned.
 */
const ownerGuard = `
  create schema owner_guard;
  create function owner_guard.refuse() returns event_trigger language plpgsql as $$
  begin
    if current_setting('is_superuser') = 'on' and current_setting('application_name') ~ '^tidings(?!-(migrate|restore)$)' then
      raise exception 'the owner only migrates and restores: connect % as ${everydayRole}', current_setting('application_name');
    end if;
  end $$;
  create event trigger owner_guard on login execute function owner_guard.refuse();`;
