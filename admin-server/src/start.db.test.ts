import { type AddressInfo, connect, createServer, type Socket } from "node:net";
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

// The driver waits for the end of each connection, and of one whose life ended inside its last transaction nobody tells it.
test("the server stops although no connection ever says that it has ended", async () => {
  await using database = await testDatabase();
  const { hostname, port } = new URL(database.url);
  const open: Socket[] = [];
  const way = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect(Number(port), hostname);
    open.push(client, server);
    client.pipe(server, { end: false });
    server.pipe(client, { end: false });
  });
  await new Promise<void>((resolve) => way.listen(0, "127.0.0.1", resolve));
  const url = Object.assign(new URL(database.url), { port: String((way.address() as AddressInfo).port) });
  const server = await openAdminOn(url.href);
  await server[Symbol.asyncDispose]();
  expect(open.length).toBeGreaterThan(0);
  for (const socket of open) socket.destroy();
  way.close();
});
