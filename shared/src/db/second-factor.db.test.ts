import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { insertChallenge, takeChallenge, tryChallenge } from "./challenge.ts";
import { newId } from "./ids.ts";
import { confirmTotp, savePendingTotp, takeRecoveryCode, takeTotpStep } from "./second-factor.ts";

// The tries stay below the number at which a server makes one person's tries wait.
test("what works once works once, from several connections at the same moment", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const userId = newId();
  const hash = createHash("sha256").update("made up").digest();
  await sql`insert into app_user (id, email, name, password_hash) values (${userId}, 'a@example.com', 'A', 'x')`;
  const inAll = async (act: () => Promise<unknown>): Promise<number> => {
    const results = await Promise.all(Array.from({ length: 8 }, () => act()));
    return results.filter(Boolean).length;
  };

  await savePendingTotp(sql, userId, "sealed", 60);
  expect(await inAll(() => sql.begin((transaction) => confirmTotp(transaction, userId, "sealed", 7, [hash])))).toBe(1);
  expect(await inAll(() => takeTotpStep(sql, userId, "sealed", 7))).toBe(0);
  expect(await inAll(() => takeTotpStep(sql, userId, "sealed", 8))).toBe(1);
  expect(await inAll(() => takeTotpStep(sql, userId, "another", 9))).toBe(0);
  expect(await inAll(() => takeRecoveryCode(sql, userId, hash))).toBe(1);
  const challenge = { hash, purpose: "second_factor", user_id: userId, expires_at: new Date(Date.now() + 60_000) } as const;
  expect(await inAll(() => insertChallenge(sql, challenge))).toBe(1);
  expect(await inAll(() => tryChallenge(sql, hash, "second_factor", 5))).toBe(5);
  expect(await inAll(() => takeChallenge(sql, hash, "second_factor", userId))).toBe(1);
});
