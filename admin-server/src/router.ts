import { auditRouter } from "./resources/audit/router.ts";
import { authRouter } from "./resources/auth/router.ts";
import { bindingsRouter } from "./resources/bindings/router.ts";
import { eventsRouter } from "./resources/events/router.ts";
import { notificationsRouter } from "./resources/notifications/router.ts";
import { optOutsRouter } from "./resources/opt-outs/router.ts";
import { ordersRouter } from "./resources/orders/router.ts";
import { peopleRouter } from "./resources/people/router.ts";
import { recipientsRouter } from "./resources/recipients/router.ts";
import { sandboxRouter } from "./resources/sandbox/router.ts";
import { settingsRouter } from "./resources/settings/router.ts";
import { sitesRouter } from "./resources/sites/router.ts";
import { statsRouter } from "./resources/stats/router.ts";
import { templatesRouter } from "./resources/templates/router.ts";
import { tokensRouter } from "./resources/tokens/router.ts";
import { usersRouter } from "./resources/users/router.ts";
import { router } from "./trpc.ts";

/** Every procedure of the admin API. */
export const appRouter = router({
  audit: auditRouter,
  auth: authRouter,
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
});

export type AppRouter = typeof appRouter;
