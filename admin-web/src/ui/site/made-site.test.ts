import { expect, test } from "vitest";
import { envFile, envFileName } from "./made-site.tsx";

test("the file names what the examples of the documentation read", () => {
  const secrets = { apiKey: "sk_live_1", webhookSecret: "whs_2" };
  expect(envFile({ ...secrets, gatewayUrl: "https://gateway.example" })).toBe(
    "BASE_URL=https://gateway.example\nSITE_KEY=sk_live_1\nWEBHOOK_SECRET=whs_2\n",
  );
  expect(envFile({ ...secrets, gatewayUrl: undefined })).toBe("SITE_KEY=sk_live_1\nWEBHOOK_SECRET=whs_2\n");
});

test.each([
  ["Bean & Leaf", "bean-leaf.env"],
  [" Čaj/../etc ", "čaj-etc.env"],
  ["***", "site.env"],
])("that of %j is called %s", (name, file) => {
  expect(envFileName(name)).toBe(file);
});
