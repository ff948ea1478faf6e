import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Role } from "shared/core/role";
import { connect } from "shared/db/connect";
import type { Pool } from "shared/db/statement";
import { freePort, isFreePort } from "shared/postgres/cluster";
import { embeddedUrl } from "shared/postgres/start";
import { callProcedure, type ProcedureAnswer } from "../support/admin.ts";
import { finished, root, runScript, type RunningProcess, startProcess } from "../support/process.ts";
import { waitFor } from "../support/wait-for.ts";
import type { PastWorld } from "./past/month.ts";
import { type LivedAccount, type LivedSite, signIn } from "./shops/accounts.ts";
import { type Backend, startBackend } from "./shops/backend.ts";
import { noteExample } from "./walk/examples.ts";

/** An installation with a month behind it, which runs as `npm start` runs it. */
export interface LivedWorld extends AsyncDisposable {
  /** The database by its owner, to look into the rows; the programs connect as the role that owns nothing. */
  readonly ownerUrl: string;
  readonly sql: Pool;
  readonly adminUrl: string;
  readonly gatewayUrl: string;
  readonly accounts: readonly LivedAccount[];
  readonly sites: readonly LivedSite[];
  /** The last instant of the month: nothing happens on its own after it. */
  now: Date;
  readonly past: PastWorld;
  readonly backend: Backend;
  /** The process of `npm start`. */
  readonly running: RunningProcess;
  /** The logs of the past days, of the programs and of the database. */
  logs(): Promise<Record<"past" | "programs" | "database", string>>;
  /** A file of the admin server, such as `notifications.csv?status=failed`, read as one of an account's people or with a session. */
  file(path: string, as: { accountId: string; role?: Role } | { token: string }): Promise<{ status: number; text: string }>;
  /** The session of one of an account's people. */
  tokenOf(accountId: string, role: Role): Promise<string>;
  /** Calls a procedure as one of an account's people; answers its result, and throws on a refusal. */
  call(path: string, input: unknown, as: { accountId: string; role?: Role }): Promise<unknown>;
  /** The same, with the refusal as an answer; also as somebody with another session, or without one. */
  tryCall(path: string, input: unknown, as: { accountId: string; role?: Role } | { token: string | undefined }): Promise<ProcedureAnswer>;
}

/** Makes the days before today in an empty folder; `startWorld` goes on from there. */
export async function makeWorld(folder: string, events: number): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const [gateway, admin, sandbox, backendPort] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const environment = {
    DATA_DIR: join(folder, "data"),
    GATEWAY_PORT: String(gateway),
    ADMIN_PORT: String(admin),
    SANDBOX_PORT: String(sandbox),
    ALLOW_SIGNUP: "1",
    WEBHOOK_ALLOW_PRIVATE: "127.0.0.0/8",
    IN_DOUBT_SECONDS: "10",
  };
  await writeFile(join(folder, "environment.json"), JSON.stringify({ environment, backendPort }, null, 2));
  await passMonth(folder, events, backendPort, environment);
  // The last thing before today: the master key is replaced while nothing runs.
  const rotation = await finished(runScript("rotate-master-key", environment));
  if (rotation.code !== 0) throw new Error(`the master key was not replaced: ${rotation.stderr}`);
}

/** Starts everything by `npm start`. */
export async function startWorld(folder: string): Promise<LivedWorld> {
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), "utf8"));
  const { environment, backendPort } = (await read("environment.json")) as { environment: Record<string, string>; backendPort: number };
  const past = (await read("world.json")) as PastWorld;
  const dataDir = join(folder, "data");
  const backend = await startBackend(backendPort);
  const running = await start({ ...environment, METRICS_PORT: String(await freePair()) });
  const ownerUrl = (await embeddedUrl(dataDir)) ?? "";
  const sql = connect(ownerUrl, { max: 4, applicationName: "lived" });
  const adminUrl = `http://127.0.0.1:${environment["ADMIN_PORT"]}`;
  return {
    ...createCalls(adminUrl, past.accounts),
    ownerUrl,
    sql,
    adminUrl,
    gatewayUrl: `http://127.0.0.1:${environment["GATEWAY_PORT"]}`,
    accounts: past.accounts,
    sites: past.sites,
    now: new Date(),
    past,
    backend,
    running,
    logs: async () => ({
      past: await readFile(join(folder, "past.log"), "utf8"),
      programs: running.stdout() + running.stderr(),
      database: await readFile(join(dataDir, "postgres.log"), "utf8"),
    }),
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 5 });
      await running.kill("SIGTERM");
      await backend[Symbol.asyncDispose]();
    },
  };
}

/** Runs the program that lives through the days before today. */
async function passMonth(folder: string, events: number, backendPort: number, environment: Record<string, string>): Promise<void> {
  const script = join(root, "test/lived/past/main.ts");
  const command = [
    process.execPath,
    "--max-semi-space-size=64",
    "--conditions=source",
    "--import",
    "tsx",
    script,
    folder,
    String(events),
    String(backendPort),
  ] as const;
  await using program = startProcess(command, { env: { LIVED_ENVIRONMENT: JSON.stringify(environment) } });
  const { code, stderr } = await finished(program);
  if (code !== 0) throw new Error(`the days before today ended with ${code}: ${stderr}`);
}

/** A free port whose next one is free too: the admin server's metrics are there. */
async function freePair(): Promise<number> {
  const port = await freePort();
  return (await isFreePort(port + 1)) ? port : await freePair();
}

async function start(environment: Record<string, string>): Promise<RunningProcess> {
  const running = runScript("start", environment);
  await waitFor("npm start to run", () => running.stdout().includes("Tidings is running.") || !running.isRunning(), 120_000);
  if (!running.isRunning()) throw new Error(`npm start ended:\n${running.stdout()}\n${running.stderr()}`);
  return running;
}

/** So long after a sign-in a person need not confirm who it is. */
const provenMs = 600_000;

function createCalls(adminUrl: string, accounts: readonly LivedAccount[]): Pick<LivedWorld, "tokenOf" | "call" | "tryCall" | "file"> {
  const sessions = new Map<string, { token: Promise<string>; since: number }>();
  const tokenOf = async (accountId: string, role: Role): Promise<string> => {
    const login = accounts.find(({ id }) => id === accountId)?.[role];
    if (login === undefined) throw new Error(`nobody is ${role} of ${accountId}`);
    const known = sessions.get(login.email);
    const isFresh = known !== undefined && performance.now() - known.since < provenMs / 2;
    const session = isFresh ? known : { token: signIn(adminUrl, login), since: performance.now() };
    sessions.set(login.email, session);
    return await session.token;
  };
  const tryCall: LivedWorld["tryCall"] = async (path, input, as) => {
    const answer = await callProcedure(
      { url: adminUrl },
      path,
      input,
      "token" in as ? as.token : await tokenOf(as.accountId, as.role ?? "owner"),
    );
    const isWhole = "token" in as || (as.role ?? "owner") === "owner";
    if (answer.code === "ok" && isWhole) noteExample(path, input, (JSON.parse(answer.text) as { result?: { data: unknown } }).result?.data);
    return answer;
  };
  return {
    tokenOf,
    tryCall,
    async file(path, as) {
      const token = "token" in as ? as.token : await tokenOf(as.accountId, as.role ?? "owner");
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${adminUrl}/export/${path}`, { headers });
      return { status: answer.status, text: await answer.text() };
    },
    async call(path, input, as) {
      const { status, code, text } = await tryCall(path, input, as);
      if (code !== "ok") throw new Error(`${path} ${JSON.stringify(input)} as ${as.role ?? "owner"}: ${status} ${text}`);
      return (JSON.parse(text) as { result?: { data: unknown } }).result?.data;
    },
  };
}
