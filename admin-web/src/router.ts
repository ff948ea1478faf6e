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
import { readSiteSearch } from "./pages/site/route.ts";
import { readSitesSearch } from "./pages/sites/route.ts";
import { readStatisticsSearch } from "./pages/statistics/route.ts";
import { readNewTemplateSearch } from "./pages/template/route.ts";
import { readGallerySearch, readTemplatesSearch } from "./pages/templates/route.ts";
import { readTokensSearch } from "./pages/tokens/route.ts";
import { readWebhooksSearch } from "./pages/webhooks/route.ts";
import { paths } from "./paths.ts";
import { readSignInSearch } from "./session.tsx";
import { CardFailure } from "./ui/base/page.tsx";

/** A page that loads with the texts of its folder and of the folders that it takes parts from. */
const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  name: Name,
  folders: readonly string[],
  load: () => Promise<Module>,
) =>
  lazyRouteComponent(async () => {
    await loadTexts(...folders);
    return load();
  }, name);

const root = createRootRoute({ errorComponent: CardFailure });

const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  validateSearch: readSignInSearch,
  component: lazyPage("SignInPage", ["account-links"], () => import("./pages/account-links/sign-in-page.tsx")),
});

/** How the pages of a parent that have no search parameters are made. */
const pageIn =
  <Parent extends typeof root | typeof signedIn>(parent: Parent) =>
  <Path extends string, Module extends Record<string, unknown>, Name extends keyof Module & string>(
    path: Path,
    name: Name,
    folders: readonly string[],
    load: () => Promise<Module>,
  ) =>
    createRoute({ getParentRoute: () => parent, path, component: lazyPage(name, folders, load) });

const openPage = pageIn(root);

/** Pages without a session. */
const openPages = [
  signIn,
  openPage(paths.signUp, "SignUpPage", ["account-links"], () => import("./pages/account-links/joining-pages.tsx")),
  openPage(paths.invite, "InvitePage", ["account-links", "shared"], () => import("./pages/account-links/joining-pages.tsx")),
  openPage(paths.resetPassword, "ResetPasswordPage", ["account-links"], () => import("./pages/account-links/joining-pages.tsx")),
  openPage(paths.confirmAlerts, "ConfirmAlertsPage", ["account-links"], () => import("./pages/account-links/confirm-pages.tsx")),
  openPage(paths.confirmEmail, "ConfirmEmailPage", ["account-links"], () => import("./pages/account-links/confirm-pages.tsx")),
  openPage("$", "UnknownPage", ["shell", "shared"], () => import("./pages/shell/shell.tsx")),
] as const;

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: lazyPage("SignedInLayout", ["shell", "shared"], () => import("./pages/shell/shell.tsx")),
});

/** A page in the frame. */
const page = pageIn(signedIn);

/** A page in the frame with search parameters. What else an address has, as links of mails do, is left out, since the API refuses what it does not know. */
const asked = <Path extends string, Search extends object, Module extends Record<string, unknown>, Name extends keyof Module & string>(
  path: Path,
  validateSearch: (search: Record<string, unknown>) => Search,
  name: Name,
  folders: readonly string[],
  load: () => Promise<Module>,
) =>
  createRoute({
    getParentRoute: () => signedIn,
    path,
    validateSearch,
    beforeLoad: ({ location: { pathname: to, search: given } }) => {
      const search = validateSearch(given);
      if (Object.keys(given).some((member) => !(member in search))) redirect({ to, search: search as never, replace: true, throw: true });
    },
    component: lazyPage(name, folders, load),
  });

/** A path without a page of its own. */
const leading = <Path extends string>(path: Path, to: string) =>
  createRoute({ getParentRoute: () => signedIn, path, beforeLoad: () => redirect({ to, throw: true }) });

/** Pages inside the frame of the dashboard. */
const signedInPages = signedIn.addChildren([
  asked(paths.home, readHomeSearch, "HomePage", ["home"], () => import("./pages/home/home-page.tsx")),
  asked(
    paths.gettingStarted,
    readGettingStartedSearch,
    "GettingStartedPage",
    ["getting-started", "site", "sites"],
    () => import("./pages/getting-started/getting-started-page.tsx"),
  ),
  // The earlier path of the page.
  leading("/first-day", paths.gettingStarted),
  asked(paths.log, readLogSearch, "LogPage", ["log"], () => import("./pages/log/log-page.tsx")),
  page(paths.order, "OrderPage", ["order"], () => import("./pages/order/order-page.tsx")),
  page(paths.customer, "CustomerPage", ["customer", "order"], () => import("./pages/customer/customer-page.tsx")),
  asked(paths.scheduled, readScheduledSearch, "ScheduledPage", ["scheduled", "log"], () => import("./pages/scheduled/scheduled-page.tsx")),
  asked(paths.operations, readOperationsSearch, "OperationsPage", ["operations"], () => import("./pages/operations/operations-page.tsx")),
  asked(paths.statistics, readStatisticsSearch, "StatisticsPage", ["statistics"], () => import("./pages/statistics/statistics-page.tsx")),
  asked(paths.webhooks, readWebhooksSearch, "WebhooksPage", ["webhooks", "site"], () => import("./pages/webhooks/webhooks-page.tsx")),
  asked(paths.endpoint, readWebhooksSearch, "EndpointPage", ["webhooks", "site"], () => import("./pages/webhooks/endpoint-page.tsx")),
  asked(paths.events, readEventsSearch, "EventsPage", ["events", "binding", "log"], () => import("./pages/events/events-page.tsx")),
  asked(paths.phone, readPhoneSearch, "PhonePage", ["phone"], () => import("./pages/phone/phone-page.tsx")),
  asked(paths.sites, readSitesSearch, "SitesPage", ["sites"], () => import("./pages/sites/sites-page.tsx")),
  asked(paths.site, readSiteSearch, "SitePage", ["site"], () => import("./pages/site/site-page.tsx")),
  asked(paths.bindings, readBindingsSearch, "BindingsPage", ["bindings"], () => import("./pages/bindings/bindings-page.tsx")),
  asked(paths.newBinding, readNewBindingSearch, "NewBindingPage", ["binding"], () => import("./pages/binding/binding-page.tsx")),
  page(paths.binding, "BindingPage", ["binding"], () => import("./pages/binding/binding-page.tsx")),
  asked(paths.templates, readTemplatesSearch, "TemplatesPage", ["templates"], () => import("./pages/templates/templates-page.tsx")),
  asked(paths.newTemplate, readNewTemplateSearch, "NewTemplatePage", ["template"], () => import("./pages/template/template-page.tsx")),
  asked(paths.templateGallery, readGallerySearch, "GalleryPage", ["templates"], () => import("./pages/templates/gallery-page.tsx")),
  page(paths.template, "TemplatePage", ["template"], () => import("./pages/template/template-page.tsx")),
  asked(paths.developers, readDevelopersSearch, "DevelopersPage", ["developers"], () => import("./pages/developers/developers-page.tsx")),
  page(paths.topic, "TopicPage", ["developers"], () => import("./pages/developers/developers-page.tsx")),
  page(paths.general, "GeneralPage", ["general"], () => import("./pages/general/general-page.tsx")),
  page(paths.assistant, "AssistantPage", ["assistant"], () => import("./pages/assistant/assistant-page.tsx")),
  page(paths.platform, "PlatformPage", ["platform"], () => import("./pages/platform/platform-page.tsx")),
  asked(paths.privacy, readPrivacySearch, "PrivacyPage", ["privacy"], () => import("./pages/privacy/privacy-page.tsx")),
  asked(paths.problems, readProblemsSearch, "ProblemsPage", ["problems"], () => import("./pages/problems/problems-page.tsx")),
  page(paths.alerts, "AlertsPage", ["alerts"], () => import("./pages/alerts/alerts-page.tsx")),
  page(paths.people, "PeoplePage", ["people"], () => import("./pages/people/people-page.tsx")),
  page(paths.signInSettings, "SignInSettingsPage", ["general"], () => import("./pages/general/sign-in-page.tsx")),
  asked(paths.tokens, readTokensSearch, "TokensPage", ["tokens"], () => import("./pages/tokens/tokens-page.tsx")),
  asked(paths.audit, readAuditSearch, "AuditPage", ["audit"], () => import("./pages/audit/audit-page.tsx")),
  page(paths.myAccount, "MyAccountPage", ["my-account"], () => import("./pages/my-account/my-account-page.tsx")),
  leading(paths.settings, paths.general),
]);

export const router = createRouter({ routeTree: root.addChildren([...openPages, signedInPages]), defaultPreload: "intent" });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
