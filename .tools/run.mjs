// What the scripts of package.json run: checks Node, installs what is missing, builds what is stale, then runs the command in this process.
// Everything that it says goes to stderr; stdout belongs to the command.

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Node ${process.versions.node} is too old: install Node 20.19 or newer, from https://nodejs.org\n`);
  process.exit(1);
}

const { prepare } = await import("./prepare.mjs");
const { runChild } = await import("./child.mjs");
const { inRoot } = await import("./workspace.mjs");

const ENTRIES = {
  start: "admin-server/dist/cli/start.js",
  migrate: "admin-server/dist/cli/migrate.js",
  "reset-password": "admin-server/dist/cli/reset-password.js",
  "allow-addresses": "admin-server/dist/cli/allow-addresses.js",
  audit: "admin-server/dist/cli/audit.js",
  "verify-audit": "admin-server/dist/cli/verify-audit.js",
  "rotate-master-key": "admin-server/dist/cli/rotate-master-key.js",
  tidings: "admin-server/dist/tidings/main.js",
  "move-account": "admin-server/dist/cli/move/move-account.js",
  backup: "admin-server/dist/cli/backup/backup.js",
  restore: "admin-server/dist/cli/backup/restore.js",
  gateway: "gateway/dist/main.js",
  "admin-server": "admin-server/dist/main.js",
  sandbox: "shared/dist/sandbox/main.js",
};

/** Programs of the tests' own, which run from their sources. */
const PROGRAMS = {
  bench: "test/bench/main.ts",
  screenshots: "test/browser/screenshots/main.ts",
  shape: "test/architecture/shape.ts",
  texts: "test/architecture/dashboard-texts.ts",
  answers: "test/architecture/answers.ts",
};

const DEVELOPING = [
  "build",
  "test",
  "test:long",
  "test:lived",
  "mutate",
  "sbom",
  "licenses",
  "release",
  "client",
  ...Object.keys(PROGRAMS),
];

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
  await prepare({ isQuiet: entry !== undefined });
  if (command === "build") return 0;
  if (command === "test") return (await import("./test.mjs")).runTests(args);
  if (command === "test:long") return (await import("./test-long.mjs")).runLong(args);
  if (command === "test:lived") return (await import("./test-lived.mjs")).runLived(args);
  if (command === "mutate") return (await import("./mutate.mjs")).runMutate(args);
  if (command === "sbom") return (await import("./licenses.mjs")).runSbom();
  if (command === "licenses") return (await import("./licenses.mjs")).runLicenses();
  if (command === "client") return (await import("./client.mjs")).runClient(args);
  if (command === "release") return (await import("./release.mjs")).runRelease(args);
  if (command in PROGRAMS)
    return runChild(process.execPath, ["--conditions=source", "--import", "tsx", inRoot(PROGRAMS[command]), ...args], { output: 1 });
  const file = new URL(`../${entry}`, import.meta.url);
  process.argv = [process.argv[0], file.pathname, ...args];
  await import(file.href);
  return process.exitCode;
}
