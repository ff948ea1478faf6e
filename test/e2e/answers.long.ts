import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { writeAnswers } from "../architecture/answers.ts";

it("the schemas of answers are what the procedures' types say: `npm run answers` brings them up to date", () => {
  expect(readFileSync(new URL("../../admin-server/src/rest/answers.json", import.meta.url), "utf8")).toBe(writeAnswers());
});
