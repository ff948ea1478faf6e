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
export const [databases, gateways] = [
  ["pg1", "pg2", "pg3"],
  ["gw1", "gw2"],
];
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
    const value = await Promise.resolve()
      .then(condition)
      .catch(() => false);
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

/** Writes one of this folder's files with what stands there in braces. */
const fill = (name, file, values) =>
  write(
    name,
    readFileSync(join(import.meta.dirname, file), "utf8").replaceAll(/\{(\w+)\}/g, (all, key) => values[key] ?? all),
  );

export function startDatabase(host) {
  const [at, data, archive] = [address(host), join(folder, host), join(folder, "archive")];
  const members = databases.map((one) => `${one}=http://${address(one)}:2380`).join();
  const urls = `--advertise-client-urls http://${at}:2379 --listen-client-urls http://${at}:2379 --listen-peer-urls http://${at}:2380`;
  const peers = `--initial-advertise-peer-urls http://${at}:2380 --initial-cluster ${members}`;
  const times = "--heartbeat-interval 300 --election-timeout 3000 --log-level error";
  start(host, `etcd-${host}`, `etcd --name ${host} --data-dir ${join(folder, `etcd-${host}`)} ${urls} ${peers} ${times}`.split(" "));
  const etcds = databases.map((one) => `"${address(one)}:2379"`).join(", ");
  const file = fill(`${host}.yml`, "patroni.yml", { host, at, data, archive, etcds, bin, password });
  start(host, `patroni-${host}`, ["patroni", file], { user: "postgres", cwd: data });
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

const startPrimaryProxy = (host) =>
  start(host, `primary-${host}`, ["haproxy", "-db", "-f", fill(`primary-${host}.cfg`, "primary.cfg", { at: address(host) })]);

function startPooler(host) {
  const users = write("users", ["tidings", "tidings_gateway"].map((user) => `"${user}" "${password}"`).join("\n"));
  start(host, `pgbouncer-${host}`, ["pgbouncer", fill(`pgbouncer-${host}.ini`, "pgbouncer.ini", { users })], { user: "postgres" });
}

/** A connection through the proxy to the primary, as the superuser unless another is named. */
export const connect = (database = "tidings", user = "postgres", at = `${address("front")}:5000`) =>
  postgres(`postgres://${user}:${password}@${at}/${database}`, {
    max: 2,
    connect_timeout: 5,
    idle_timeout: 2,
    onnotice: () => undefined,
    fetch_types: false,
  });
/** Behind the pooler nothing is kept in a session: PgBouncer before 1.21 knows no prepared statements. gw1 and admin1 go through it, the others past it. */
const databaseUrl = (host, user) =>
  `postgres://${user}:${password}@127.0.0.1:${host === "gw1" ? "6432/tidings?prepare=false" : "5000/tidings"}`;
const ownerUrl = (database = "tidings", at = `${address("front")}:5000`) => `postgres://tidings_owner:${password}@${at}/${database}`;

const common = { MASTER_KEY: masterKey, PLATFORM_API_URL: platformUrl, PUBLIC_GATEWAY_URL: gatewayUrl, PUBLIC_ADMIN_URL: adminUrl };
const networks = { WEBHOOK_ALLOW_PRIVATE: "198.18.35.0/24", TRUST_PROXY: "1", ALLOWED_HOSTS: "198.18.35.21,198.18.35.22" };
const programs = { gateway: "gateway/dist/main.js", admin: "admin-server/dist/main.js" };

/** Starts a gateway and waits until it is ready. `tree`: of which release. */
export async function startGateway(host, tree = root) {
  const env = { ...common, ...networks, HOST: address(host), DATABASE_URL: databaseUrl(host, "tidings_gateway"), IN_DOUBT_SECONDS: "60" };
  await until(`the gateway of ${host}`, 90, async () => {
    const last = running.get(`gateway-${host}`);
    if (last === undefined || last.child.exitCode !== null || last.child.signalCode !== null)
      start(host, `gateway-${host}`, ["node", programs.gateway], { env, cwd: tree });
    return (await ask(`http://${address(host)}:4000/api/public/ready`)).ok;
  });
}

async function startAdmin(host) {
  const env = {
    ...common,
    ...networks,
    HOST: address(host),
    DATABASE_URL: databaseUrl(host, "tidings"),
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  };
  start(host, `admin-${host}`, ["node", programs.admin], { env });
  await until(`the admin server of ${host}`, 90, async () => (await ask(`http://${address(host)}:4001/readyz`)).ok);
}

/** Runs one of the programs to its end; answers what it printed. */
export async function runProgram(name, file, args, env, tree = root) {
  const code = await start("front", name, ["node", file, ...args], { env: { ...common, ...env }, cwd: tree }).ended;
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${readFileSync(join(logs, `${name}.log`), "utf8").slice(-500)}`);
}

export const migrate = (tree = root) =>
  runProgram(
    "migrate",
    "admin-server/dist/cli/migrate.js",
    [],
    { DATABASE_URL: `postgres://tidings:${password}@${address("front")}:5000/tidings`, MIGRATE_DATABASE_URL: ownerUrl() },
    tree,
  );

/** Recovers a base backup up to a time, beside the cluster; answers how to reach it. */
export async function recover(data, time) {
  const at = join(folder, "recovered");
  give(at);
  for (const empty of ["recovery.signal", "postgresql.auto.conf"]) writeFileSync(join(data, empty), "");
  const conf = `restore_command = 'cp ${folder}/archive/%f %p'
recovery_target_time = '${time}'
recovery_target_action = promote
max_connections = 100
listen_addresses = '${address("front")}'
port = 5499
unix_socket_directories = '${at}'
`;
  writeFileSync(join(data, "postgresql.conf"), conf);
  writeFileSync(join(data, "pg_hba.conf"), "local all all trust\nhost all all 198.18.35.0/24 scram-sha-256\n");
  run("chown", "-R", `${uid}:${gid}`, data);
  start("front", "recovered", [join(bin, "postgres"), "-D", data], { user: "postgres", cwd: data });
  return `${address("front")}:5499`;
}

export const baseBackup = async (data) => {
  const env = { PGPASSWORD: password };
  const command = [
    join(bin, "pg_basebackup"),
    "-h",
    address("front"),
    "-p",
    "5000",
    "-U",
    "replicator",
    "-D",
    data,
    "-c",
    "fast",
    "-X",
    "none",
  ];
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
  start("front", "drill", ["node", programs.gateway], {
    env: {
      ...common,
      ...networks,
      HOST: address("front"),
      GATEWAY_PORT: "4900",
      DATABASE_URL: ownerUrl("drill"),
      PLATFORM_API_URL: drillUrl,
    },
  });
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
  const off = ["enable_seqscan", "enable_nestloop", "enable_mergejoin", "jit"].map((name) => `${name} = off`);
  for (const value of ["plan_cache_mode = force_generic_plan", ...off, "statement_timeout = 9000"])
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

/** What the pooler of gw1 has passed on, and the settings that its sessions have. */
export function poolerProof() {
  const at = (user, database) => `postgres://${user}:${password}@127.0.0.1:6432/${database}`;
  const psql = (url, text) => run("nsenter", "--net=/run/netns/gw1", "psql", "-XAtc", text, url).trim();
  const [, transactions] = psql(at("tidings", "pgbouncer"), "show stats")
    .split("\n")
    .find((line) => line.startsWith("tidings|"))
    .split("|");
  const names = ["plan_cache_mode", "enable_seqscan", "enable_nestloop", "enable_mergejoin", "jit", "statement_timeout"];
  const plan = psql(at("tidings_gateway", "tidings"), `select ${names.map((one) => `current_setting('${one}')`).join(" || ' ' || ")}`);
  return { transactions: Number(transactions), plan };
}
