import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import {
  readConfig,
  required,
  withDefault,
  choiceVariable,
  databaseUrlVariable,
  flagVariable,
  hostVariable,
  httpUrlVariable,
  integerVariable,
  masterKeyVariable,
  networksVariable,
  portVariable,
  textVariable,
} from "./config.ts";

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
    host: withDefault(textVariable("HOST"), "127.0.0.1"),
    port: withDefault(portVariable("PORT"), 4000),
    proxy: flagVariable("TRUST_PROXY"),
    url: httpUrlVariable("URL"),
  };
  expect(readConfig({}, variables)).toEqual({ host: "127.0.0.1", port: 4000, proxy: false, url: undefined });
  expect(readConfig({ HOST: "", PORT: " ", TRUST_PROXY: "", URL: "" }, variables)).toEqual(readConfig({}, variables));
  expect(readConfig({ HOST: "::1", PORT: "0", TRUST_PROXY: "1", URL: "https://a.example/x//" }, variables)).toEqual(
    data("server-config", "reads what is set and takes the defaults of the"),
  );
});

test("reports every wrong variable at once, one line each that begins with its name", () => {
  const variables = {
    port: portVariable("PORT"),
    database: required(databaseUrlVariable("DATABASE_URL"), "everything is kept there"),
    level: choiceVariable("LOG_LEVEL", ["info", "warn"]),
  };
  const read = () => readConfig({ PORT: "70000", LOG_LEVEL: "loud" }, variables);
  expect(read).toThrow(expect.objectContaining(data("shared-server-config", "reports every wrong variable at once, one line each that")));
});

test.each(["127.0.0.1", "0.0.0.0", "::1", "::", "localhost", "a-b_c.example"])("an address to listen on is %s", (text) => {
  expect(problemOf(hostVariable("HOST"), text)).toBe("");
});

test.each(["999.1.1.1", "foo bar", "http://127.0.0.1", "127.0.0.1:4000", "[::1]", "a/b", "a@b", "a?b", "fe80::1%eth0"])(
  "an address to listen on is not %s",
  (text) => {
    expect(problemOf(hostVariable("HOST"), text)).toBe(
      `HOST must be an address of this machine like 127.0.0.1 or 0.0.0.0, not ${JSON.stringify(text)}`,
    );
  },
);

test.each(["-1", "1.5", "1e3", "0x10", "4000a", "65536", "NaN"])("a port is no %s", (text) => {
  expect(problemOf(portVariable("PORT"), text)).toMatch(/^PORT must be a whole number/);
});

test.each(["2", "true", "yes", "on"])("a flag is 1 or unset, not %s", (text) => {
  expect(problemOf(flagVariable("FLAG"), text)).toMatch(/^FLAG must be 1 or unset/);
});

test.each(["example.com", "ftp://example.com", "https://example.com?a=1", "https://example.com#a", "//example.com"])(
  "an address is not %s",
  (text) => {
    expect(problemOf(httpUrlVariable("URL"), text)).toMatch(/^URL must be an address/);
  },
);

test("a database address and a master key never stand in their own messages", () => {
  expect(problemOf(databaseUrlVariable("DATABASE_URL"), "mysql://root:hunter2@db/x")).toMatch(
    /^DATABASE_URL must be an address like postgres:(?!.*hunter2)/,
  );
  expect(problemOf(masterKeyVariable("MASTER_KEY"), "c2hvcnQ=")).toMatch(/^MASTER_KEY must be 32 bytes in base64(?!.*c2hvcnQ)/);
});

test("a master key is 32 bytes in base64 or base64url", () => {
  const key = Buffer.alloc(32, 0xfb);
  const read = (text: string) => readConfig({ KEY: text }, { key: masterKeyVariable("KEY") }).key;
  expect(read(key.toString("base64"))).toEqual(key);
  expect(read(key.toString("base64url"))).toEqual(key);
  expect(problemOf(masterKeyVariable("KEY"), Buffer.alloc(31).toString("base64"))).not.toBe("");
  expect(problemOf(masterKeyVariable("KEY"), Buffer.alloc(33).toString("base64"))).not.toBe("");
});

test("networks are addresses with a prefix length, of both families", () => {
  const { networks } = readConfig({ N: "10.0.0.0/8, ::1/128" }, { networks: networksVariable("N") });
  expect(networks?.check("10.1.2.3", "ipv4")).toBe(true);
  expect(networks?.check("11.1.2.3", "ipv4")).toBe(false);
  expect(networks?.check("::1", "ipv6")).toBe(true);
  for (const wrong of ["10.0.0.0", "10.0.0.0/33", "::1/129", "example.com/8", "10.0.0.0/8,", "10.0.0.0/"]) {
    expect(problemOf(networksVariable("N"), wrong)).toMatch(/^N must be a list of networks/);
  }
});

test("whole numbers keep their bounds", () => {
  const seconds = integerVariable("SECONDS", 1, 86_400);
  expect(readConfig({ SECONDS: "86400" }, { seconds })).toEqual({ seconds: 86_400 });
  expect(problemOf(seconds, "0")).toBe('SECONDS must be a whole number from 1 to 86400, not "0"');
});
