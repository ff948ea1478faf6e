import { auditRouter } from "./api/audit.ts";
import { authRouter } from "./api/auth.ts";
import { bindingsRouter } from "./api/bindings.ts";
import { eventsRouter } from "./api/events.ts";
import { notificationsRouter } from "./api/notifications.ts";
import { ordersRouter } from "./api/orders.ts";
import { passkeysRouter } from "./api/passkeys.ts";
import { optOutsRouter, peopleRouter } from "./api/privacy.ts";
import { recipientsRouter } from "./api/recipients.ts";
import { sandboxRouter } from "./api/sandbox.ts";
import { secondFactorRouter } from "./api/second-factor.ts";
import { settingsRouter } from "./api/settings.ts";
import { sitesRouter } from "./api/sites.ts";
import { statsRouter } from "./api/stats.ts";
import { tokensRouter } from "./api/tokens.ts";
import { usersRouter } from "./api/users.ts";
import { webhookDeliveriesRouter, webhooksRouter } from "./api/webhooks.ts";
import { templatesRouter } from "./templates/router.ts";
import { mergeRouters, router } from "./trpc/trpc.ts";

/** Every procedure of the admin API. */
export const appRouter = router({
  audit: auditRouter,
  auth: mergeRouters(authRouter, secondFactorRouter, passkeysRouter),
  bindings: bindingsRouter,
  events: eventsRouter,
  notifications: notificationsRouter,
  optOuts: optOutsRouter,
  people: peopleRouter,
  orders: ordersRouter,
  recipients: recipientsRouter,
  sandbox: sandboxRouter,
  settings: settingsRouter,
  sites: sitesRouter,
  stats: statsRouter,
  templates: templatesRouter,
  tokens: tokensRouter,
  users: usersRouter,
  webhookDeliveries: webhookDeliveriesRouter,
  webhooks: webhooksRouter,
});

export type AppRouter = typeof appRouter;
