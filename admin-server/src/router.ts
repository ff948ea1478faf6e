import { alertsRouter } from "./api/alerts.ts";
import { assistantRouter, assistantSettingsRouter } from "./api/assistant.ts";
import { auditRouter } from "./api/audit.ts";
import { authRouter } from "./api/auth.ts";
import { backfillsRouter } from "./api/backfills.ts";
import { bindingsRouter } from "./api/bindings.ts";
import { siteTypesRouter } from "./api/event-types.ts";
import { eventsRouter } from "./api/events.ts";
import { filterValuesRouter } from "./api/filter-values.ts";
import { notificationsRouter } from "./api/notifications.ts";
import { operationsRouter } from "./api/operations.ts";
import { customersRouter, ordersRouter } from "./api/orders.ts";
import { optOutsRouter, peopleRouter } from "./api/privacy.ts";
import { problemsRouter } from "./api/problems.ts";
import { profileRouter } from "./api/profile.ts";
import { recipientsRouter } from "./api/recipients.ts";
import { requestedEventsRouter } from "./api/requested-events.ts";
import { sandboxRouter } from "./api/sandbox.ts";
import { secondFactorRouter } from "./api/second-factor.ts";
import { settingsRouter } from "./api/settings.ts";
import { type CallWithin, createSetupRouter } from "./api/setup.ts";
import { sitesRouter } from "./api/sites.ts";
import { statsRouter } from "./api/stats.ts";
import { tokensRouter } from "./api/tokens.ts";
import { usersRouter } from "./api/users.ts";
import { viewsRouter } from "./api/views.ts";
import { webhookDeliveriesRouter, webhookTailRouter, webhooksRouter } from "./api/webhooks.ts";
import { templatesRouter } from "./templates/router.ts";
import { mergeRouters, router } from "./trpc/trpc.ts";

/** Every procedure of the admin API. */
export const appRouter = router({
  assistant: assistantRouter,
  alerts: alertsRouter,
  audit: auditRouter,
  auth: mergeRouters(authRouter, profileRouter, secondFactorRouter),
  bindings: mergeRouters(bindingsRouter, backfillsRouter),
  customers: customersRouter,
  events: mergeRouters(eventsRouter, requestedEventsRouter),
  notifications: mergeRouters(notificationsRouter, filterValuesRouter),
  operations: operationsRouter,
  optOuts: optOutsRouter,
  people: peopleRouter,
  orders: ordersRouter,
  problems: problemsRouter,
  recipients: recipientsRouter,
  sandbox: sandboxRouter,
  settings: mergeRouters(settingsRouter, assistantSettingsRouter),
  setup: createSetupRouter(callWithin),
  sites: mergeRouters(sitesRouter, siteTypesRouter),
  stats: statsRouter,
  templates: templatesRouter,
  tokens: tokensRouter,
  users: usersRouter,
  views: viewsRouter,
  webhookDeliveries: webhookDeliveriesRouter,
  webhooks: mergeRouters(webhooksRouter, webhookTailRouter),
});

export type AppRouter = typeof appRouter;

/** Its type is written down, since that of the router is made of it. */
export function callWithin(...[context, path, input]: Parameters<CallWithin>): ReturnType<CallWithin> {
  const caller: unknown = appRouter.createCaller(context);
  const procedure = path.split(".").reduce((of, name) => (of as Record<string, unknown>)[name], caller);
  return (procedure as (input: object) => Promise<unknown>)(input);
}
