import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readStartConfig } from "./config.ts";
import { Disposers, partsOf, sandboxSecretsOf } from "./parts.ts";

const disposable = (order: string[], name: string, fails = false): AsyncDisposable => ({
  [Symbol.asyncDispose]: async () => {
    order.push(name);
    if (fails) throw new Error(name);
  },
});

test("the last comes first, each once, whatever the others throw", async () => {
  const order: string[] = [];
  const running = new Disposers();
  for (const name of ["database", "gateway"]) await running.add(disposable(order, name));
  await running.add(disposable(order, "admin", true));
  await expect(Promise.all([running.dispose(), running.dispose()])).rejects.toThrow("stopping failed");
  expect(order).toEqual(["admin", "gateway", "database"]);
});

test("what is still starting is stopped when it has started, and a start that failed needs no stopping", async () => {
  const order: string[] = [];
  const running = new Disposers();
  const starting = running.add(Promise.resolve(disposable(order, "database")));
  const failing = running.add(Promise.reject<AsyncDisposable>(new Error("no")));
  const failed = failing.catch(String);
  await running.dispose();
  await starting;
  expect(await failed).toBe("Error: no");
  expect(order).toEqual(["database"]);
  expect(running.stopping.aborted).toBe(true);
});

const keptKey = Buffer.alloc(32, 1);
const masterKey = keptKey.toString("base64");

function parts() {
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return partsOf({
    ports: { gateway: 1, admin: 2, sandbox: 3 },
    addresses: { gateway: at(1), admin: at(2), sandbox: at(3), isPlatform: true },
    databaseUrl: "postgres://localhost/x",
    masterKey: keptKey,
    masterKeyOld: keptKey,
    setupCode: "code",
    sandboxSecrets: sandboxSecretsOf(readStartConfig({}), keptKey),
  }).flat();
}

test("the gateway runs with the options of Node that its own script has", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    scripts: { gateway: string };
  };
  const options = parts().find(({ name }) => name === "gateway")?.nodeOptions ?? [];
  expect(scripts.gateway).toBe(`exec node ${options.join(" ")} .tools/run.mjs gateway`);
});

test("the sandbox gets nothing that opens the service, and the same secrets at every start", () => {
  const [sandbox, gateway, admin] = parts().map(({ env }): Record<string, string | undefined> => ({
    MASTER_KEY: "inherited",
    ADMIN_PASSWORD: "inherited",
    ...env,
  }));
  expect(sandbox).toMatchObject({ MASTER_KEY: undefined, MASTER_KEY_OLD: undefined, ADMIN_PASSWORD: undefined });
  expect(sandbox).toMatchObject({ SETUP_CODE: undefined, OIDC_CLIENT_SECRET: undefined });
  expect(gateway).toMatchObject({ MASTER_KEY: masterKey, SANDBOX_KEY: undefined, SANDBOX_CONTROL_TOKEN: undefined });
  expect(admin).toMatchObject({ SANDBOX_KEY: undefined, SANDBOX_CONTROL_TOKEN: sandbox?.["SANDBOX_CONTROL_TOKEN"] });
  const given = readStartConfig({ SANDBOX_KEY: masterKey, SANDBOX_CONTROL_TOKEN: "mine" });
  expect(sandboxSecretsOf(given, Buffer.alloc(32, 2))).toEqual({ key: masterKey, controlToken: "mine" });
});
