import { TRPCError } from "@trpc/server";
import postgres from "postgres";
import { isDatabaseAway } from "shared/db/transaction";
import { VaultError } from "shared/secrets/vault";

type Translation = Pick<TRPCError, "code" | "message">;

/** What PostgreSQL's refusals mean to the caller, by SQLSTATE. */
const translations: Record<string, Translation> = {
  /** unique_violation */
  "23505": { code: "CONFLICT", message: "There is one like that already" },
  /** foreign_key_violation */
  "23503": { code: "CONFLICT", message: "It is still in use, or what it belongs to was deleted meanwhile" },
  /** character_not_in_repertoire: PostgreSQL's text takes no NUL character */
  "22021": { code: "BAD_REQUEST", message: "A text holds a character that cannot be stored (U+0000)" },
  /** numeric_value_out_of_range */
  "22003": { code: "BAD_REQUEST", message: "A number is out of range" },
  /** datetime_field_overflow, and what it calls a year of five digits */
  "22008": { code: "BAD_REQUEST", message: "A time is out of range" },
  "22009": { code: "BAD_REQUEST", message: "A time is out of range" },
  /** serialization_failure */
  "40001": { code: "CONFLICT", message: "Somebody else changed it at the same time; try again" },
  /** deadlock_detected */
  "40P01": { code: "CONFLICT", message: "Somebody else changed it at the same time; try again" },
};

const away: Translation = { code: "SERVICE_UNAVAILABLE", message: "The database is away at the moment; try again in a few seconds" };

/** A refusal of the database or the vault as one of ours; other errors as they are. */
export function translateError(error: TRPCError): TRPCError {
  const { cause } = error;
  if (cause instanceof VaultError) return new TRPCError({ code: "CONFLICT", message: cause.message, cause });
  const translation = cause instanceof postgres.PostgresError ? translations[cause.code] : undefined;
  if (translation !== undefined) return new TRPCError({ ...translation, cause });
  return isDatabaseAway(cause) ? new TRPCError({ ...away, cause }) : error;
}
