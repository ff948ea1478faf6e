import { describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { readStoredError, explain, explainMessage, isContentFailure, resendOutlook, classify } from "./classify.ts";
import type { ErrorClass } from "./error-class.ts";
import { knownErrors } from "./known-errors.ts";
import { localErrors } from "./local-errors.ts";

describe("explain", () => {
  const failure = (line: string) => {
    const [code = "", subcode = null] = line.split("/");
    return { code, subcode };
  };

  const tables = [...Object.values(knownErrors), localErrors];

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

  test.each([...localErrors.keys()])("%s of a message that was left unsent on purpose advises no resend", (code) => {
    const { text, action } = explainMessage({ status: "cancelled", error_code: code, error_reason: null, error_detail: null });
    expect({ text, action }).toEqual({ text: explain(failure(code)).text, action: "You do not need to do anything." });
  });

  describe("a resend", () => {
    test.each(data<[string, string][]>("platform-errors-classify", "of :"))("of %s: %s", (line, outlook) => {
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
      const errors = [
        { code: 131026, title: "Undeliverable", message: "Undeliverable", error_data: { details: "Not on it" } },
        { code: 1 },
      ];
      expect(readStoredError(JSON.stringify(errors))).toEqual(data("platform-errors-classify", "of a report: the first of its list"));
    });

    test.each([null, "null", "[]", "7", '"x"', "{", '{"error_data":7,"fbtrace_id":{}}'])("of %j is nothing", (json) => {
      expect(readStoredError(json)).toEqual({ subcode: null, title: null, details: null, traceId: null });
    });
  });
});

describe("error classes", () => {
  /** The platform's documented codes by class. */
  const documented = data<Record<ErrorClass, string>>("platform-errors-classify", "documented");

  const lines = (Object.keys(documented) as ErrorClass[]).flatMap((errorClass) =>
    documented[errorClass].split(" ").map((code) => [code, errorClass] as const),
  );

  test.each(lines)("%s is %s, and explains itself", (line, errorClass) => {
    const [code, subcode] = line.split("/");
    const found = classify({ code, subcode, status: 400 });
    expect(found.class).toBe(errorClass);
    expect(found.title).toMatch(/^[A-Z].{3,60}[^.]$/);
    expect(found.explanation).toMatch(/^[A-Z].{30,}\.$/);
    expect(found.resendHint ?? "Resend.").toMatch(/^Resend.*\.$|^Sync .*\.$/);
    expect(classify({ code: Number(code), subcode: Number(subcode), status: 500 })).toEqual(found);
  });

  test("the tables hold these codes, each once, and no others", () => {
    for (const errorClass of Object.keys(documented) as ErrorClass[])
      expect([...knownErrors[errorClass].keys()].sort()).toEqual(documented[errorClass].split(" ").sort());
    expect(new Set(lines.map(([line]) => line)).size).toBe(lines.length);
  });

  test.each([...knownErrors.template.keys()])("%s says what to do about a template", (line) => {
    const [code, subcode] = line.split("/");
    const found = classify({ code, subcode: Number(subcode), status: 400 });
    expect(found).toMatchObject({ class: "permanent", resendHint: null, title: expect.stringMatching(/^[A-Z].*[^.]$/) });
    expect(found.explanation).toMatch(/^[A-Z].{30,}\.$/);
    expect(line).toMatch(/^100\/2388\d{3}$/);
  });

  test("whatever passes, or can be mended, says when to resend", () => {
    const mendable = lines.filter(([, errorClass]) => ["transient", "account", "quality"].includes(errorClass));
    const hints = mendable.map(([line]) => classify({ code: line.split("/")[0], subcode: line.split("/")[1] }).resendHint);
    expect(hints).not.toContain(null);
    expect(classify({ code: 131049 }).resendHint).toMatch(/24 hours/);
  });

  test.each([132000, 131050, 131008])("%d never makes sense to resend", (code) => {
    expect(classify({ code }).resendHint).toBeNull();
  });

  test.each([200, 201, 210, 298, 299])("the permission code %d stops the account", (code) => {
    expect(classify({ code, status: 403 })).toEqual(classify({ code: 200 }));
    expect(classify({ code, status: 403 }).class).toBe("account");
  });

  test.each([199, 300, 2000, 20, -200])("the code %d next to them does not", (code) => {
    expect(classify({ code, status: 403 }).class).toBe("permanent");
  });

  test.each(data<[string, object, string][]>("platform-errors-classify", "s"))("%s", (_, error, errorClass) => {
    expect(classify(error).class).toBe(errorClass);
  });
});
