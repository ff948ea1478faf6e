import { expect, test } from "vitest";
import { openAdminOn } from "../../test/support/admin.ts";
import { emptyDatabase } from "../../test/support/database.ts";

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
