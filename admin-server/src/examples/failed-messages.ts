import { createAdminClient, everyItem, refusalCode } from "../client.ts";

const { ADMIN_URL = "http://127.0.0.1:4001", ADMIN_TOKEN } = process.env;
const client = createAdminClient({ url: ADMIN_URL, token: ADMIN_TOKEN });
const from = new Date(Date.now() - 86_400_000).toISOString();

try {
  for await (const site of everyItem((page) => client.sites.list.query(page))) {
    const failed = everyItem((page) => client.notifications.list.query({ ...page, siteId: site.id, status: "failed", from }));
    for await (const { createdAt, template, toPhone, errorCode, errorReason } of failed) {
      console.log([site.name, createdAt, template, toPhone, errorCode, errorReason].join("\t"));
    }
  }
} catch (error) {
  if (refusalCode(error) !== "UNAUTHORIZED") throw error;
  console.error("The token is unknown or has ended: make another with tokens.create and set ADMIN_TOKEN to it");
  process.exitCode = 1;
}
