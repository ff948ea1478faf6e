import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { parse, readConfig, required, variable, withDefault } from "./config.ts";

const problemOf = (variable: Parameters<typeof readConfig>[1][string], text: string): string => {
  try {
    readConfig({ [variable.name]: text }, { value: variable });
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

test("reads what is set and takes the defaults of the rest; empty and blank count as unset", () => {
  const variables = {
    host: withDefault(variable("HOST", parse.text), "127.0.0.1"),
    port: withDefault(variable("PORT", parse.port), 4000),
    proxy: withDefault(variable("TRUST_PROXY", parse.flag), false),
    url: variable("URL", parse.httpUrl),
  };
  expect(readConfig({}, variables)).toEqual({ host: "127.0.0.1", port: 4000, proxy: false, url: undefined });
  expect(readConfig({ HOST: "", PORT: " ", TRUST_PROXY: "", URL: "" }, variables)).toEqual(readConfig({}, variables));
  expect(readConfig({ HOST: "::1", PORT: "0", TRUST_PROXY: "1", URL: "https://a.example/x//" }, variables)).toEqual(
    data("server-config", "reads what is set and takes the defaults of the"),
  );
});

test("reports every wrong variable at once, one line each that begins with its name", () => {
  const variables = {
    port: variable("PORT", parse.port),
    database: required(variable("DATABASE_URL", parse.databaseUrl), "everything is kept there"),
    level: variable("LOG_LEVEL", parse.oneOf(["info", "warn"])),
  };
  const read = () => readConfig({ PORT: "70000", LOG_LEVEL: "loud" }, variables);
  expect(read).toThrow(expect.objectContaining(data("shared-server-config", "reports every wrong variable at once, one line each that")));
});

test.each(["127.0.0.1", "0.0.0.0", "::1", "::", "localhost", "a-b_c.example"])("an address to listen on is %s", (text) => {
  expect(problemOf(variable("HOST", parse.host), text)).toBe("");
});

test.each(["999.1.1.1", "foo bar", "http://127.0.0.1", "127.0.0.1:4000", "[::1]", "a/b", "a@b", "a?b", "fe80::1%eth0"])(
  "an address to listen on is not %s",
  (text) => {
    expect(problemOf(variable("HOST", parse.host), text)).toBe(
      `HOST must be an address of this machine like 127.0.0.1 or 0.0.0.0, not ${JSON.stringify(text)}`,
    );
  },
);

test.each(["-1", "1.5", "1e3", "0x10", "4000a", "65536", "NaN"])("a port is no %s", (text) => {
  expect(problemOf(variable("PORT", parse.port), text)).toMatch(/^PORT must be a whole number/);
});

test.each(["2", "true", "yes", "on"])("a flag is 1 or unset, not %s", (text) => {
  expect(problemOf(withDefault(variable("FLAG", parse.flag), false), text)).toMatch(/^FLAG must be 1 or unset/);
});

test.each(["example.com", "ftp://example.com", "https://example.com?a=1", "https://example.com#a", "//example.com"])(
  "an address is not %s",
  (text) => {
    expect(problemOf(variable("URL", parse.httpUrl), text)).toMatch(/^URL must be an address/);
  },
);

test("a database address and a master key never stand in their own messages", () => {
  expect(problemOf(variable("DATABASE_URL", parse.databaseUrl), "mysql://root:hunter2@db/x")).toMatch(
    /^DATABASE_URL must be an address like postgres:(?!.*hunter2)/,
  );
  expect(problemOf(variable("MASTER_KEY", parse.masterKey), "c2hvcnQ=")).toMatch(/^MASTER_KEY must be 32 bytes in base64(?!.*c2hvcnQ)/);
});

test("a master key is 32 bytes in base64 or base64url", () => {
  const key = Buffer.alloc(32, 0xfb);
  const read = (text: string) => readConfig({ KEY: text }, { key: variable("KEY", parse.masterKey) }).key;
  expect(read(key.toString("base64"))).toEqual(key);
  expect(read(key.toString("base64url"))).toEqual(key);
  expect(problemOf(variable("KEY", parse.masterKey), Buffer.alloc(31).toString("base64"))).not.toBe("");
  expect(problemOf(variable("KEY", parse.masterKey), Buffer.alloc(33).toString("base64"))).not.toBe("");
});

test("networks are addresses with a prefix length, of both families", () => {
  const { networks } = readConfig({ N: "10.0.0.0/8, ::1/128" }, { networks: variable("N", parse.networks) });
  expect(networks?.check("10.1.2.3", "ipv4")).toBe(true);
  expect(networks?.check("11.1.2.3", "ipv4")).toBe(false);
  expect(networks?.check("::1", "ipv6")).toBe(true);
  for (const wrong of ["10.0.0.0", "10.0.0.0/33", "::1/129", "example.com/8", "10.0.0.0/8,", "10.0.0.0/"])
    expect(problemOf(variable("N", parse.networks), wrong)).toMatch(/^N must be a list of networks/);
});

test("whole numbers keep their bounds", () => {
  const seconds = variable("SECONDS", parse.integer(1, 86_400));
  expect(readConfig({ SECONDS: "86400" }, { seconds })).toEqual({ seconds: 86_400 });
  expect(problemOf(seconds, "0")).toBe('SECONDS must be a whole number from 1 to 86400, not "0"');
});
