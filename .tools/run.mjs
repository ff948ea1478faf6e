// What the scripts of package.json run: checks Node, installs what is missing, builds what is stale, then runs the command in this process.
// Everything that it says goes to stderr; stdout belongs to the command.

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Node ${process.versions.node} is too old: install Node 20.19 or newer, from https://nodejs.org\n`);
  process.exit(1);
}

const { prepare } = await import("./prepare.mjs");

const ENTRIES = {
  start: "admin-server/dist/cli/start.js",
  migrate: "admin-server/dist/cli/migrate.js",
  "reset-password": "admin-server/dist/cli/reset-password.js",
  backup: "admin-server/dist/cli/backup/backup.js",
  restore: "admin-server/dist/cli/backup/restore.js",
  gateway: "gateway/dist/main.js",
  "admin-server": "admin-server/dist/main.js",
  sandbox: "shared/dist/sandbox/main.js",
};

const DEVELOPING = ["build", "test", "bench", "faults", "mutate", "screenshots"];

const [command = "", ...args] = process.argv.slice(2);

try {
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`${error.expected === true ? error.message : error.stack}\n`);
  process.exit(1);
}

async function run() {
  const entry = ENTRIES[command];
  if (entry === undefined && !DEVELOPING.includes(command)) {
    process.stderr.write(`usage: npm run <${[...Object.keys(ENTRIES), ...DEVELOPING].join("|")}>\n`);
    return 1;
  }
  await prepare();
  if (command === "build") return 0;
  if (command === "test") return (await import("./test.mjs")).runTests(args);
  if (command === "bench") return (await import("./bench.mjs")).runBench(args);
  if (command === "faults") return (await import("./faults.mjs")).runFaults(args);
  if (command === "mutate") return (await import("./mutate.mjs")).runMutate(args);
  if (command === "screenshots") return (await import("./screenshots.mjs")).runScreenshots(args);
  const file = new URL(`../${entry}`, import.meta.url);
  process.argv = [process.argv[0], file.pathname, ...args];
  await import(file.href);
  return process.exitCode;
}
