import { ConfigurationError } from "shared/server/configuration-error";
import { describe, expect, it } from "vitest";
import { data } from "../../test/support/data.ts";
import { readGatewayConfig } from "./config.ts";

const needed = { DATABASE_URL: "postgres://u:p@db/x", MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };

describe("the gateway's settings", () => {
  it("have the documented defaults", () => {
    expect(readGatewayConfig(needed)).toMatchObject({
      host: "127.0.0.1",
      port: 4000,
      databaseUrl: "postgres://u:p@db/x",
      masterKey: Buffer.alloc(32, 7),
      platformApiUrl: "http://127.0.0.1:4002",
      ownHosts: null,
      publicGatewayUrl: "http://127.0.0.1:4000",
      publicAdminUrl: null,
      maxBodyBytes: 1_048_576,
      inDoubtSeconds: 120,
      logLevel: "info",
      trustProxy: false,
    });
  });

  it("follow the environment, where empty means unset", () => {
    const environment = {
      HOST: "0.0.0.0",
      GATEWAY_PORT: "5000",
      SANDBOX_PORT: "5002",
      MAX_BODY_BYTES: "10",
      TRUST_PROXY: "1",
      CELL: "eu1",
      PLATFORM_API_URL: "",
      LOG_LEVEL: "warn",
      PUBLIC_GATEWAY_URL: "https://gateway.example:8443",
      ALLOWED_HOSTS: "gateway.internal",
    };
    expect(readGatewayConfig({ ...needed, ...environment })).toMatchObject(
      data<object>("gateway-config", "follow the environment, where empty means unset"),
    );
    expect(readGatewayConfig({ ...needed, SANDBOX_PORT: "5002", SANDBOX_URL: "http://sandbox:4002" }).platformApiUrl).toBe(
      "http://sandbox:4002",
    );
    expect(readGatewayConfig({ ...needed, PLATFORM_API_URL: "https://graph.facebook.com/" }).platformApiUrl).toBe(
      "https://graph.facebook.com",
    );
  });

  it("know the dashboard's address from its variable, or from the port under npm start", () => {
    const dashboard = (environment: Record<string, string>) => readGatewayConfig({ ...needed, ...environment }).publicAdminUrl;
    expect(dashboard({ HOST: "0.0.0.0", ADMIN_PORT: "5001" })).toBe("http://127.0.0.1:5001");
    expect(dashboard({ ADMIN_PORT: "5001", PUBLIC_ADMIN_URL: "https://tidings.example" })).toBe("https://tidings.example");
  });

  it("are refused as a whole, each wrong one by its name", () => {
    const wrong = {
      GATEWAY_PORT: "http",
      MASTER_KEY: "short",
      MAX_BODY_BYTES: "0",
      IN_DOUBT_SECONDS: "-1",
      LOG_LEVEL: "loud",
      TRUST_PROXY: "yes",
      PLATFORM_API_URL: "graph",
    };
    const read = (): unknown => readGatewayConfig(wrong);
    expect(read).toThrow(ConfigurationError);
    for (const name of ["DATABASE_URL", ...Object.keys(wrong)]) expect(read).toThrow(name);
    expect(read).not.toThrow(/short/);
  });
});
