import { expect, test } from "vitest";
import { makeWebhookSecret, webhookSecretHint } from "./webhook-secret.ts";

test("a secret is the prefix and forty letters and digits, and differs each time", () => {
  const secrets = Array.from({ length: 50 }, makeWebhookSecret);
  for (const secret of secrets) expect(secret).toMatch(/^whs_[0-9A-Za-z]{40}$/);
  expect(new Set(secrets).size).toBe(50);
});

test("the hint gives away four characters", () => {
  expect(webhookSecretHint("whs_0123456789")).toBe("whs_…6789");
});
