// What is broken, one kind a function: it breaks, waits until the service is back, and mends. Each may answer further counts and a note.
import { cpSync, readdirSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as cluster from "./cluster.mjs";
import { drilled } from "./load.mjs";

const { folder, gateways, root } = cluster;
const archive = join(folder, "archive");

/** The leader's machine is lost at once, with all that runs there, and comes back when another leads. */
async function leader({ load, bound }) {
  const host = await cluster.whole(60);
  await cluster.killMachine(host);
  await cluster
    .anotherLeads(host, bound)
    .then(() => load.back(bound))
    .finally(() => cluster.startDatabase(host));
  await cluster.whole(180);
}

async function gateway({ round, load, bound }) {
  const host = gateways[round % 2];
  await cluster.stop(`gateway-${host}`, "SIGKILL");
  await load.back(bound).finally(() => cluster.startGateway(host));
}

/** The cable of a machine is pulled: in turn that of the standby that confirms commits, a gateway's, the leader's. */
async function cutOff({ round, load, bound }) {
  const first = await cluster.whole(60);
  const host = [await cluster.standbyOf(first), gateways[round % 6 > 2 ? 1 : 0], first][round % 3];
  cluster.cut(host, true);
  await (host === first ? cluster.anotherLeads(host, bound) : Promise.resolve())
    .then(() => load.back(bound))
    .finally(() => cluster.cut(host, false));
  await cluster.whole(180);
  return { note: host === first ? "the leader" : host.startsWith("gw") ? "a gateway" : "the standby" };
}

/** The leader's disk is full until service is back without it, or for 15 s. */
async function disk({ load, bound }) {
  const host = await cluster.whole(60);
  const filler = join(folder, host, "filler");
  try {
    cluster.run(`dd if=/dev/zero of=${filler} bs=1M`);
  } catch {
    // This is how it ends: no space left.
  }
  const { bavail } = statfsSync(join(folder, host));
  await load.back(12).catch(() => undefined);
  rmSync(filler);
  await load.back(bound);
  await cluster.whole(180);
  return { wrong: bavail === 0 ? 0 : 1 };
}

/** A transaction is forgotten that holds a snapshot, and what it has read. */
async function snapshot({ hold }) {
  const sql = cluster.connect();
  await sql.begin("isolation level repeatable read", async (transaction) => {
    await transaction`select count(*) from event`;
    await sleep(hold * 1000);
  });
  await sql.end();
}

/** A slot that nobody reads holds back the log, until PostgreSQL gives it up. */
async function slot({ load, bound }) {
  const sql = cluster.connect();
  await sql`select pg_create_physical_replication_slot('forgotten', true)`;
  // As much log as a busy day writes, no faster than the standbys take it.
  for (let n = 0; n < 20; n += 1) {
    await sql`select pg_logical_emit_message(true, 'tidings', repeat(md5(random()::text), 400000))`;
    const inStep = () => sql`select from pg_stat_replication where flush_lsn > pg_current_wal_lsn() - 1000000`;
    await cluster.until("the standbys", 60, async () => (await inStep()).length === 2);
  }
  await sql`checkpoint`;
  const [{ wal_status }] = await sql`select wal_status from pg_replication_slots where slot_name = 'forgotten'`;
  const [{ megabytes }] = await sql`select (sum(size) / 1048576)::integer as megabytes from pg_ls_waldir()`;
  await load.back(bound);
  await sql`select pg_drop_replication_slot('forgotten')`;
  await sql.end();
  return { wrong: ["lost", "unreserved"].includes(wal_status) && megabytes < 300 ? 0 : 1, note: `${wal_status}, ${megabytes} MB of log` };
}

const next = join(folder, "next");
let migrations = 0;

/** A release that is this one with one more migration. */
function makeNext() {
  migrations += 1;
  const links = { recursive: true, verbatimSymlinks: true };
  for (const part of migrations > 1 ? [] : ["gateway", "admin-server", "shared"])
    for (const one of ["package.json", "dist", "node_modules"]) cpSync(join(root, part, one), join(next, part, one), links);
  if (migrations === 1) cpSync(join(root, "shared/src"), join(next, "shared/src"), links);
  if (migrations === 1) symlinkSync(join(root, "node_modules"), join(next, "node_modules"));
  const to = join(next, "shared/src/db/migrations");
  const number = String(readdirSync(to).filter((file) => file.endsWith(".sql")).length + 1).padStart(4, "0");
  const [column, index] = [`proof_${number}`, `notification_proof_${number}`];
  const text = `alter table notification add column ${column} text;\ncreate index ${index} on notification (${column});\n`;
  writeFileSync(join(to, `${number}_proof.sql`), text);
}

/** Migrates under load, then replaces the gateways one after the other by the newer release; at the end the former one, in the same way. */
async function upgrade({ load, bound }) {
  makeNext();
  await cluster.migrate(next);
  const codes = [];
  for (const tree of [next, root])
    for (const host of gateways) {
      codes.push(await cluster.stop(`gateway-${host}`, "SIGTERM"));
      await cluster.startGateway(host, tree);
      await load.back(bound);
    }
  return { wrong: codes.filter((code) => code !== 0).length };
}

/** As a drill beside the cluster: the backup of before, brought to a moment; then backed up, restored and served by a gateway that must send nothing. */
async function recovery({ load, bound }) {
  const data = join(folder, "restored");
  for (const old of [data, archive]) rmSync(old, { recursive: true, force: true });
  for (const path of [data, archive]) cluster.give(path);
  writeFileSync(join(archive, "on"), "");
  await cluster.baseBackup(data);
  await sleep(4000);
  const sql = cluster.connect();
  const before = load.events.filter(({ answer }) => answer !== null).map(({ key }) => key);
  const [{ time }] = await sql`select clock_timestamp()::text as time`;
  await sleep(1500);
  const moment = Date.now();
  await sleep(4000);
  const after = load.events.filter(({ posted }) => posted > moment).map(({ key }) => key);
  const [{ file }] = await sql`select pg_walfile_name(pg_switch_wal()) as file`;
  await cluster.until("the log's copy", 60, () => readdirSync(archive).includes(file));
  await sql.end();
  rmSync(join(archive, "on"));
  const since = Date.now();
  const at = await cluster.recover(data, time);
  try {
    const recovered = cluster.connect("tidings", at);
    const isOpen = async () => !(await recovered`select pg_is_in_recovery() as still`)[0].still;
    await cluster.until("the recovered database", 90, isOpen);
    const keys = new Set((await recovered`select idempotency_key as key from event`).map(({ key }) => key));
    await recovered.end();
    await cluster.restoreAndServe(at, migrations > 0 ? next : root);
    const seconds = Math.round((Date.now() - since) / 1000);
    await sleep(5000);
    await cluster.stop("drill", "SIGTERM");
    await load.back(bound);
    const [missing, early] = [before.filter((key) => !keys.has(key)).length, after.filter((key) => keys.has(key)).length];
    return { wrong: missing + early + drilled.length, note: `${keys.size} events at the moment, served again after ${seconds} s` };
  } finally {
    await cluster.stop("recovered", "SIGQUIT");
  }
}

export const faults = {
  leader: ["the leader's machine killed", leader],
  gateway: ["a gateway killed", gateway],
  cut: ["a machine cut off", cutOff],
  disk: ["the leader's disk full", disk],
  snapshot: ["a snapshot held", snapshot],
  slot: ["a stale replication slot", slot],
  upgrade: ["gateways upgraded and back, a migration in between", upgrade],
  recovery: ["recovery to a moment, as a drill", recovery],
};
