// Runs the rounds and prints the table; `prove.sh` starts it where it may make machines.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { folder, open, poolerProof, root, run, whole } from "./cluster.mjs";
import { faults, names } from "./faults.mjs";
import { count, openShop, startLoad } from "./load.mjs";

const text = { type: "string" };
const { values } = parseArgs({
  options: { rounds: text, only: text, rate: text, failover: text, hold: text, logs: text, write: { type: "boolean" } },
});
const [rounds, rate, bound, hold] = [values.rounds ?? 10, values.rate ?? 40, values.failover ?? 60, values.hold ?? 60].map(Number);
const kinds = values.only?.split(",") ?? Object.keys(faults);
const logs = values.logs ?? `${folder}.log`;
mkdirSync(logs, { recursive: true });

/** How often each occurs, as words. */
const tally = (all) => [...new Set(all)].map((one) => `${all.filter((other) => other === one).length} ${one}`).join(", ");

const say = (words) => {
  console.log(words);
  appendFileSync(join(logs, "rounds.log"), `${words}\n`);
};

async function playRound(kind, round) {
  const name = `${kind.replace(" ", "")}-${round}`;
  await whole(180);
  const load = startLoad(name, rate);
  await sleep(4000);
  const since = Date.now();
  const told = { wrong: 0, note: "", ...(await faults[kind]({ round, load, bound, hold })) };
  await sleep(3000);
  const outage = load.outage(since);
  await load.end();
  const counts = await count(name, load.events);
  const result = { kind, outage, ...told, ...counts, late: outage > bound ? 1 : 0 };
  const { problems, failed, ...shown } = result;
  say(`${name}: ${JSON.stringify({ ...shown, failed: tally(failed) })}`);
  appendFileSync(join(logs, "problems.log"), problems.map((one) => `${name}: ${one}\n`).join(""));
  return result;
}

const counted = ["lost", "doubled", "stranded", "untold", "odd", "late", "wrong"];
const sum = (results, member) => results.reduce((total, result) => total + result[member], 0);

function table(results, pooler) {
  const rows = kinds.map((kind) => {
    const of = results.filter((result) => result.kind === kind);
    if (of.length === 0) return `| ${names[kind]} | not run |`;
    const outages = of.map(({ outage }) => outage).sort((a, b) => a - b);
    const notes = [...new Set(of.map(({ note }) => note).filter(Boolean))].join("; ");
    const longest = Math.max(...of.map(({ settled }) => settled)).toFixed(0);
    return `| ${[names[kind], of.length, sum(of, "events"), ...counted.map((member) => sum(of, member)), tally(of.flatMap(({ failed }) => failed)) || 0, `${outages[outages.length >> 1].toFixed(1)} / ${outages.at(-1).toFixed(1)}`, longest, notes].join(" | ")} |`;
  });
  const version = (command, ...args) =>
    run(command, ...args)
      .split("\n")[0]
      .trim();
  return `# What the cluster did

Commit ${run("git", "-C", root, "rev-parse", "HEAD").trim()}, ${new Date().toISOString().slice(0, 16)}Z, \`prove.sh ${process.argv
    .slice(2)
    .filter((one) => !one.includes("/") && one !== "--logs")
    .join(" ")}\`, ${rate} events a second and three callbacks a message, three endpoint deliveries too.
${[version("patroni", "--version"), version("etcd", "--version"), version("haproxy", "-v"), version("pgbouncer", "--version"), version("psql", "--version"), `Node ${process.version}`].join(" · ")}

| what was broken | rounds | events | lost | doubled | stranded | told wrongly | answered wrongly | late | checks failed | failed with a reason | without service, s (median / most) | finished after, s | |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}

PgBouncer in transaction mode: ${pooler.transactions} transactions of one gateway and one admin server; its sessions have the role's settings (\`${pooler.plan}\`).
`;
}

await open(logs);
await openShop();
say(`the cluster is up; logs in ${logs}`);
const results = [];
const broken = [];
for (let round = 0; round < rounds; round += 1) {
  for (const kind of kinds) {
    try {
      results.push(await playRound(kind, round));
    } catch (error) {
      broken.push(kind);
      say(`${kind} ${round} did not end: ${error.stack}`);
      await whole(180).catch(() => undefined);
    }
  }
}
const pooler = poolerProof();
const proof = table(results, pooler);
console.log(proof);
writeFileSync(join(logs, "RESULTS.md"), proof);
if (values.write) writeFileSync(join(import.meta.dirname, "RESULTS.md"), proof);
const isWrong =
  broken.length > 0 ||
  pooler.transactions === 0 ||
  pooler.plan !== "force_generic_plan off off off off 9s" ||
  counted.some((member) => sum(results, member) > 0);
process.exit(isWrong ? 1 : 0);
