// The machines of the cluster, each a network namespace, and what runs on them.
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";

export const root = resolve(import.meta.dirname, "../../..");
/** Runs a command, whose arguments hold no spaces; answers what it printed. */
export const run = (line, ...args) => {
  const [command, ...first] = line.split(" ");
  return execFileSync(command, [...first, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
};
const address = (host) => `198.18.35.${{ front: 1, outside: 2, pg1: 11, pg2: 12, pg3: 13, gw1: 21, gw2: 22 }[host]}`;
export const [databases, gateways] = ["pg1 pg2 pg3", "gw1 gw2"].map((hosts) => hosts.split(" "));
export const [gatewayUrl, adminUrl] = [8080, 8081].map((port) => `http://${address("front")}:${port}`);
export const [platformUrl, endpointUrl, drillUrl] = [9100, 9200, 9300].map((port) => `http://${address("outside")}:${port}`);
const password = randomBytes(12).toString("hex");
const masterKey = randomBytes(32).toString("base64");
export const admin = { email: "owner@example.com", password: `${password}-Aa1` };
const bin = join("/usr/lib/postgresql", readdirSync("/usr/lib/postgresql").sort((a, b) => b - a)[0], "bin");

const path = run("printenv PATH").trim();
export const folder = mkdtempSync(join(tmpdir(), "tidings-cluster-"));
let logs = folder;
const running = new Map();

/** Starts a program on a machine; `name` is that of its log and of what `stop` ends. */
export function start(host, name, command, { user, env = {}, cwd = root } = {}) {
  const log = openSync(join(logs, `${name}.log`), "a");
  const as = user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const variables = { PATH: path, LANG: "C.UTF-8", ...env };
  const options = { cwd, env: variables, stdio: ["ignore", log, log] };
  const child = spawn("nsenter", [`--net=/run/netns/${host}`, ...as, ...command], options);
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
    const value = await (async () => condition())().catch(() => false);
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
  }
}

const ask = (url) => fetch(url, { signal: AbortSignal.timeout(2000) });

/** Makes the machines: everything on one bridge, files in memory, each database on a small disk of its own. */
function makeMachines(logFolder) {
  logs = logFolder;
  mkdirSync("/run/netns", { recursive: true });
  run("mount -t tmpfs none /run/netns");
  run(`mount -t tmpfs -o size=3g,mode=0755 none ${folder}`);
  run("ip link set lo up");
  run("ip link add lan type bridge");
  for (const host of ["front", ...databases, ...gateways]) {
    run(`ip netns add ${host}`);
    run(`ip link add to-${host} type veth peer name eth0 netns ${host}`);
    run(`ip link set to-${host} master lan up`);
    run(`ip -n ${host} addr add ${address(host)}/24 dev eth0`);
    for (const device of ["lo", "eth0"]) run(`ip -n ${host} link set ${device} up`);
  }
  // The load, the platform and the endpoint live in this process.
  run(`ip addr add ${address("outside")}/24 dev lan`);
  run("ip link set lan up");
  for (const name of ["archive", ...databases]) give(join(folder, name));
  for (const host of databases) run(`mount -t tmpfs -o size=1000m,mode=0700,uid=${uid},gid=${gid} none ${join(folder, host)}`);
}

const [uid, gid] = ["-u", "-g"].map((flag) => Number(run(`id ${flag} postgres`)));
export function give(path) {
  mkdirSync(path, { recursive: true, mode: 0o700 });
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
function fill(name, file, values) {
  const text = readFileSync(join(import.meta.dirname, file), "utf8");
  return write(
    name,
    text.replaceAll(/\{(\w+)\}/g, (all, key) => values[key] ?? all),
  );
}

export function startDatabase(host) {
  const [at, data, archive] = [address(host), join(folder, host), join(folder, "archive")];
  const members = databases.map((one) => `${one}=http://${address(one)}:2380`).join();
  const urls = `--advertise-client-urls http://${at}:2379 --listen-client-urls http://${at}:2379 --listen-peer-urls http://${at}:2380`;
  const peers = `--initial-advertise-peer-urls http://${at}:2380 --initial-cluster ${members}`;
  // A member that comes back ends no leader's term, which etcd before 3.5 leaves out by default.
  const times = "--heartbeat-interval 300 --election-timeout 3000 --pre-vote --log-level error";
  start(host, `etcd-${host}`, `etcd --name ${host} --data-dir ${join(folder, `etcd-${host}`)} ${urls} ${peers} ${times}`.split(" "));
  const etcds = databases.map((one) => `${address(one)}:2379`).join();
  const file = fill(`${host}.yml`, "patroni.yml", { host, at, data, archive, etcds, bin, password });
  start(host, `patroni-${host}`, ["patroni", file], { user: "postgres", cwd: data });
}

const membersOf = async (host) => (await (await ask(`http://${address(host)}:8008/cluster`)).json()).members;
const leaderOf = (members) => members.find(({ role, state }) => role === "leader" && state === "running")?.name;

/** Answers once all three databases run and one of them confirms commits; the host that leads. */
export const whole = (seconds) =>
  until("a leader with two standbys", seconds, async () => {
    const seen = await Promise.all(databases.map(membersOf));
    const isUp = ({ state, role, lag }) => ["running", "streaming"].includes(state) && (role === "leader" || lag < 1_000_000);
    const isWhole = seen.every((members) => members.length === 3 && members.every(isUp) && leaderOf(members) === leaderOf(seen[0]));
    return isWhole && seen[0].some(({ role }) => role === "sync_standby") && leaderOf(seen[0]);
  });

/** The standby that confirms commits, as the leader tells once it answers. */
export const standbyOf = (leader) =>
  until("the standby that confirms", 60, async () => (await membersOf(leader)).find(({ role }) => role === "sync_standby").name);

/** Resolves when the others have another leader. */
export const anotherLeads = (host, seconds) =>
  until("another leader", seconds, async () => {
    const leader = leaderOf(await membersOf(databases.find((one) => one !== host)));
    return leader !== undefined && leader !== host;
  });

export const cut = (host, isCut) => run(`ip link set to-${host} ${isCut ? "down" : "up"}`);

/** Kills every process of a machine at once. */
export async function killMachine(host) {
  for (const pid of run(`ip netns pids ${host}`).trim().split("\n")) process.kill(Number(pid), "SIGKILL");
  await Promise.all([`etcd-${host}`, `patroni-${host}`].map((name) => running.get(name).ended));
}

const startPrimaryProxy = (host) =>
  start(host, `primary-${host}`, ["haproxy", "-db", "-f", fill(`primary-${host}.cfg`, "primary.cfg", { at: address(host) })]);

/** From 1.21 on PgBouncer knows prepared statements. */
const prepares = Number(/ 1\.(\d+)/.exec(run("pgbouncer --version"))[1]) >= 21;

function startPooler(host) {
  const users = write("users", ["tidings", "tidings_gateway"].map((user) => `"${user}" "${password}"`).join("\n"));
  const file = fill(`pgbouncer-${host}.ini`, "pgbouncer.ini", { users, prepared: prepares ? "max_prepared_statements = 200" : "" });
  start(host, `pgbouncer-${host}`, ["pgbouncer", file], { user: "postgres" });
}

const urlOf = (user, database = "tidings", at = `${address("front")}:5000`) => `postgres://${user}:${password}@${at}/${database}`;
/** A connection through the proxy to the primary as the superuser. */
export const connect = (database, at) =>
  postgres(urlOf("postgres", database, at), { max: 2, connect_timeout: 5, idle_timeout: 2, fetch_types: false, onnotice: () => undefined });
/** gw1 goes through the pooler, gw2 past it. */
const way = { gw1: [prepares ? "tidings" : "tidings?prepare=false", "127.0.0.1:6432"], gw2: ["tidings", "127.0.0.1:5000"] };

const addresses = { PLATFORM_API_URL: platformUrl, PUBLIC_GATEWAY_URL: gatewayUrl, PUBLIC_ADMIN_URL: adminUrl };
const common = { MASTER_KEY: masterKey, ...addresses, WEBHOOK_ALLOW_PRIVATE: "198.18.35.0/24", TRUST_PROXY: "1" };

/** Starts a gateway and waits until it is ready. `tree`: of which release. */
export async function startGateway(host, tree = root) {
  const env = { ...common, HOST: address(host), DATABASE_URL: urlOf("tidings_gateway", ...way[host]), IN_DOUBT_SECONDS: "60" };
  await until(`the gateway of ${host}`, 90, async () => {
    const last = running.get(`gateway-${host}`);
    if (last === undefined || last.child.exitCode !== null || last.child.signalCode !== null)
      start(host, `gateway-${host}`, [process.execPath, "gateway/dist/main.js"], { env, cwd: tree });
    return (await ask(`http://${address(host)}:4000/api/public/ready`)).ok;
  });
}

async function startAdmin(host) {
  const env = {
    ...common,
    HOST: address(host),
    DATABASE_URL: urlOf("tidings", ...way[host]),
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  };
  start(host, `admin-${host}`, [process.execPath, "admin-server/dist/main.js"], { env });
  await until(`the admin server of ${host}`, 90, async () => (await ask(`http://${address(host)}:4001/readyz`)).ok);
}

/** Runs one of the admin server's programs to its end. */
async function runProgram(name, args, env, cwd = root) {
  const command = [process.execPath, `admin-server/dist/cli/${name}.js`, ...args];
  const code = await start("front", basename(name), command, { env: { ...common, ...env }, cwd }).ended;
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${readFileSync(join(logs, `${basename(name)}.log`), "utf8").slice(-500)}`);
}

export const migrate = (tree = root) =>
  runProgram("migrate", [], { DATABASE_URL: urlOf("tidings"), MIGRATE_DATABASE_URL: urlOf("tidings_owner") }, tree);

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
  const command = `${join(bin, "pg_basebackup")} -h ${address("front")} -p 5000 -U replicator -D ${data} -c fast -X none`.split(" ");
  const code = await start("front", "basebackup", command, { user: "postgres", env: { PGPASSWORD: password }, cwd: folder }).ended;
  if (code !== 0) throw new Error(`pg_basebackup ended with ${code}`);
};

/** A backup of the recovered database, restored into an empty one of the cluster, and a gateway on it that reaches only the drill's platform. */
export async function restoreAndServe(at, tree) {
  const file = join(folder, `drill-${Date.now()}.tar.gz`);
  await runProgram("backup/backup", [file], { DATABASE_URL: urlOf("tidings_owner", "tidings", at) }, tree);
  const owner = connect("postgres");
  await owner`drop database if exists drill with (force)`;
  await owner`create database drill owner tidings_owner`;
  await owner.end();
  const env = {
    ...common,
    HOST: address("front"),
    GATEWAY_PORT: "4900",
    DATABASE_URL: urlOf("tidings_owner", "drill"),
    PLATFORM_API_URL: drillUrl,
  };
  await runProgram("backup/restore", [file], env, tree);
  start("front", "drill", [process.execPath, "gateway/dist/main.js"], { env, cwd: tree });
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
  const servers = (port) => gateways.map((host) => `  server ${host} ${address(host)}:${port} check`).join("\n");
  const front = readFileSync(join(root, "gateway/deploy/haproxy.cfg"), "utf8").replace(/ {2}server gateway1.*/, servers(4000));
  start("front", "haproxy", ["haproxy", "-db", "-f", write("haproxy.cfg", front.replace(/ {2}server admin1.*/, servers(4001)))]);
  await until("the front", 60, async () => (await ask(`${gatewayUrl}/api/public/ready`)).ok && (await ask(`${adminUrl}/healthz`)).ok);
}

/** What the pooler of gw1 has passed on, and the settings that its sessions have. */
export function poolerProof() {
  const psql = (url, text) => run("nsenter --net=/run/netns/gw1 psql -XAtc", text, url).trim();
  const stats = psql(urlOf("tidings", "pgbouncer", way.gw1[1]), "show stats").split("\n");
  const names = ["plan_cache_mode", "enable_seqscan", "enable_nestloop", "enable_mergejoin", "jit", "statement_timeout"];
  const text = `select ${names.map((one) => `current_setting('${one}')`).join(" || ' ' || ")}`;
  const plan = psql(urlOf("tidings_gateway", "tidings", way.gw1[1]), text);
  return { transactions: Number(stats.find((line) => line.startsWith("tidings|")).split("|")[1]), plan };
}
