// The machines of the cluster, each a network namespace, and what runs on them.
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";

export const root = resolve(import.meta.dirname, "../../..");
export const run = (command, ...args) => execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const address = (host) => `198.18.35.${{ front: 1, outside: 2, pg1: 11, pg2: 12, pg3: 13, gw1: 21, gw2: 22 }[host]}`;
export const [databases, gateways] = [["pg1", "pg2", "pg3"], ["gw1", "gw2"]];
export const [gatewayUrl, adminUrl] = [8080, 8081].map((port) => `http://${address("front")}:${port}`);
export const [platformUrl, endpointUrl, drillUrl] = [9100, 9200, 9300].map((port) => `http://${address("outside")}:${port}`);
const password = randomBytes(12).toString("hex");
const masterKey = randomBytes(32).toString("base64");
export const admin = { email: "owner@example.com", password: `${password}-Aa1` };
const bin = join("/usr/lib/postgresql", readdirSync("/usr/lib/postgresql").sort((a, b) => b - a)[0], "bin");

export const folder = mkdtempSync(join(tmpdir(), "tidings-cluster-"));
let logs = folder;
const running = new Map();

/** Starts a program on a machine; `name` is that of its log and of what `stop` ends. */
export function start(host, name, command, { user, env = {}, cwd = root } = {}) {
  const log = openSync(join(logs, `${name}.log`), "a");
  const as = user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const child = spawn("nsenter", [`--net=/run/netns/${host}`, ...as, ...command], {
    cwd,
    env: { PATH: process.env.PATH, LANG: "C.UTF-8", ...env },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const ended = new Promise((done) => child.once("exit", (code, signal) => done(code ?? signal)));
  running.set(name, { child, ended });
  return { child, ended };
}

export async function stop(name, signal) {
  const { child, ended } = running.get(name);
  child.kill(signal);
  return await ended;
}

export async function until(what, seconds, condition) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(200)) {
    const value = await Promise.resolve().then(condition).catch(() => false);
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
  }
}

const ask = (url) => fetch(url, { signal: AbortSignal.timeout(2000) });

/** Makes the machines: everything on one bridge, files in memory, each database on a small disk of its own. */
function makeMachines(logFolder) {
  logs = logFolder;
  mkdirSync("/run/netns", { recursive: true });
  run("mount", "-t", "tmpfs", "none", "/run/netns");
  run("mount", "-t", "tmpfs", "-o", "size=3g,mode=0755", "none", folder);
  run("ip", "link", "set", "lo", "up");
  run("ip", "link", "add", "lan", "type", "bridge");
  for (const host of ["front", ...databases, ...gateways]) {
    run("ip", "netns", "add", host);
    run("ip", "link", "add", `to-${host}`, "type", "veth", "peer", "name", "eth0", "netns", host);
    run("ip", "link", "set", `to-${host}`, "master", "lan", "up");
    run("ip", "-n", host, "addr", "add", `${address(host)}/24`, "dev", "eth0");
    for (const device of ["lo", "eth0"]) run("ip", "-n", host, "link", "set", device, "up");
  }
  // The load, the platform and the endpoint live in this process.
  run("ip", "addr", "add", `${address("outside")}/24`, "dev", "lan");
  run("ip", "link", "set", "lan", "up");
  mkdirSync(join(folder, "archive"));
  for (const name of ["archive", ...databases]) give(join(folder, name));
  for (const host of databases) run("mount", "-t", "tmpfs", "-o", `size=500m,mode=0700,uid=${uid},gid=${gid}`, "none", join(folder, host));
}

const [uid, gid] = ["-u", "-g"].map((flag) => Number(run("id", flag, "postgres")));
export function give(path) {
  mkdirSync(path, { recursive: true });
  chownSync(path, uid, gid);
}

/** Writes a file that the user of the database may read. */
function write(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  chownSync(path, uid, gid);
  chmodSync(path, 0o600);
  return path;
}

const settings = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  primary_start_timeout: 0,
  // A commit is answered when a second machine has it, always.
  synchronous_mode: true,
  synchronous_mode_strict: true,
  // The slot that one round forgets; Patroni removes slots that it does not know.
  ignore_slots: [{ name: "forgotten", type: "physical" }],
  postgresql: {
    use_pg_rewind: true,
    parameters: {
      max_connections: 100,
      shared_buffers: "48MB",
      max_wal_size: "96MB",
      min_wal_size: "32MB",
      wal_keep_size: "32MB",
      max_slot_wal_keep_size: "96MB",
      archive_mode: "on",
      archive_command: `if [ -e ${folder}/archive/on ]; then cp %p ${folder}/archive/%f; fi`,
      tcp_user_timeout: 10_000,
      wal_sender_timeout: "10s",
      wal_receiver_timeout: "10s",
    },
  },
};

export function startDatabase(host) {
  const [at, data] = [address(host), join(folder, host)];
  const members = databases.map((one) => `${one}=http://${address(one)}:2380`).join();
  const urls = { "advertise-client-urls": `http://${at}:2379`, "listen-client-urls": `http://${at}:2379`, "listen-peer-urls": `http://${at}:2380` };
  const etcd = { name: host, "data-dir": join(folder, `etcd-${host}`), ...urls, "initial-advertise-peer-urls": `http://${at}:2380`, "initial-cluster": members };
  const times = { "heartbeat-interval": 300, "election-timeout": 3000, "log-level": "error" };
  start(host, `etcd-${host}`, ["etcd", ...Object.entries({ ...etcd, ...times }).map(([key, value]) => `--${key}=${value}`)]);
  const login = (username) => ({ username, password });
  const config = {
    scope: "tidings",
    name: host,
    restapi: { listen: `${at}:8008`, connect_address: `${at}:8008` },
    etcd3: { hosts: databases.map((one) => `${address(one)}:2379`) },
    bootstrap: { dcs: settings, initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"] },
    postgresql: {
      listen: `${at}:5432`,
      connect_address: `${at}:5432`,
      data_dir: join(data, "data"),
      bin_dir: bin,
      pgpass: join(data, "pgpass"),
      authentication: { replication: login("replicator"), superuser: login("postgres"), rewind: login("postgres") },
      parameters: { unix_socket_directories: data },
      pg_hba: ["local all all trust", "host all all 198.18.35.0/24 scram-sha-256", "host replication all 198.18.35.0/24 scram-sha-256"],
    },
    watchdog: { mode: "off" },
  };
  start(host, `patroni-${host}`, ["patroni", write(`${host}.yml`, JSON.stringify(config))], { user: "postgres", cwd: data });
}

/** Answers once all three databases run and one of them confirms commits; the host that leads. */
export const whole = (seconds) =>
  until("a leader with two standbys", seconds, async () => {
    const states = await Promise.all(databases.map(async (host) => (await ask(`http://${address(host)}:8008/cluster`)).json()));
    const { members } = states[0];
    const leader = members.find(({ role }) => role === "leader");
    const agreed = states.every((state) => state.members.find(({ role }) => role === "leader")?.name === leader?.name);
    const isUp = ({ state, role, lag }) => ["running", "streaming"].includes(state) && (role === "leader" || lag < 1_000_000);
    return agreed && members.length === 3 && members.every(isUp) && members.some(({ role }) => role === "sync_standby") && leader?.name;
  });

export const standbyOf = async (leader) =>
  (await (await ask(`http://${address(leader)}:8008/cluster`)).json()).members.find(({ role }) => role === "sync_standby").name;

export function cut(host, isCut) {
  run("ip", "link", "set", `to-${host}`, isCut ? "down" : "up");
}

/** Kills every process of a machine at once. */
export async function killMachine(host) {
  for (const pid of run("ip", "netns", "pids", host).trim().split("\n")) process.kill(Number(pid), "SIGKILL");
  await Promise.all([`etcd-${host}`, `patroni-${host}`].map((name) => running.get(name).ended));
}

/** HAProxy that leads to whichever database Patroni says is the primary. */
function startPrimaryProxy(host) {
  const servers = databases.map((one) => `  server ${one} ${address(one)}:5432 check port 8008`);
  const text = `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:5000
  bind ${address(host)}:5000
  option httpchk GET /primary
  option clitcpka
  option srvtcpka
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
  start(host, `primary-${host}`, ["haproxy", "-db", "-f", write(`primary-${host}.cfg`, text)]);
}

function startPooler(host) {
  const users = ["tidings", "tidings_gateway"].map((user) => `"${user}" "${password}"`).join("\n");
  const text = `[databases]
tidings = host=127.0.0.1 port=5000
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = 6432
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${write(`users-${host}`, users)}
admin_users = tidings
pool_mode = transaction
default_pool_size = 12
server_login_retry = 1
server_connect_timeout = 3
query_wait_timeout = 8
tcp_user_timeout = 10000
ignore_startup_parameters = extra_float_digits,statement_timeout,plan_cache_mode,enable_seqscan,enable_nestloop,enable_mergejoin,jit
`;
  start(host, `pgbouncer-${host}`, ["pgbouncer", write(`pgbouncer-${host}.ini`, text)], { user: "postgres" });
}

/** A connection through the proxy to the primary, as the superuser unless another is named. */
export const connect = (database = "tidings", user = "postgres", at = `${address("front")}:5000`) =>
  postgres(`postgres://${user}:${password}@${at}/${database}`, { max: 2, connect_timeout: 5, idle_timeout: 2, onnotice: () => undefined, fetch_types: false });
/** Behind the pooler nothing is kept in a session: PgBouncer before 1.21 knows no prepared statements. gw1 and admin1 go through it, the others past it. */
const databaseUrl = (host, user) => `postgres://${user}:${password}@127.0.0.1:${host === "gw1" ? "6432/tidings?prepare=false" : "5000/tidings"}`;
const ownerUrl = (database = "tidings", at = `${address("front")}:5000`) => `postgres://tidings_owner:${password}@${at}/${database}`;

const common = { MASTER_KEY: masterKey, PLATFORM_API_URL: platformUrl, PUBLIC_GATEWAY_URL: gatewayUrl, PUBLIC_ADMIN_URL: adminUrl };
const networks = { WEBHOOK_ALLOW_PRIVATE: "198.18.35.0/24", TRUST_PROXY: "1", ALLOWED_HOSTS: "198.18.35.21,198.18.35.22" };
const programs = { gateway: "gateway/dist/main.js", admin: "admin-server/dist/main.js" };

/** Starts a gateway and waits until it is ready. `tree`: of which release. */
export async function startGateway(host, tree = root) {
  const env = { ...common, ...networks, HOST: address(host), DATABASE_URL: databaseUrl(host, "tidings_gateway"), IN_DOUBT_SECONDS: "60" };
  await until(`the gateway of ${host}`, 90, async () => {
    const last = running.get(`gateway-${host}`);
    if (last === undefined || last.child.exitCode !== null || last.child.signalCode !== null) start(host, `gateway-${host}`, ["node", programs.gateway], { env, cwd: tree });
    return (await ask(`http://${address(host)}:4000/api/public/ready`)).ok;
  });
}

async function startAdmin(host) {
  const env = { ...common, ...networks, HOST: address(host), DATABASE_URL: databaseUrl(host, "tidings"), ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password };
  start(host, `admin-${host}`, ["node", programs.admin], { env });
  await until(`the admin server of ${host}`, 90, async () => (await ask(`http://${address(host)}:4001/readyz`)).ok);
}

/** Runs one of the programs to its end; answers what it printed. */
export async function runProgram(name, file, args, env, tree = root) {
  const code = await start("front", name, ["node", file, ...args], { env: { ...common, ...env }, cwd: tree }).ended;
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${readFileSync(join(logs, `${name}.log`), "utf8").slice(-500)}`);
}

export const migrate = (tree = root) =>
  runProgram("migrate", "admin-server/dist/cli/migrate.js", [], { DATABASE_URL: `postgres://tidings:${password}@${address("front")}:5000/tidings`, MIGRATE_DATABASE_URL: ownerUrl() }, tree);

/** Recovers a base backup up to a time, beside the cluster; answers how to reach it. */
export async function recover(data, time) {
  const at = join(folder, "recovered");
  give(at);
  writeFileSync(join(data, "recovery.signal"), "");
  const values = { restore_command: `cp ${folder}/archive/%f %p`, recovery_target_time: time, recovery_target_action: "promote", archive_mode: "off" };
  const here = { synchronous_standby_names: "", primary_conninfo: "", primary_slot_name: "", listen_addresses: address("front"), port: 5499, unix_socket_directories: at };
  const lines = Object.entries({ ...values, ...here }).map(([key, value]) => `${key} = '${value}'`);
  writeFileSync(join(data, "postgresql.auto.conf"), `${lines.join("\n")}\n`);
  writeFileSync(join(data, "postgresql.conf"), "max_connections = 100\nmax_locks_per_transaction = 64\nmax_prepared_transactions = 0\nmax_worker_processes = 8\nmax_wal_senders = 10\n");
  writeFileSync(join(data, "pg_hba.conf"), "local all all trust\nhost all all 198.18.35.0/24 scram-sha-256\n");
  run("chown", "-R", `${uid}:${gid}`, data);
  start("front", "recovered", [join(bin, "postgres"), "-D", data], { user: "postgres", cwd: data });
  return `${address("front")}:5499`;
}

export const baseBackup = async (data) => {
  const env = { PGPASSWORD: password };
  const command = [join(bin, "pg_basebackup"), "-h", address("front"), "-p", "5000", "-U", "replicator", "-D", data, "-c", "fast", "-X", "none"];
  const code = await start("front", "basebackup", command, { user: "postgres", env, cwd: folder }).ended;
  if (code !== 0) throw new Error(`pg_basebackup ended with ${code}`);
};

/** A backup of the recovered database, restored into an empty one of the cluster, and a gateway on it that reaches only the drill's platform. */
export async function restoreAndServe(at) {
  const file = join(folder, `drill-${Date.now()}.tar.gz`);
  await runProgram("backup", "admin-server/dist/cli/backup/backup.js", [file], { DATABASE_URL: ownerUrl("tidings", at) });
  const owner = connect("postgres");
  await owner`drop database if exists drill with (force)`;
  await owner`create database drill owner tidings_owner`;
  await owner.end();
  await runProgram("restore", "admin-server/dist/cli/backup/restore.js", [file], { DATABASE_URL: ownerUrl("drill") });
  run("rm", "-f", file);
  start("front", "drill", ["node", programs.gateway], { env: { ...common, ...networks, HOST: address("front"), GATEWAY_PORT: "4900", DATABASE_URL: ownerUrl("drill"), PLATFORM_API_URL: drillUrl } });
  await until("the drill's gateway", 60, async () => (await ask(`http://${address("front")}:4900/api/public/ready`)).ok);
}

/** The whole cluster, empty and migrated. */
export async function open(logFolder) {
  makeMachines(logFolder);
  for (const host of databases) startDatabase(host);
  for (const host of ["front", ...gateways]) startPrimaryProxy(host);
  await whole(180);
  const sql = connect("postgres");
  for (const role of ["tidings_owner", "tidings"]) await sql.unsafe(`create role ${role} login password '${password}'`);
  // What a gateway sets at the start of a session a pooler cannot keep: its role has it.
  await sql.unsafe(`create role tidings_gateway login password '${password}' in role tidings`);
  for (const value of ["plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_nestloop = off", "enable_mergejoin = off", "jit = off", "statement_timeout = 9000"])
    await sql.unsafe(`alter role tidings_gateway set ${value}`);
  await sql.unsafe("create database tidings owner tidings_owner");
  await sql.end();
  await migrate();
  for (const host of gateways) startPooler(host);
  await Promise.all(gateways.flatMap((host) => [startGateway(host), startAdmin(host)]));
  const front = readFileSync(join(root, "gateway/deploy/haproxy.cfg"), "utf8")
    .replace(/ {2}server gateway1.*/, gateways.map((host) => `  server ${host} ${address(host)}:4000 check`).join("\n"))
    .replace(/ {2}server admin1.*/, gateways.map((host) => `  server ${host} ${address(host)}:4001 check`).join("\n"));
  start("front", "haproxy", ["haproxy", "-db", "-f", write("haproxy.cfg", front)]);
  await until("the front", 60, async () => (await ask(`${gatewayUrl}/api/public/ready`)).ok && (await ask(`${adminUrl}/healthz`)).ok);
}

/** What the pooler has passed on, and whether its sessions have the settings of the role. */
export async function poolerProof() {
  const code = `const postgres = (await import("postgres")).default; const at = (user, name) => postgres("postgres://" + user + ":${password}@127.0.0.1:6432/" + name + "?prepare=false", { max: 1, fetch_types: false });
    const admin = at("tidings", "pgbouncer"), sql = at("tidings_gateway", "tidings");
    const stats = await admin.unsafe("show stats").simple(); const mode = (await admin.unsafe("show databases").simple()).find((row) => row.name === "tidings");
    const [plan] = await sql.unsafe("select current_setting('plan_cache_mode') || ' ' || current_setting('enable_seqscan') || ' ' || current_setting('statement_timeout') as plan");
    console.log(JSON.stringify({ transactions: Number(stats.find((row) => row.database === "tidings").total_xact_count), plan: plan.plan })); process.exit(0);`;
  writeFileSync(join(logs, "pooler.log"), "");
  await start("gw1", "pooler", ["node", "--input-type=module", "-e", code], { cwd: join(root, "gateway") }).ended;
  return JSON.parse(readFileSync(join(logs, "pooler.log"), "utf8").trim().split("\n").at(-1));
}
