import { platformSchema } from "shared/core/input/settings";
import { expect, test } from "vitest";
import { credentialsInput } from "./platform-page.tsx";

const values = {
  wabaId: "102290129340398",
  phoneNumberId: "106540352242922",
  accessToken: "",
  appId: "",
  appSecret: "",
  apiVersion: "v25.0",
};

test("secrets that are left empty are left out, and an emptied app id is taken away", () => {
  const input = credentialsInput({ ...values, accessToken: " ", appId: " " });
  expect(input).toEqual({ wabaId: "102290129340398", phoneNumberId: "106540352242922", apiVersion: "v25.0", appId: null });
  expect(platformSchema.safeParse(input).success).toBe(true);
});

test("secrets that are entered are sent", () => {
  const entered = { accessToken: "EAAB", appSecret: "5f", appId: "42" };
  expect(credentialsInput({ ...values, ...entered })).toMatchObject(entered);
});
