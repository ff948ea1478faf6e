import { randomBytes } from "node:crypto";
import { BlockList } from "node:net";
import { TRPCClientError } from "@trpc/client";
import { type AppRouter, type AdminClientOptions, createAdminClient } from "admin-server/client";
import type { AdminConfig } from "admin-server/config";
import type { RequestContext } from "admin-server/context";
import { createLearner } from "admin-server/learning/learner";
import { restProcedures } from "admin-server/rest/procedures";
import { appRouter } from "admin-server/router";
import { sessionId } from "admin-server/session/sessions";
import { type AdminOverrides, startAdminServer } from "admin-server/start";
import { StepNeeded } from "admin-server/trpc/errors";
import { createTurns } from "admin-server/trpc/turns";
import { pino } from "pino";
import type { TokenScope } from "shared/core/credentials";
import type { Role } from "shared/core/role";
import { connect } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { insertMembership } from "shared/db/membership";
import { savePlatformAccount } from "shared/db/platform-account";
import { insertSession } from "shared/db/session";
import type { Pool } from "shared/db/statement";
import { insertUser } from "shared/db/user";
import { createGuardedPost } from "shared/guarded-request";
import { createPlatformClient } from "shared/platform/client";
import { createManagementClient } from "shared/platform/management-client";
import { createVault, placeIn } from "shared/secrets/vault";
import { createLogger } from "shared/server/logger";
import { testDatabase } from "./database.ts";

export interface ProcedureAnswer {
  status: number;
  /** The code: `ok`, else tRPC's. */
  code: string;
  text: string;
}

// At run time the record is flat, by path; its type is nested.
const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>;

/** Every refusal that a test's client meets is one that the document of the API lists for the procedure. */
const from = TRPCClientError.from.bind(TRPCClientError);
TRPCClientError.from = ((...given: Parameters<typeof from>) => {
  const error = from(...given) as TRPCClientError<AppRouter>;
  const { path = "", code = "" } = error.data ?? {};
  if (["NOT_FOUND", "CONFLICT", "BAD_GATEWAY"].includes(code) && restProcedures.get(path)?.refusals.includes(code) === false)
    throw new Error(`${path} answers ${code}, which its refusals in rest/procedures.ts lack`);
  return error;
}) as typeof from;

/** Every procedure that there is, by its path. */
export const procedurePaths: string[] = Object.keys(procedures);

/** The procedures that change something. */
export const mutationPaths: string[] = procedurePaths.filter((path) => procedures[path]?._def.type === "mutation");

/** Calls a procedure by its path over HTTP, as the query, mutation or subscription that it is. */
export async function callProcedure(admin: Pick<OpenAdmin, "url">, path: string, input: unknown, token?: string): Promise<ProcedureAnswer> {
  const procedure = procedures[path];
  if (procedure === undefined) throw new Error(`there is no procedure ${path}`);
  const isMutation = procedure._def.type === "mutation";
  const url = `${admin.url}/trpc/${path}${isMutation ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`}`;
  const headers = { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  if (procedure._def.type === "subscription") return await subscribe(url, headers);
  const answer = await fetch(url, !isMutation ? { headers } : { method: "POST", headers, body: JSON.stringify(input) });
  const text = await answer.text();
  const { error } = JSON.parse(text) as { error?: { data: { code: string } } };
  return { status: answer.status, code: error?.data.code ?? "ok", text };
}

/** The first item of a subscription. */
async function subscribe(url: string, headers: Record<string, string>): Promise<ProcedureAnswer> {
  for await (const { event, data } of serverSent(url, headers)) {
    if (event === "connected") continue;
    const code = event === "serialized-error" ? (JSON.parse(data) as { data: { code: string } }).data.code : "ok";
    return { status: 200, code, text: data };
  }
  throw new Error("the subscription ended without a word");
}

/** One message of a stream of server-sent events. */
export interface ServerSent {
  /** The event's name; `message` without one. */
  event: string;
  data: string;
}

/** Subscribes over plain HTTP; leaving the loop ends the subscription. */
export async function* serverSent(url: string, headers: Record<string, string> = {}): AsyncGenerator<ServerSent> {
  const ended = new AbortController();
  const answer = await fetch(url, { headers: { accept: "text/event-stream", ...headers }, signal: ended.signal });
  if (answer.body === null) throw new Error("an answer without a body");
  let text = "";
  try {
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield parse(block);
    }
  } finally {
    ended.abort();
  }
}

function parse(block: string): ServerSent {
  const lineOf = (name: string) =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  return { event: lineOf("event") ?? "message", data: lineOf("data") ?? "" };
}

/** The refusal of the call; fails if it is not refused. */
export async function refusal(call: Promise<unknown>): Promise<{ code: string; message: string; issues: unknown[] }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const { message, data } = error as TRPCClientError<AppRouter>;
    return { code: data?.code ?? "none", message, issues: data?.issues ?? [] };
  }
  throw new Error("the call was not refused");
}

/** One more user of the owner's account, by invitation. */
export async function addMember(admin: Pick<OpenAdmin, "client">, owner: AdminClient, role: Role, email: string) {
  const invitation = await owner.users.invite.mutate({ email, role });
  const joining = admin.client().users.acceptInvite.mutate({ token: invitation.token, name: `The ${role}`, password });
  const { token, user } = await signedIn(joining);
  return { email, token, user, client: admin.client(token) };
}

type SignInAnswer = Awaited<ReturnType<AdminClient["auth"]["login"]["mutate"]>>;
type SignedIn = Extract<SignInAnswer, { token: string }>;

/** The answer to a sign-in of a person without a second factor. */
export async function signedIn(answer: Promise<SignInAnswer>): Promise<SignedIn> {
  const given = await answer;
  if ("secondFactor" in given) throw new Error("a second factor is wanted");
  return given;
}

export const password = "a good long password";

/** The type has a name, since types that hold it in full are too long for the compiler. */
export interface AdminClient extends ReturnType<typeof createAdminClient> {}
export type OpenAdmin = Awaited<ReturnType<typeof openAdmin>>;

/** An admin server in this process on a free port over a database of its own, with a platform that does not exist unless `changes` say otherwise. */
export async function openAdmin(changes: Partial<AdminConfig> = {}, overrides: AdminOverrides = {}) {
  const database = await testDatabase();
  const server = await openAdminOn(database.url, changes, { alertingTimes: onlyWhenAsked, ...overrides });
  return {
    ...server,
    databaseUrl: database.url,
    sql: database.sql satisfies Pool,
    owner: database.owner,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Problems are looked for when somebody asks for them: a look at each account after each change would be a tenth of the work, and ends what a test only wrote. */
const onlyWhenAsked = { tickMs: 2 ** 31 - 1 };

/** One more admin server over an existing database. */
export async function openAdminOn(databaseUrl: string, changes: Partial<AdminConfig> = {}, overrides: AdminOverrides = {}) {
  const config = { ...adminDefaults, databaseUrl, ...changes };
  const log = pino({ level: process.env["TEST_LOG"] ?? "silent" });
  // Tests write logs of years ago, which retention must not delete. Reading the dashboard's thousand files takes longer than the rest of a start: those that open it name it.
  const server = await startAdminServer(config, { log, retentionMs: 2 ** 31 - 1, dashboardDirectory: "none", ...overrides });
  const client = (token?: AdminClientOptions["token"]): AdminClient => createAdminClient({ url: server.url, token });
  const sql = connect(databaseUrl, { applicationName: "test", max: 1 });
  return {
    url: server.url,
    client,
    /** Sends a POST or GET like a program without tRPC. */
    fetch: async (path: string, init: RequestInit = {}): Promise<Response> => fetch(server.url + path, init),
    /** Calls a procedure over plain HTTP; `headers` may hold a cookie, an origin, a forwarding. */
    call: async (path: string, input: unknown, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${server.url}/trpc/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(input),
      }),
    /** A new account and its owner, who has opened the mailed link. It does not count against the limit of accounts. */
    async signUp(email = `${randomBytes(6).toString("hex")}@example.com`) {
      const signUp = async () => {
        const answer = await client().auth.signUp.mutate({ accountName: "Shop", email, password });
        await openForGood(sql, email);
        return answer;
      };
      // Several at one moment would be too many of one network.
      const turn = (signUps.get(databaseUrl) ?? Promise.resolve()).then(signUp);
      signUps.set(
        databaseUrl,
        turn.catch(() => undefined),
      );
      const { token, user } = await turn;
      return { email, token, user, client: client(token) };
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all([server[Symbol.asyncDispose](), sql.end({ timeout: 5 })])),
  };
}

const signUps = new Map<string, Promise<unknown>>();

/** Lets the account and its mails be like ones that nobody counts, whose owner has opened the mailed link. */
async function openForGood(sql: Pool, email: string): Promise<void> {
  await sql`
    delete from login_try where key in (sha256('sign-up 127.0.0'), sha256('sign-up anywhere'), sha256('mail to strangers from 127.0.0'),
      sha256('mail to strangers in all'))`;
  await sql`update app_user set email_proven = true where email = ${email}`;
  await sql`
    update account set opened_from = null where id in (select m.account_id from membership m join app_user u on u.id = m.user_id where u.email = ${email})`;
}

/** The configuration of a test's admin server by default. */
export const adminDefaults: Omit<AdminConfig, "databaseUrl"> = {
  host: "127.0.0.1",
  port: 0,
  masterKey: randomBytes(32),
  platformUrl: "http://127.0.0.1:9",
  isSandbox: false,
  sandboxControlToken: null,
  publicGatewayUrl: "https://gateway.example",
  publicAdminUrl: "http://admin.example",
  trustProxy: false,
  firstOwner: null,
  allowPrivate: null,
  pagerDutyUrl: "https://events.pagerduty.com/v2/enqueue",
  allowSignUp: true,
  allowedHosts: [],
  setupCode: null,
  oidc: null,
  mail: null,
  logLevel: "silent",
};

/** Gives the account credentials of the platform: business account `waba-1`, token `token-1`. */
export const connectPlatform = ({ sql, vault }: OpenResources, accountId: string) =>
  savePlatformAccount(sql, {
    account_id: accountId,
    sandbox: false,
    waba_id: "waba-1",
    phone_number_id: "phone-1",
    api_version: "v25.0",
    app_id: null,
    access_token: vault.seal("token-1", placeIn("platform_account.access_token", accountId)),
    access_token_hint: "en-1",
    app_secret: null,
  });

export type ResourceCaller = ReturnType<typeof appRouter.createCaller>;
export type OpenResources = Awaited<ReturnType<typeof openResources>>;

/** An access token, if there is an id, and else a session. */
type CalledBy = { id: string; scopes?: TokenScope[] } | { isProven?: boolean };

/** The code with which a call ends that was not over HTTP, and the step that it lacks. */
export async function outcomeOf(caller: ResourceCaller, path: string, input: object = {}): Promise<{ code: string; lacks: string | null }> {
  const call = path.split(".").reduce((of, name) => Reflect.get(of, name) as object, caller as object) as (input: object) => unknown;
  try {
    await call(input);
    return { code: "ok", lacks: null };
  } catch (error) {
    const { code, cause } = error as { code: string; cause?: unknown };
    return { code, lacks: cause instanceof StepNeeded ? cause.told : null };
  }
}

/** The procedures over a database of their own, without HTTP. `platformUrl` is the platform's address; `changes` are the configuration's. */
export async function openResources({ platformUrl = "http://127.0.0.1:9" } = {}, changes: Partial<AdminConfig> = {}) {
  const database = await testDatabase();
  const platform = createPlatformClient({ baseUrl: platformUrl });
  const management = createManagementClient({ baseUrl: platformUrl });
  const allowPrivate = new BlockList();
  allowPrivate.addSubnet("127.0.0.0", 8);
  const vault = createVault(randomBytes(32));
  const log = createLogger("test", "silent");
  const stopping = new AbortController().signal;
  const server: Partial<RequestContext> = {
    sql: database.sql,
    learner: createLearner({ sql: database.sql, vault, log, stopping }),
    vault,
    platform,
    management,
    mailer: null,
    poster: createGuardedPost(allowPrivate),
    config: { allowPrivate, publicGatewayUrl: "http://gateway.test", ...changes } as AdminConfig,
    log,
    clock: () => new Date(),
    stopping,
    address: "127.0.0.1",
    userAgent: "test",
    isLocal: true,
    turns: createTurns(new AbortController().signal, 2 ** 31 - 1),
  };

  return {
    sql: database.sql,
    owner: database.owner,
    vault,
    /** Somebody who has not signed in. */
    nobody: appRouter.createCaller({ ...server, caller: null } as RequestContext),
    /** A new account; `api` calls the procedures as a person of `role`, `as` as one of another, or by a token. */
    async account(
      role: Role = "operator",
    ): Promise<{ accountId: string; api: ResourceCaller; as: (role: Role, by?: CalledBy) => ResourceCaller }> {
      const accountId = newId();
      const userId = newId();
      await database.sql`insert into account (id, name, verify_token) values (${accountId}, 'Test', 'verify')`;
      await insertUser(database.sql, { id: userId, email: `${userId}@test.example`, name: "Tester", password_hash: "x" });
      await insertMembership(database.sql, { userId, accountId, role: "owner" });
      const expires_at = new Date(Date.now() + 86_400_000);
      const [by, handle] = [{ user_id: userId, account_id: accountId, way: "password" as const }, newId()];
      await insertSession(database.sql, { ...by, handle, id: sessionId(handle), address: null, user_agent: null, expires_at });
      const as = (callerRole: Role, by: CalledBy = {}) => {
        const caller = {
          userId,
          accountId,
          role: callerRole,
          email: "a@test.example",
          name: "Tester",
          from: { address: "127.0.0.1", isAllowed: true },
          isMoving: false,
          via: "id" in by ? { kind: "access-token", scopes: null, ...by } : { kind: "session", token: handle, isProven: true, ...by },
        };
        return appRouter.createCaller({ ...server, caller } as RequestContext);
      };
      return { accountId, api: as(role), as };
    },
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]();
      await management[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
