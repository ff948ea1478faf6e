import { ConfigurationError } from "shared/server/configuration-error";
import { describe, expect, it } from "vitest";
import { data } from "../../test/support/data.ts";
import { readAdminConfig } from "./config.ts";

const needed = { DATABASE_URL: "postgres://u:p@127.0.0.1:5432/d", MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readAdminConfig(environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
};

describe("readAdminConfig", () => {
  it("has defaults for all but the database and the key", () => {
    expect(readAdminConfig({ ...needed, ADMIN_EMAIL: "", ADMIN_PASSWORD: " " })).toEqual({
      host: "127.0.0.1",
      port: 4001,
      databaseUrl: needed.DATABASE_URL,
      masterKey: Buffer.alloc(32, 7),
      platformUrl: "http://127.0.0.1:4002",
      isSandbox: true,
      sandboxControlToken: null,
      publicGatewayUrl: "http://127.0.0.1:4000",
      publicAdminUrl: "http://127.0.0.1:4001",
      trustProxy: false,
      firstOwner: null,
      allowPrivate: null,
      allowSignUp: false,
      allowedHosts: [],
      setupCode: null,
      oidc: null,
      pagerDutyUrl: "https://events.pagerduty.com/v2/enqueue",
      mail: null,
      logLevel: "info",
    });
  });

  it("takes the real platform, ports and an address of IPv6", () => {
    const config = readAdminConfig({
      ...needed,
      HOST: "::1",
      ADMIN_PORT: "81",
      GATEWAY_PORT: "80",
      PLATFORM_API_URL: "https://graph.facebook.com/",
    });
    expect(config).toMatchObject(data<object>("admin-server-config", "takes the real platform, ports and an address of"));
    const sandbox = { SANDBOX_URL: "http://sandbox:4002", PLATFORM_API_URL: "http://sandbox:4002/" };
    expect(readAdminConfig({ ...needed, ...sandbox })).toMatchObject({ platformUrl: "http://sandbox:4002", isSandbox: true });
    expect(readAdminConfig({ ...needed, ...sandbox, PLATFORM_API_URL: "https://graph.facebook.com" }).isSandbox).toBe(false);
  });

  it("names every wrong variable at once", () => {
    const problems = problemsOf(data("admin-server-config", "names every wrong variable at once"));
    const names = ["DATABASE_URL", "MASTER_KEY", "ADMIN_PORT", "TRUST_PROXY", "ADMIN_EMAIL", "ADMIN_PASSWORD", "LOG_LEVEL"];
    expect(problems.map((problem) => problem.split(" ")[0] ?? "").toSorted()).toEqual(names.toSorted());
    expect(problems.join("\n")).not.toContain("password123");
  });

  it.each(data<[object, string][]>("admin-server-config", "takes an issuer whole and over https: o"))(
    "takes an issuer whole and over https: %o",
    (some, problem) => {
      expect(problemsOf({ ...needed, ...some })).toEqual([expect.stringContaining(problem)]);
    },
  );

  it("takes an issuer of this machine over http, and calls it by its host", () => {
    const { oidc } = readAdminConfig({ ...needed, OIDC_ISSUER: "http://127.0.0.1:9/realm", OIDC_CLIENT_ID: "a", OIDC_CLIENT_SECRET: "b" });
    expect(oidc).toEqual({ issuer: "http://127.0.0.1:9/realm", clientId: "a", clientSecret: "b", name: "127.0.0.1:9" });
  });

  it.each(data<[object, string][]>("admin-server-config", "takes a mail server and"))(
    "takes a mail server and a sender: %o",
    (some, problem) => {
      const problems = problemsOf({ ...needed, ...some });
      expect(problems).toEqual([expect.stringContaining(problem)]);
      expect(problems.join()).not.toContain("hidden-password");
    },
  );

  it.each([
    ["smtp://mail.example", { host: "mail.example", port: 587, secure: false, login: null }],
    ["smtps://u%40x:p%2Fw@mail.example/", { host: "mail.example", port: 465, secure: true, login: { user: "u@x", password: "p/w" } }],
    ["smtp://[::1]:2525", { host: "::1", port: 2525, secure: false, login: null }],
  ])("reads %s", (SMTP_URL, mail) => {
    expect(readAdminConfig({ ...needed, SMTP_URL, MAIL_FROM: "a@b.example" }).mail).toEqual({
      ...mail,
      from: { name: "Tidings", address: "a@b.example" },
    });
    const named = readAdminConfig({ ...needed, SMTP_URL, MAIL_FROM: '"Our shop" <a@b.example>' }).mail;
    expect(named?.from).toEqual({ name: "Our shop", address: "a@b.example" });
  });

  it.each(
    data<[{ ADMIN_EMAIL?: string; ADMIN_PASSWORD?: string }, string][]>(
      "admin-server-config",
      "needs both of the first owner's variables o",
    ),
  )("needs both of the first owner's variables: %o", (some, missing) => {
    expect(problemsOf({ ...needed, ...some })).toEqual([expect.stringContaining(missing)]);
  });
});
