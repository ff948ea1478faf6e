import { TRPCError, type TRPCDefaultErrorShape } from "@trpc/server";
import { explainInput } from "shared/core/input/assistant";
import { scheduleMembers } from "shared/core/input/binding-members";
import { updateSettingsInput } from "shared/core/input/settings";
import { copySetupInput } from "shared/core/input/setup";
import { confirmInput, newPasswordSchema } from "shared/core/input/team";
import { templateInputSchema } from "shared/core/input/templates";
import { idSchema } from "shared/core/input/values";
import { fixed, say, write } from "shared/core/wording";
import { VaultError } from "shared/secrets/vault";
import { expect, test, it, describe } from "vitest";
import { z } from "zod";
import { data } from "../../../test/support/data.ts";
import {
  conflict,
  formatError,
  invalidInput,
  notFound,
  notFromHere,
  Refusal,
  refusalIn,
  refusedInput,
  tooBusy,
  tooManyChanges,
  tooManyOfMinute,
  tooManyTries,
  translateError,
} from "./errors.ts";
import { requireRight, requireProof, requireRole } from "./roles.ts";

describe("translate error", () => {
  test.each([
    ["a database that is away", "ECONNREFUSED", "database is not available now: try again"],
    ["a change of another server that takes long", "55P03", "changes are waiting: try again"],
  ])("%s asks the caller to come back", (_, code, message) => {
    const cause = Object.assign(new Error("no"), { code });
    const translated = translateError(new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause }));
    expect(translated).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: expect.stringContaining(message) });
  });

  test("what nobody foresaw stays as it is", () => {
    const error = new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause: new Error("odd") });
    expect(translateError(error)).toBe(error);
  });
});

describe("format error", () => {
  const shape: TRPCDefaultErrorShape = { message: "raw", code: -32600, data: { code: "BAD_REQUEST", httpStatus: 400 } };

  it.each(data<[string[], string, string][]>("admin-server-trpc-errors", "an issue at j that says j is told with its place once"))(
    "an issue at %j that says %j is told with its place once",
    (path, message, told) => {
      const cause = new z.ZodRealError([{ code: "custom", path, message, input: undefined }]);
      const { message: whole, data } = formatError({ shape, error: new TRPCError({ code: "BAD_REQUEST", cause }) });
      expect([whole, data.issues]).toEqual([told, [{ path, code: "custom", message }]]);
    },
  );
});

/** The answer to a caller, and the data that it is made of. */
function told(error: TRPCError) {
  const shape: TRPCDefaultErrorShape = { message: error.message, code: -32600, data: { code: error.code, httpStatus: 400 } };
  const { message, data } = formatError({ shape, error });
  return { message, said: data.said, issues: data.issues };
}

const thrown = (run: () => unknown): TRPCError => {
  try {
    run();
  } catch (error) {
    if (error instanceof TRPCError) return error;
  }
  throw new Error("nothing was refused");
};

describe("a refusal", () => {
  test.each<[TRPCError, string]>([
    [notFound("binding"), "There is no such binding"],
    [
      conflict("An account has at most {most} bindings: delete those that are not used", { most: 5 }),
      "An account has at most 5 bindings: delete those that are not used",
    ],
    [tooManyTries(1), "Too many wrong attempts: wait 1 second and try again"],
    [tooManyTries(89), "Too many wrong attempts: wait 89 seconds and try again"],
    [tooManyTries(90), "Too many wrong attempts: wait 2 minutes and try again"],
    [tooManyOfMinute(say("test messages"), 10), "At most 10 test messages a minute: wait a little and try again"],
    [tooBusy(), "Too many sign-ins right now: try again in a few seconds"],
    [tooManyChanges(), "Too many changes are waiting: try again in a few seconds, with fewer at once"],
    [notFromHere("192.0.2.1"), "This account does not allow access from 192.0.2.1: use a network that its owner allows"],
    [notFromHere(""), "This account does not allow access from an unknown address: use a network that its owner allows"],
    [thrown(() => requireRole(null, "viewer")), "Sign in first"],
    [
      thrown(() => requireRight("viewer", "changePlatform", say("Changing WhatsApp's credentials"))),
      "Changing WhatsApp's credentials needs the role owner; yours is viewer",
    ],
    [
      thrown(() => requireProof({ via: { kind: "access-token" } } as Parameters<typeof requireProof>[0])),
      "Access tokens cannot do this: sign in",
    ],
    [
      new Refusal("CONFLICT", say("{action} Set force to resend it anyway", { action: fixed("Wait.") })),
      "Wait. Set force to resend it anyway",
    ],
    [
      translateError(
        new TRPCError({
          code: "INTERNAL_SERVER_ERROR",
          cause: new VaultError(say("A stored secret is not a record of this vault: enter it again.")),
        }),
      ),
      "A stored secret is not a record of this vault: enter it again.",
    ],
  ])("is English, and the same as data: %s", (error, sentence) => {
    const { message, said } = told(error);
    expect(message).toBe(sentence);
    expect(said && write(said)).toBe(sentence);
  });

  test("of a fault that nobody foresaw tells nothing of it, in any language", () => {
    const { message, said } = told(new TRPCError({ code: "INTERNAL_SERVER_ERROR", message: "secret", cause: new Error("secret") }));
    expect(message).toBe("Something went wrong on the server. Try again; the server's log says more.");
    expect(said).toEqual(say(message));
  });

  test("has what a person wrote as a value, whatever stands in it", () => {
    const name = "{most} '{0}' __proto__ {n, plural, other {x}}";
    const { message, said } = told(conflict("There is a view with the name {name}: choose another name", { name }));
    expect(message).toBe(`There is a view with the name ${name}: choose another name`);
    expect(said).toEqual({ text: "There is a view with the name {name}: choose another name", values: { name } });
  });

  test("of another's making has no data", () => {
    expect(told(new TRPCError({ code: "NOT_FOUND", message: 'No procedure found on path "x"' })).said).toBeNull();
  });
});

describe("a refused input", () => {
  const refusedBy = (schema: z.ZodType, input: unknown): TRPCError => {
    const { error } = schema.safeParse(input);
    if (error === undefined) throw new Error("the input was accepted");
    return new TRPCError({ code: "BAD_REQUEST", cause: error });
  };

  test("names each broken rule in English and as data", () => {
    const { message, issues } = told(
      refusedBy(z.strictObject({ id: idSchema, password: newPasswordSchema }), { id: "x", password: "short" }),
    );
    expect(message).toBe("id: Must be a UUID; password: Must have at least 10 characters");
    expect(issues).toEqual([
      { path: ["id"], code: "invalid_format", message: "Must be a UUID", said: say("Must be a UUID") },
      {
        path: ["password"],
        code: "custom",
        message: "Must have at least 10 characters",
        said: say("Must have at least {least} characters", { least: 10 }),
      },
    ]);
  });

  test("has the rule without its place where the message begins with it", () => {
    const { message, issues } = told(refusedBy(z.strictObject(scheduleMembers), { delaySeconds: -1 }));
    expect(message).toBe("delaySeconds: must be a whole number from 1 to 2592000");
    expect(issues?.[0]).toMatchObject({ message, said: say("must be a whole number from {from} to {to}", { from: 1, to: 2_592_000 }) });
  });

  test("keeps zod's own words, which are for developers, without data", () => {
    const { issues } = told(refusedBy(z.strictObject({ id: z.string() }), { id: 5, more: 1 }));
    expect(issues?.map(({ message, said }) => [message, said])).toEqual([
      ["Invalid input: expected string, received number", undefined],
      ['Unrecognized key: "more"', undefined],
    ]);
  });

  const forms = {
    platform: updateSettingsInput,
    copy: copySetupInput,
    confirm: confirmInput,
    explain: explainInput,
    template: templateInputSchema,
  };
  test.each(
    data<[keyof typeof forms, object, string][]>("admin-server-trpc-errors", "is told at the members of the form that it is nearest to"),
  )("of several forms is told at the members of the form that it is nearest to: %s %j", (schema, input, message) =>
    expect(told(refusedBy(forms[schema], input)).message).toBe(message),
  );

  test("of rules that a schema cannot check has its sentences as data, or the reason", () => {
    const path = ["url"];
    const { message, issues } = told(
      invalidInput([
        { path, said: say("Must begin with https://") },
        { path: ["body"], reason: { code: "too_many_recipients", limit: 60 } },
      ]),
    );
    expect(message).toBe(
      "url: Must begin with https://; body: One event sends at most 60 messages: split the recipients over several events.",
    );
    expect(issues).toMatchObject([{ path, said: say("Must begin with https://") }, { reason: { code: "too_many_recipients", limit: 60 } }]);
  });

  test("of a schema outside procedures says the same", () => {
    const { error } = z.strictObject({ id: idSchema }).safeParse({ id: "x" });
    expect(told(refusedInput(error?.issues ?? []))).toMatchObject({
      message: "id: Must be a UUID",
      issues: [{ said: say("Must be a UUID") }],
    });
  });
});

test("of one of many that is refused, the reason is told in both ways", () => {
  expect(refusalIn(conflict("This exists already"))).toEqual({ refused: "This exists already", said: say("This exists already") });
  expect(refusalIn(invalidInput([{ path: ["a"], said: say("Is required") }]))).toEqual({
    refused: "Is required",
    said: say("Is required"),
  });
  expect(() => refusalIn(notFound("site"))).toThrow("There is no such site");
});
