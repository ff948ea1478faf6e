import { BlockList } from "node:net";
import { startGateway } from "gateway/start";
import { pino } from "pino";

/**
 * A gateway that ends like one that is hit by kill -9 between two lines. As built: a test that starts many waits for no compiler.
 * @type {import("./gateway.ts").CrashPlan}
 */
const { config, crash } = JSON.parse(process.argv[2] ?? "");
let seen = 0;
// The tests' own shops and endpoints.
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
const gateway = await startGateway(
  { ...config, masterKey: Buffer.from(config.masterKey, "base64"), allowPrivate: loopback },
  {
    log: pino({ level: "silent" }),
    onStep: (step) => {
      if (step === crash?.step && (seen += 1) === crash.nth) process.kill(process.pid, "SIGKILL");
    },
  },
);
process.stdout.write(`${gateway.url}\n`);
process.on("disconnect", () => process.exit());
