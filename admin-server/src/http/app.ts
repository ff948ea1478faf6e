import Koa from "koa";
import type { AdminContext } from "../context.ts";
import { answerErrors } from "./answer-errors.ts";
import { auditCsv } from "./csv/audit-csv.ts";
import { csvRoute } from "./csv/csv-route.ts";
import { notificationsCsv } from "./csv/notifications-csv.ts";
import type { DashboardFile } from "./dashboard-files.ts";
import { dashboardRoute } from "./dashboard-route.ts";
import { healthRoute } from "./health-route.ts";
import { mediaRoute } from "./media/media-route.ts";
import { securityHeaders } from "./security-headers.ts";
import { trpcRoute } from "./trpc-route.ts";

/** Every request, in this order. */
export function createApp(context: AdminContext, dashboard: Map<string, DashboardFile>): Koa {
  const app = new Koa();
  app.on("error", (error: unknown) => context.log.warn({ err: error }, "connection failed"));
  app.use(securityHeaders(context.config.publicAdminUrl));
  app.use(answerErrors(context.log));
  app.use(healthRoute(context));
  app.use(trpcRoute(context));
  app.use(csvRoute(context, auditCsv));
  app.use(csvRoute(context, notificationsCsv));
  app.use(mediaRoute(context));
  app.use(dashboardRoute(dashboard));
  return app;
}
