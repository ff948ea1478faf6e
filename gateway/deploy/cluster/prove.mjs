// Runs the rounds and prints the table; `prove.sh` starts it where it may make machines.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { folder, open, poolerProof, root, run, whole } from "./cluster.mjs";
import { faults } from "./faults.mjs";
import { count, openShop, startLoad } from "./load.mjs";

const text = { type: "string" };
const { values } = parseArgs({
  options: { rounds: text, only: text, rate: text, failover: text, hold: text, logs: text, minutes: text, write: { type: "boolean" } },
});
const [rounds, rate, bound, hold] = [values.rounds ?? 10, values.rate ?? 40, values.failover ?? 60, values.hold ?? 60].map(Number);
const end = Date.now() + Number(values.minutes ?? 10_000) * 60_000;
const kinds = values.only?.split(",") ?? Object.keys(faults);
const logs = String(values.logs ?? `${folder}.log`);
mkdirSync(logs, { recursive: true });

/** How often each occurs, as words. */
const tally = (all) => [...new Set(all)].map((one) => `${all.filter((other) => other === one).length} ${one}`).join(", ");

const say = (words) => {
  process.stdout.write(`${words}\n`);
  appendFileSync(join(logs, "rounds.log"), `${words}\n`);
};

async function playRound(kind, round) {
  const name = `${kind}-${round}`;
  await whole(180);
  const load = startLoad(name, rate);
  await sleep(4000);
  const since = Date.now();
  const told = { wrong: 0, note: "" };
  try {
    Object.assign(told, await faults[kind][1]({ round, load, bound, hold }));
  } catch (error) {
    await load.end();
    throw error;
  }
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

function table(results, broken, pooler) {
  const rows = kinds.map((kind) => {
    const of = results.filter((result) => result.kind === kind);
    const stuck = broken.filter((one) => one === kind).length;
    if (of.length === 0) return `| ${faults[kind][0]} | ${stuck > 0 ? `${stuck} did not end` : "not run"} |`;
    const outages = of.map(({ outage }) => outage).sort((a, b) => a - b);
    const notes = [...new Set(of.map(({ note }) => note).filter(Boolean))].join("; ");
    const longest = Math.max(...of.map(({ settled }) => settled)).toFixed(0);
    return `| ${[faults[kind][0], stuck > 0 ? `${of.length}, ${stuck} did not end` : of.length, sum(of, "events"), ...counted.map((member) => sum(of, member)), tally(of.flatMap(({ failed }) => failed)) || 0, `${outages[outages.length >> 1].toFixed(1)} / ${outages.at(-1).toFixed(1)}`, longest, notes].join(" | ")} |`;
  });
  const isClean = run(`git -C ${root} status --porcelain --untracked-files=no -- . :!gateway/deploy/cluster/results.md`).trim() === "";
  const programs = ["patroni --version", "etcd --version", "haproxy -v", "pgbouncer --version", "psql --version"];
  const versions = [...programs.map((line) => run(line).split("\n", 1)[0].trim()), `Node ${process.version}`].join(" · ");
  return `# What the cluster did

Commit ${run(`git -C ${root} rev-parse HEAD`).trim()}${isClean ? "" : " with changes"}, ${new Date().toISOString().slice(0, 16)}Z: ${rate} events a second, three callbacks and three deliveries to an endpoint a message; late is what is not back within ${bound} s.
${versions}

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
    if (Date.now() > end) continue;
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
const proof = table(results, broken, pooler);
process.stdout.write(proof);
writeFileSync(join(logs, "results.md"), proof);
if (values.write) writeFileSync(join(import.meta.dirname, "results.md"), proof);
const isWrong =
  broken.length > 0 ||
  pooler.transactions === 0 ||
  pooler.plan !== "force_generic_plan off off off off 9s" ||
  counted.some((member) => sum(results, member) > 0);
process.exit(isWrong ? 1 : 0);
