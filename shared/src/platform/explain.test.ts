import { describe, expect, test } from "vitest";
import { accountErrors } from "./errors/account-errors.ts";
import { localErrors } from "./errors/local-errors.ts";
import { permanentErrors } from "./errors/permanent-errors.ts";
import { qualityErrors } from "./errors/quality-errors.ts";
import { recipientErrors } from "./errors/recipient-errors.ts";
import { readStoredError } from "./errors/stored-error.ts";
import { templateErrors } from "./errors/template-errors.ts";
import { transientErrors } from "./errors/transient-errors.ts";
import { explain, isContentFailure, resendOutlook } from "./explain.ts";

const failure = (line: string) => {
  const [code = "", subcode = null] = line.split("/");
  return { code, subcode };
};

const tables = [accountErrors, transientErrors, permanentErrors, recipientErrors, qualityErrors, templateErrors, localErrors];

test.each(tables.flatMap((table) => [...table.keys()]))("%s says what happened and what to do", (line) => {
  const { text, action } = explain(failure(line));
  expect(text).toMatch(/^[A-Z].{25,}\.$/s);
  expect(action).toMatch(/^[A-Z].{8,}\.$/s);
  expect(text).toContain(" ");
});

test("each code has words of its own", () => {
  const texts = [...localErrors.keys()].map((line) => explain(failure(line)).text);
  expect(new Set(texts).size).toBe(texts.length);
  expect(explain(failure("190/463")).text).not.toBe(explain(failure("190")).text);
});

test.each(["999999", "http_404", "http_503", "http_401", ""])("a code that is new here (%j) has an explanation too", (code) => {
  expect(explain({ code, subcode: null })).toEqual({ text: expect.stringMatching(/\.$/), action: expect.stringMatching(/\.$/) });
});

describe("a resend", () => {
  test.each([
    ["131000", "helps"],
    ["190/463", "helps"],
    ["132015", "helps"],
    ["deadline", "helps"],
    ["slot_unresolved", "helps"],
    ["in_doubt", "later"],
    ["unexpected_answer", "later"],
    ["interrupted", "later"],
    ["recipient_opted_out", "later"],
    ["http_503", "helps"],
    ["131026", "later"],
    ["131049", "later"],
    ["131053", "later"],
    ["131050", "futile"],
    ["132000", "futile"],
    ["999999", "futile"],
  ])("of %s: %s", (line, outlook) => {
    expect(resendOutlook(failure(line))).toBe(outlook);
  });

  test("is made anew where the message was at fault, and repeated where it was not", () => {
    expect(["slot_unresolved", "template_not_approved", "132000", "100"].map((code) => isContentFailure(failure(code)))).toEqual(
      Array.from({ length: 4 }, () => true),
    );
    expect(["deadline", "in_doubt", "131000", "131026", "190"].map((code) => isContentFailure(failure(code)))).toEqual(
      Array.from({ length: 5 }, () => false),
    );
  });
});

describe("a stored error", () => {
  test("of an answer", () => {
    const error = { message: "(#131009) Wrong", code: 131009, error_subcode: 33, error_data: { details: "to" }, fbtrace_id: "AbC" };
    expect(readStoredError(JSON.stringify(error))).toEqual({ subcode: "33", title: "(#131009) Wrong", details: "to", traceId: "AbC" });
  });

  test("of a report: the first of its list", () => {
    const errors = [{ code: 131026, title: "Undeliverable", message: "Undeliverable", error_data: { details: "Not on it" } }, { code: 1 }];
    expect(readStoredError(JSON.stringify(errors))).toEqual({ subcode: null, title: "Undeliverable", details: "Not on it", traceId: null });
  });

  test.each([null, "null", "[]", "7", '"x"', "{", '{"error_data":7,"fbtrace_id":{}}'])("of %j is nothing", (json) => {
    expect(readStoredError(json)).toEqual({ subcode: null, title: null, details: null, traceId: null });
  });
});
