import { createAdminClient } from "admin-server/client";
import { freePort } from "shared/postgres/cluster";
import { expect, test } from "vitest";
import { openAdminOn, password } from "../support/admin.ts";
import { followQuestion } from "../support/assistant.ts";
import { testDatabase } from "../support/database.ts";
import { costOfAnswer, startModelServer } from "../support/model-server.ts";
import { runScript, withDatabase } from "../support/process.ts";
import { waitFor } from "../support/wait-for.ts";

test("a server that is killed in the middle of an answer gives no tokens back, and its place only when its time is over", async () => {
  await using database = await testDatabase();
  await using model = await startModelServer("openai");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...withDatabase(database),
    ADMIN_PORT: String(port),
    ALLOW_SIGNUP: "1",
    WEBHOOK_ALLOW_PRIVATE: "127.0.0.0/8",
    SETUP_CODE: "code",
  };
  await using server = runScript("admin-server", env);
  await waitFor("the server", async () => !server.isRunning() || (await fetch(`${url}/healthz`).catch(() => null))?.ok === true, 60_000);
  const owner = { accountName: "Shop", email: "ann@example.com", password, setupCode: "code" };
  const { token } = await createAdminClient({ url }).auth.signUp.mutate(owner);
  const client = createAdminClient({ url, token });
  await client.settings.saveAssistant.mutate({ provider: "openai", baseUrl: model.url, model: "m-1" });
  await client.assistant.agree.mutate({ place: new URL(model.url).origin });
  const ask = async () => (await client.assistant.draftTemplate.mutate({ request: "Thank you", language: "en" })).use.id;

  model.reply(() => ({ answer: '{"works":true}' }));
  expect(await client.assistant.try.mutate()).toEqual({ ok: true });
  const paid = costOfAnswer.input + costOfAnswer.output;
  model.reply(() => ({ answer: '{"name":"thank_you_for_your_order_and_more', unfinished: true }));
  const followed = followQuestion(client, await ask());
  await waitFor("a part of the answer", () => followed.news.length > 0);
  await server.kill("SIGKILL");
  followed.leave();

  await using other = await openAdminOn(database.url, { masterKey: Buffer.alloc(32) });
  const left = async () => (await other.client(token).assistant.get.query()) as { usedTokens: number };
  const [row] = await database.sql<{ tokens: number; running: boolean }[]>`
    select tokens, running_until > now() as running from assistant_use order by id desc limit 1`;
  expect(row?.running).toBe(true);
  expect((await left()).usedTokens).toBe(paid + (row?.tokens ?? 0));
  await database.sql`update assistant_use set running_until = now() where running_until is not null`;
  expect((await left()).usedTokens).toBe(paid + (row?.tokens ?? 0));
});
