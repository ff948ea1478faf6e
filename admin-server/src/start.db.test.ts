import { expect, test } from "vitest";
import { openAdminOn } from "../../test/support/admin.ts";
import { emptyDatabase, testDatabase } from "../../test/support/database.ts";

test.each([null, { email: "ann@example.com", password: "a good long password" }])(
  "a database without the tables is one line that says what to do",
  async (firstOwner) => {
    await using database = await emptyDatabase();
    await expect(openAdminOn(database.url, { firstOwner })).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(/^DATABASE_URL: the database lacks 0001_core\.sql: run "npm run migrate" first$/),
    });
  },
);

test("a first owner whose password can be guessed is one line too", async () => {
  await using database = await testDatabase();
  await expect(openAdminOn(database.url, { firstOwner: { email: "ann@example.com", password: "Summer2026!" } })).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^ADMIN_PASSWORD is easy to guess/),
  });
});
