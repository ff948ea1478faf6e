import { createRouter, createRoute, lazyRouteComponent, redirect, createRootRoute } from "@tanstack/react-router";
import { loadTexts } from "./language.ts";
import { readAuditSearch } from "./pages/audit/route.ts";
import { readNewBindingSearch } from "./pages/binding/route.ts";
import { readBindingsSearch } from "./pages/bindings/route.ts";
import { readDevelopersSearch } from "./pages/developers/route.ts";
import { readEventsSearch } from "./pages/events/route.ts";
import { readGettingStartedSearch } from "./pages/getting-started/route.ts";
import { readHomeSearch } from "./pages/home/route.ts";
import { readLogSearch } from "./pages/log/route.ts";
import { readOperationsSearch } from "./pages/operations/route.ts";
import { readPhoneSearch } from "./pages/phone/route.ts";
import { readPrivacySearch } from "./pages/privacy/route.ts";
import { readProblemsSearch } from "./pages/problems/route.ts";
import { readScheduledSearch } from "./pages/scheduled/route.ts";
import { readSitesSearch } from "./pages/sites/route.ts";
import { readStatisticsSearch } from "./pages/statistics/route.ts";
import { readNewTemplateSearch } from "./pages/template/route.ts";
import { readGallerySearch, readTemplatesSearch } from "./pages/templates/route.ts";
import { readWebhooksSearch } from "./pages/webhooks/route.ts";
import { paths } from "./paths.ts";
import { readSignInSearch } from "./session.tsx";
import { CardFailure } from "./ui/page-states.tsx";

/** A page that loads with the texts of its folder and of the folders that it takes parts from. */
const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  folders: readonly string[],
  load: () => Promise<Module>,
  name: Name,
) =>
  lazyRouteComponent(async () => {
    await loadTexts(...folders);
    return load();
  }, name);

const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  validateSearch: readSignInSearch,
  component: lazyPage(["account-links"], () => import("./pages/account-links/sign-in-page.tsx"), "SignInPage"),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: paths.signUp,
  component: lazyPage(["account-links"], () => import("./pages/account-links/joining-pages.tsx"), "SignUpPage"),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: paths.invite,
  component: lazyPage(["account-links"], () => import("./pages/account-links/joining-pages.tsx"), "InvitePage"),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  component: lazyPage(["account-links"], () => import("./pages/account-links/joining-pages.tsx"), "ResetPasswordPage"),
});

const confirmAlerts = createRoute({
  getParentRoute: () => root,
  path: paths.confirmAlerts,
  component: lazyPage(["account-links"], () => import("./pages/account-links/confirm-pages.tsx"), "ConfirmAlertsPage"),
});

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: paths.confirmEmail,
  component: lazyPage(["account-links"], () => import("./pages/account-links/confirm-pages.tsx"), "ConfirmEmailPage"),
});

const unknown = createRoute({
  getParentRoute: () => root,
  path: "$",
  component: lazyPage(["shell", "shared"], () => import("./pages/shell/shell.tsx"), "UnknownPage"),
});

const root = createRootRoute({ errorComponent: CardFailure });

/** Pages without a session. */
const openPages = [signIn, signUp, invite, resetPassword, confirmAlerts, confirmEmail, unknown] as const;

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: lazyPage(["shell", "shared"], () => import("./pages/shell/shell.tsx"), "SignedInLayout"),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: paths.home,
  validateSearch: readHomeSearch,
  component: lazyPage(["home"], () => import("./pages/home/home-page.tsx"), "HomePage"),
});

const gettingStarted = createRoute({
  getParentRoute: () => signedIn,
  path: paths.gettingStarted,
  validateSearch: readGettingStartedSearch,
  component: lazyPage(
    ["getting-started", "site", "sites"],
    () => import("./pages/getting-started/getting-started-page.tsx"),
    "GettingStartedPage",
  ),
});

/** The earlier path of the page. */
const firstDay = createRoute({
  getParentRoute: () => signedIn,
  path: "/first-day",
  beforeLoad: () => redirect({ to: paths.gettingStarted, throw: true }),
});

const log = createRoute({
  getParentRoute: () => signedIn,
  path: paths.log,
  validateSearch: readLogSearch,
  component: lazyPage(["log"], () => import("./pages/log/log-page.tsx"), "LogPage"),
});

const order = createRoute({
  getParentRoute: () => signedIn,
  path: paths.order,
  component: lazyPage(["order"], () => import("./pages/order/order-page.tsx"), "OrderPage"),
});

const customer = createRoute({
  getParentRoute: () => signedIn,
  path: paths.customer,
  component: lazyPage(["customer", "order"], () => import("./pages/customer/customer-page.tsx"), "CustomerPage"),
});

const scheduled = createRoute({
  getParentRoute: () => signedIn,
  path: paths.scheduled,
  validateSearch: readScheduledSearch,
  component: lazyPage(["scheduled"], () => import("./pages/scheduled/scheduled-page.tsx"), "ScheduledPage"),
});

const operations = createRoute({
  getParentRoute: () => signedIn,
  path: paths.operations,
  validateSearch: readOperationsSearch,
  component: lazyPage(["operations"], () => import("./pages/operations/operations-page.tsx"), "OperationsPage"),
});

const statistics = createRoute({
  getParentRoute: () => signedIn,
  path: paths.statistics,
  validateSearch: readStatisticsSearch,
  component: lazyPage(["statistics"], () => import("./pages/statistics/statistics-page.tsx"), "StatisticsPage"),
});

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: paths.webhooks,
  validateSearch: readWebhooksSearch,
  component: lazyPage(["webhooks"], () => import("./pages/webhooks/webhooks-page.tsx"), "WebhooksPage"),
});

const events = createRoute({
  getParentRoute: () => signedIn,
  path: paths.events,
  validateSearch: readEventsSearch,
  component: lazyPage(["events", "binding", "log"], () => import("./pages/events/events-page.tsx"), "EventsPage"),
});

const phone = createRoute({
  getParentRoute: () => signedIn,
  path: paths.phone,
  validateSearch: readPhoneSearch,
  component: lazyPage(["phone"], () => import("./pages/phone/phone-page.tsx"), "PhonePage"),
});

const sites = createRoute({
  getParentRoute: () => signedIn,
  path: paths.sites,
  validateSearch: readSitesSearch,
  component: lazyPage(["sites"], () => import("./pages/sites/sites-page.tsx"), "SitesPage"),
});

const site = createRoute({
  getParentRoute: () => signedIn,
  path: paths.site,
  component: lazyPage(["site"], () => import("./pages/site/site-page.tsx"), "SitePage"),
});

const bindings = createRoute({
  getParentRoute: () => signedIn,
  path: paths.bindings,
  validateSearch: readBindingsSearch,
  component: lazyPage(["bindings"], () => import("./pages/bindings/bindings-page.tsx"), "BindingsPage"),
});

const newBinding = createRoute({
  getParentRoute: () => signedIn,
  path: paths.newBinding,
  validateSearch: readNewBindingSearch,
  component: lazyPage(["binding"], () => import("./pages/binding/binding-page.tsx"), "NewBindingPage"),
});

const binding = createRoute({
  getParentRoute: () => signedIn,
  path: paths.binding,
  component: lazyPage(["binding"], () => import("./pages/binding/binding-page.tsx"), "BindingPage"),
});

const templates = createRoute({
  getParentRoute: () => signedIn,
  path: paths.templates,
  validateSearch: readTemplatesSearch,
  component: lazyPage(["templates"], () => import("./pages/templates/templates-page.tsx"), "TemplatesPage"),
});

const newTemplate = createRoute({
  getParentRoute: () => signedIn,
  path: paths.newTemplate,
  validateSearch: readNewTemplateSearch,
  component: lazyPage(["template"], () => import("./pages/template/template-page.tsx"), "NewTemplatePage"),
});

const templateGallery = createRoute({
  getParentRoute: () => signedIn,
  path: paths.templateGallery,
  validateSearch: readGallerySearch,
  component: lazyPage(["templates"], () => import("./pages/templates/gallery-page.tsx"), "GalleryPage"),
});

const template = createRoute({
  getParentRoute: () => signedIn,
  path: paths.template,
  component: lazyPage(["template"], () => import("./pages/template/template-page.tsx"), "TemplatePage"),
});

const developers = createRoute({
  getParentRoute: () => signedIn,
  path: paths.developers,
  validateSearch: readDevelopersSearch,
  component: lazyPage(["developers"], () => import("./pages/developers/developers-page.tsx"), "DevelopersPage"),
});

const topic = createRoute({
  getParentRoute: () => signedIn,
  path: paths.topic,
  component: lazyPage(["developers"], () => import("./pages/developers/developers-page.tsx"), "TopicPage"),
});

const general = createRoute({
  getParentRoute: () => signedIn,
  path: paths.general,
  component: lazyPage(["general"], () => import("./pages/general/general-page.tsx"), "GeneralPage"),
});

const platform = createRoute({
  getParentRoute: () => signedIn,
  path: paths.platform,
  component: lazyPage(["platform"], () => import("./pages/platform/platform-page.tsx"), "PlatformPage"),
});

const privacy = createRoute({
  getParentRoute: () => signedIn,
  path: paths.privacy,
  validateSearch: readPrivacySearch,
  component: lazyPage(["privacy"], () => import("./pages/privacy/privacy-page.tsx"), "PrivacyPage"),
});

const assistant = createRoute({
  getParentRoute: () => signedIn,
  path: paths.assistant,
  component: lazyPage(["assistant"], () => import("./pages/assistant/assistant-page.tsx"), "AssistantPage"),
});

const problems = createRoute({
  getParentRoute: () => signedIn,
  path: paths.problems,
  validateSearch: readProblemsSearch,
  component: lazyPage(["problems"], () => import("./pages/problems/problems-page.tsx"), "ProblemsPage"),
});

const alerts = createRoute({
  getParentRoute: () => signedIn,
  path: paths.alerts,
  component: lazyPage(["alerts"], () => import("./pages/alerts/alerts-page.tsx"), "AlertsPage"),
});

const people = createRoute({
  getParentRoute: () => signedIn,
  path: paths.people,
  component: lazyPage(["people"], () => import("./pages/people/people-page.tsx"), "PeoplePage"),
});

const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: paths.tokens,
  component: lazyPage(["tokens"], () => import("./pages/tokens/tokens-page.tsx"), "TokensPage"),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: paths.audit,
  validateSearch: readAuditSearch,
  component: lazyPage(["audit"], () => import("./pages/audit/audit-page.tsx"), "AuditPage"),
});

const myAccount = createRoute({
  getParentRoute: () => signedIn,
  path: paths.myAccount,
  component: lazyPage(["my-account"], () => import("./pages/my-account/my-account-page.tsx"), "MyAccountPage"),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: paths.settings,
  beforeLoad: () => redirect({ to: paths.general, throw: true }),
});

/** Pages inside the frame of the dashboard. */
const signedInPages = signedIn.addChildren([
  home,
  gettingStarted,
  firstDay,
  log,
  order,
  customer,
  scheduled,
  operations,
  statistics,
  webhooks,
  events,
  phone,
  sites,
  site,
  bindings,
  newBinding,
  binding,
  templates,
  newTemplate,
  templateGallery,
  template,
  developers,
  topic,
  general,
  assistant,
  platform,
  privacy,
  problems,
  alerts,
  people,
  tokens,
  audit,
  myAccount,
  settings,
]);

export const router = createRouter({
  routeTree: root.addChildren([...openPages, signedInPages]),
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
