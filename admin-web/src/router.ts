import { createRouter, createRoute, lazyRouteComponent, redirect, createRootRoute } from "@tanstack/react-router";
import { readAuditSearch } from "./pages/audit/route.ts";
import { readNewBindingSearch } from "./pages/binding/route.ts";
import { readBindingsSearch } from "./pages/bindings/route.ts";
import { readDevelopersSearch } from "./pages/developers/route.ts";
import { readEventsSearch } from "./pages/events/route.ts";
import { readGettingStartedSearch } from "./pages/getting-started/route.ts";
import { readHomeSearch } from "./pages/home/route.ts";
import { readLogSearch } from "./pages/log/route.ts";
import { readPhoneSearch } from "./pages/phone/route.ts";
import { readPrivacySearch } from "./pages/privacy/route.ts";
import { readScheduledSearch } from "./pages/scheduled/route.ts";
import { readSitesSearch } from "./pages/sites/route.ts";
import { readNewTemplateSearch } from "./pages/template/route.ts";
import { readGallerySearch, readTemplatesSearch } from "./pages/templates/route.ts";
import { readWebhooksSearch } from "./pages/webhooks/route.ts";
import { paths } from "./paths.ts";
import { readSignInSearch } from "./session.tsx";
import { CardFailure } from "./ui/page-states.tsx";

const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  validateSearch: readSignInSearch,
  component: lazyRouteComponent(() => import("./pages/account-links/sign-in-page.tsx"), "SignInPage"),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: paths.signUp,
  component: lazyRouteComponent(() => import("./pages/account-links/joining-pages.tsx"), "SignUpPage"),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: paths.invite,
  component: lazyRouteComponent(() => import("./pages/account-links/joining-pages.tsx"), "InvitePage"),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  component: lazyRouteComponent(() => import("./pages/account-links/joining-pages.tsx"), "ResetPasswordPage"),
});

const unknown = createRoute({
  getParentRoute: () => root,
  path: "$",
  component: lazyRouteComponent(() => import("./pages/shell/shell.tsx"), "UnknownPage"),
});

const root = createRootRoute({ errorComponent: CardFailure });

/** Pages without a session. */
const openPages = [signIn, signUp, invite, resetPassword, unknown] as const;

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: lazyRouteComponent(() => import("./pages/shell/shell.tsx"), "SignedInLayout"),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: paths.home,
  validateSearch: readHomeSearch,
  component: lazyRouteComponent(() => import("./pages/home/home-page.tsx"), "HomePage"),
});

const gettingStarted = createRoute({
  getParentRoute: () => signedIn,
  path: paths.gettingStarted,
  validateSearch: readGettingStartedSearch,
  component: lazyRouteComponent(() => import("./pages/getting-started/getting-started-page.tsx"), "GettingStartedPage"),
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
  component: lazyRouteComponent(() => import("./pages/log/log-page.tsx"), "LogPage"),
});

const order = createRoute({
  getParentRoute: () => signedIn,
  path: paths.order,
  component: lazyRouteComponent(() => import("./pages/order/order-page.tsx"), "OrderPage"),
});

const scheduled = createRoute({
  getParentRoute: () => signedIn,
  path: paths.scheduled,
  validateSearch: readScheduledSearch,
  component: lazyRouteComponent(() => import("./pages/scheduled/scheduled-page.tsx"), "ScheduledPage"),
});

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: paths.webhooks,
  validateSearch: readWebhooksSearch,
  component: lazyRouteComponent(() => import("./pages/webhooks/webhooks-page.tsx"), "WebhooksPage"),
});

const events = createRoute({
  getParentRoute: () => signedIn,
  path: paths.events,
  validateSearch: readEventsSearch,
  component: lazyRouteComponent(() => import("./pages/events/events-page.tsx"), "EventsPage"),
});

const phone = createRoute({
  getParentRoute: () => signedIn,
  path: paths.phone,
  validateSearch: readPhoneSearch,
  component: lazyRouteComponent(() => import("./pages/phone/phone-page.tsx"), "PhonePage"),
});

const sites = createRoute({
  getParentRoute: () => signedIn,
  path: paths.sites,
  validateSearch: readSitesSearch,
  component: lazyRouteComponent(() => import("./pages/sites/sites-page.tsx"), "SitesPage"),
});

const site = createRoute({
  getParentRoute: () => signedIn,
  path: paths.site,
  component: lazyRouteComponent(() => import("./pages/site/site-page.tsx"), "SitePage"),
});

const bindings = createRoute({
  getParentRoute: () => signedIn,
  path: paths.bindings,
  validateSearch: readBindingsSearch,
  component: lazyRouteComponent(() => import("./pages/bindings/bindings-page.tsx"), "BindingsPage"),
});

const newBinding = createRoute({
  getParentRoute: () => signedIn,
  path: paths.newBinding,
  validateSearch: readNewBindingSearch,
  component: lazyRouteComponent(() => import("./pages/binding/binding-page.tsx"), "NewBindingPage"),
});

const binding = createRoute({
  getParentRoute: () => signedIn,
  path: paths.binding,
  component: lazyRouteComponent(() => import("./pages/binding/binding-page.tsx"), "BindingPage"),
});

const templates = createRoute({
  getParentRoute: () => signedIn,
  path: paths.templates,
  validateSearch: readTemplatesSearch,
  component: lazyRouteComponent(() => import("./pages/templates/templates-page.tsx"), "TemplatesPage"),
});

const newTemplate = createRoute({
  getParentRoute: () => signedIn,
  path: paths.newTemplate,
  validateSearch: readNewTemplateSearch,
  component: lazyRouteComponent(() => import("./pages/template/template-page.tsx"), "NewTemplatePage"),
});

const templateGallery = createRoute({
  getParentRoute: () => signedIn,
  path: paths.templateGallery,
  validateSearch: readGallerySearch,
  component: lazyRouteComponent(() => import("./pages/templates/gallery-page.tsx"), "GalleryPage"),
});

const template = createRoute({
  getParentRoute: () => signedIn,
  path: paths.template,
  component: lazyRouteComponent(() => import("./pages/template/template-page.tsx"), "TemplatePage"),
});

const developers = createRoute({
  getParentRoute: () => signedIn,
  path: paths.developers,
  validateSearch: readDevelopersSearch,
  component: lazyRouteComponent(() => import("./pages/developers/developers-page.tsx"), "DevelopersPage"),
});

const topic = createRoute({
  getParentRoute: () => signedIn,
  path: paths.topic,
  component: lazyRouteComponent(() => import("./pages/developers/developers-page.tsx"), "TopicPage"),
});

const general = createRoute({
  getParentRoute: () => signedIn,
  path: paths.general,
  component: lazyRouteComponent(() => import("./pages/general/general-page.tsx"), "GeneralPage"),
});

const platform = createRoute({
  getParentRoute: () => signedIn,
  path: paths.platform,
  component: lazyRouteComponent(() => import("./pages/platform/platform-page.tsx"), "PlatformPage"),
});

const privacy = createRoute({
  getParentRoute: () => signedIn,
  path: paths.privacy,
  validateSearch: readPrivacySearch,
  component: lazyRouteComponent(() => import("./pages/privacy/privacy-page.tsx"), "PrivacyPage"),
});

const people = createRoute({
  getParentRoute: () => signedIn,
  path: paths.people,
  component: lazyRouteComponent(() => import("./pages/people/people-page.tsx"), "PeoplePage"),
});

const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: paths.tokens,
  component: lazyRouteComponent(() => import("./pages/tokens/tokens-page.tsx"), "TokensPage"),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: paths.audit,
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import("./pages/audit/audit-page.tsx"), "AuditPage"),
});

const myAccount = createRoute({
  getParentRoute: () => signedIn,
  path: paths.myAccount,
  component: lazyRouteComponent(() => import("./pages/my-account/my-account-page.tsx"), "MyAccountPage"),
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
  scheduled,
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
  platform,
  privacy,
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
