import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { parseArgs } from "node:util";
import { attempt } from "shared/core/text";
import { isUuid } from "shared/core/uuid";
import { findAccount } from "shared/db/account";
import { type ChainedRow, followAudit } from "shared/db/audit";
import { isDatabaseAway } from "shared/db/statement";
import { embeddedUrl } from "shared/postgres/start";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { jsonLine, syslogLine } from "../trpc/audit-lines.ts";
import { readDatabaseConfig } from "./config.ts";
import { withStoredDatabase } from "./database.ts";

const usage = `say "npm run --silent audit -- [--follow] [--format jsonl|syslog] [--account ID] [--since SEQ | --since ID=SEQ … | --state FILE]":
--since goes on after that entry of --account, or of each account named; --state keeps in a file how far it came, and goes on from there`;

const graceMs = 5_000;
/** The reader has closed its end. */
let isBroken = false;

await runMain(usage, async () => {
  const { accountId, follow, format, cursors, keep } = readOptions(process.argv.slice(2));
  const config = readDatabaseConfig();
  // Starting the database for this command alone would keep "npm start" from the folder for as long as this goes on.
  const databaseUrl = config.databaseUrl ?? (follow ? await embeddedUrl(config.dataDir) : undefined);
  const ended = endSignal();
  await withStoredDatabase({ ...config, databaseUrl }, "audit", async (sql) => {
    if (accountId !== null && (await findAccount(sql, accountId)) === undefined)
      throw new ConfigurationError([`there is no account ${accountId} here: check its id, and DATA_DIR or DATABASE_URL`]);
    try {
      for await (const { entries, missing } of followAudit(sql, { accountId, cursors, goesOn: follow, ended, onAway })) {
        if (missing !== null) process.stderr.write(`entry ${missing} of an account is missing: run "npm run verify-audit"\n`);
        const [last] = entries.slice(-1);
        if (last === undefined) continue;
        await print(entries.map(format).join(""), ended);
        if (!isBroken) keep(last.account_id, last.seq);
      }
    } catch (error) {
      if (ended.aborted && isDatabaseAway(error)) return;
      if (!(error instanceof RangeError)) throw error;
      throw new ConfigurationError([`${error.message}: was an older backup restored? Go on from a number that is there`]);
    }
  });
  // Lines that the reader does not take would keep the process alive.
  if (ended.aborted) process.exit(0);
});

function onAway(error: unknown): void {
  process.stderr.write(
    `the database is away (${error instanceof Error ? error.message : String(error)}): the audit goes on when it is back\n`,
  );
}

/** `keep` notes that all entries up to that one are printed. */
function readOptions(args: string[]) {
  const text = { type: "string" } as const;
  const options = {
    account: text,
    follow: { type: "boolean", default: false },
    format: { ...text, default: "jsonl" },
    since: { ...text, multiple: true, default: [] as string[] },
    state: text,
  } as const;
  const read = attempt(() => parseArgs({ args, options }).values, null);
  if (read === null) throw new ConfigurationError([usage]);
  const { account, follow, format, since, state } = read;
  const accountId = account?.toLowerCase() ?? null;
  const host = hostname();
  const formats: Record<string, (row: ChainedRow) => string> = { jsonl: jsonLine, syslog: (row) => syslogLine(row, host) };
  const chosen = formats[format];
  if (chosen === undefined || (accountId !== null && !isUuid(accountId)) || (state !== undefined && since.length > 0))
    throw new ConfigurationError([usage]);
  const cursors = state === undefined ? new Map(since.map((text) => readCursor(text, accountId))) : readState(state);
  const known = new Map(cursors);
  const keep = (seen: string, seq: number): void => {
    if (state === undefined) return;
    known.set(seen, seq);
    writeFileSync(`${state}.new`, JSON.stringify(Object.fromEntries(known)), { mode: 0o600 });
    renameSync(`${state}.new`, state);
  };
  return { accountId, follow, format: chosen, cursors, keep };
}

/** `SEQ` stands for the one account that is asked for, `ID=SEQ` for the named one. */
function readCursor(text: string, accountId: string | null): [string, number] {
  const [seq = "", account = accountId ?? ""] = text.toLowerCase().split("=").toReversed();
  if (!isUuid(account) || !/^\d{1,15}$/.test(seq)) throw new ConfigurationError([usage]);
  return [account, Number(seq)];
}

/** A file that does not exist yet counts as empty. */
function readState(file: string): Map<string, number> {
  try {
    const kept = Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>);
    return new Map(kept.map(([account, seq]) => readCursor(`${account}=${String(seq)}`, null)));
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return new Map();
    throw new ConfigurationError([`${file} is not what --state keeps: correct it or name another file`], { cause });
  }
}

/** Aborts when the process is to stop, or when nobody reads any more. */
function endSignal(): AbortSignal {
  const ended = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => ended.abort());
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    isBroken = true;
    ended.abort();
  });
  return ended.signal;
}

/** Waits until the reader has taken the text, so that no line is cut; only briefly when the process is to stop. */
function print(text: string, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (error?: Error | null): void => {
      isBroken ||= error !== undefined && error !== null;
      ended.removeEventListener("abort", giveUp);
      resolve();
    };
    const giveUp = (): void => void setTimeout(() => finish(new Error("the reader takes nothing")), graceMs);
    ended.addEventListener("abort", giveUp);
    process.stdout.write(text, finish);
  });
}
