import { i18n } from "@lingui/core";
import { fixed, say } from "shared/core/wording";
import { beforeAll, describe, expect, test } from "vitest";
import { data } from "../../test/support/data.ts";
import { language } from "./language.ts";
import { inReadersWords, translateRefusal } from "./refusals.ts";

beforeAll(() => {
  i18n.load(language, data("admin-web-refusals", "examples"));
});

describe("a refusal in the reader's language", () => {
  test("is the catalogue's text with the values", () => {
    const said = say("There is a view with the name {name}: choose another name", { name: "Neu" });
    expect(inReadersWords(said)).toBe("Es gibt schon eine Ansicht namens Neu: Wählen Sie einen anderen Namen");
  });

  test("translates sentences within it, and leaves what has no translation in English", () => {
    const said = say("{doing} needs the role {needed}; yours is {role}", {
      doing: say("Looking for a phone"),
      needed: say("owner"),
      role: say("a role of a newer server"),
    });
    expect(inReadersWords(said)).toBe("Das Suchen nach einer Telefonnummer braucht die Rolle Inhaber; Ihre ist a role of a newer server");
  });

  test.each([
    [say("A newer server says {what}", { what: "this" }), "A newer server says this"],
    [say("{n, plural, one {# thing} other {# things}} of a newer server", { n: 3 }), "3 things of a newer server"],
    [fixed("Text with {braces} and '{quotes}'"), "Text with {braces} and '{quotes}'"],
    [fixed("{n, plural, one {x} other {y}}"), "{n, plural, one {x} other {y}}"],
    [fixed("__proto__"), "__proto__"],
    [fixed("constructor"), "constructor"],
    [fixed("toString"), "toString"],
  ])("%j is unknown and stays English", (said, sentence) => expect(inReadersWords(said)).toBe(sentence));

  test.each(["{name}", "'{name}'", "it's", "{n, plural, one {x} other {y}}", "{0}", "</0>", "{", "}"])(
    "the value %s is not read as a text",
    (name) => {
      const said = say("There is a view with the name {name}: choose another name", { name });
      expect(inReadersWords(said)).toBe(`Es gibt schon eine Ansicht namens ${name}: Wählen Sie einen anderen Namen`);
    },
  );

  test("takes a value of a megabyte as it is", () => {
    const name = "{a} 'b' ".repeat(130_000);
    const said = say("There is a view with the name {name}: choose another name", { name });
    expect(inReadersWords(said)).toContain(name);
  });
});

describe("an error of the server", () => {
  test("gets its message and those of its members, with their places", async () => {
    const error = {
      message: "id: Must be a UUID; variableMap.body.1: 1: must be at most 5 characters long; more: Unrecognized",
      data: {
        said: null,
        issues: [
          { path: ["id"], message: "Must be a UUID", said: say("Must be a UUID") },
          {
            path: ["x"],
            message: "x: must be at most 5 characters long",
            said: say("must be at most {most} characters long", { most: 5 }),
          },
          { path: ["more"], message: "Unrecognized" },
        ],
      },
    };
    await translateRefusal(error);
    expect(error.message).toBe("id: Muss eine UUID sein; x: darf höchstens 5 Zeichen lang sein; more: Unrecognized");
    expect(error.data.issues.map(({ message }) => message)).toEqual([
      "Muss eine UUID sein",
      "darf höchstens 5 Zeichen lang sein",
      "Unrecognized",
    ]);
  });

  test("names a broken rule that is a reason in the reader's words, sentence and all", async () => {
    const reason = { code: "too_many_recipients", limit: 60 } as const;
    const message = "One event sends at most 60 messages: split the recipients over several events.";
    const error = { message: `body: ${message}`, data: { said: null, issues: [{ path: ["body"], message, reason }] } };
    i18n.load(language, {
      "One event sends at most {limit} messages: split the recipients over several events.": "Höchstens {limit} Nachrichten",
    });
    await translateRefusal(error);
    expect(error.message).toBe("body: Höchstens 60 Nachrichten");
  });

  test.each([{ message: "Failed to fetch" }, { message: "Odd", data: null }, { message: "Odd", data: { said: null, issues: null } }])(
    "without data stays as it is: %j",
    async (error) => {
      const before = structuredClone(error);
      await translateRefusal(error);
      expect(error).toEqual(before);
    },
  );

  test("of an older server, which gives no data, stays as it is", async () => {
    const error = { message: "Sign in first", data: { code: "UNAUTHORIZED" } } as unknown as Parameters<typeof translateRefusal>[0];
    await translateRefusal(error);
    expect(error.message).toBe("Sign in first");
  });
});
