import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { paths } from "../paths.ts";
import { readAuditSearch } from "../routes/audit/audit-search.ts";
import { readNewBindingSearch } from "../routes/binding/new-binding-search.ts";
import { readBindingsSearch } from "../routes/bindings/bindings-search.ts";
import { readDevelopersSearch } from "../routes/developers/developers-search.ts";
import { readEventsSearch } from "../routes/events/events-search.ts";
import { readFirstDaySearch } from "../routes/first-day/steps.ts";
import { readHomeSearch } from "../routes/home/home-search.ts";
import { readLogSearch } from "../routes/log/log-search.ts";
import { readPhoneSearch } from "../routes/phone/phone-search.ts";
import { readPrivacySearch } from "../routes/privacy/privacy-search.ts";
import { readSitesSearch } from "../routes/sites/sites-search.ts";
import { readNewTemplateSearch } from "../routes/template/new-template-search.ts";
import { readTemplatesSearch } from "../routes/templates/templates-search.ts";
import { root } from "./root.ts";

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: lazyRouteComponent(() => import("../routes/signed-in/signed-in-layout.tsx"), "SignedInLayout"),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: paths.home,
  validateSearch: readHomeSearch,
  component: lazyRouteComponent(() => import("../routes/home/home-page.tsx"), "HomePage"),
});

const firstDay = createRoute({
  getParentRoute: () => signedIn,
  path: paths.firstDay,
  validateSearch: readFirstDaySearch,
  component: lazyRouteComponent(() => import("../routes/first-day/first-day-page.tsx"), "FirstDayPage"),
});

const log = createRoute({
  getParentRoute: () => signedIn,
  path: paths.log,
  validateSearch: readLogSearch,
  component: lazyRouteComponent(() => import("../routes/log/log-page.tsx"), "LogPage"),
});

const order = createRoute({
  getParentRoute: () => signedIn,
  path: paths.order,
  component: lazyRouteComponent(() => import("../routes/order/order-page.tsx"), "OrderPage"),
});

const events = createRoute({
  getParentRoute: () => signedIn,
  path: paths.events,
  validateSearch: readEventsSearch,
  component: lazyRouteComponent(() => import("../routes/events/events-page.tsx"), "EventsPage"),
});

const phone = createRoute({
  getParentRoute: () => signedIn,
  path: paths.phone,
  validateSearch: readPhoneSearch,
  component: lazyRouteComponent(() => import("../routes/phone/phone-page.tsx"), "PhonePage"),
});

const sites = createRoute({
  getParentRoute: () => signedIn,
  path: paths.sites,
  validateSearch: readSitesSearch,
  component: lazyRouteComponent(() => import("../routes/sites/sites-page.tsx"), "SitesPage"),
});

const site = createRoute({
  getParentRoute: () => signedIn,
  path: paths.site,
  component: lazyRouteComponent(() => import("../routes/site/site-page.tsx"), "SitePage"),
});

const bindings = createRoute({
  getParentRoute: () => signedIn,
  path: paths.bindings,
  validateSearch: readBindingsSearch,
  component: lazyRouteComponent(() => import("../routes/bindings/bindings-page.tsx"), "BindingsPage"),
});

const newBinding = createRoute({
  getParentRoute: () => signedIn,
  path: paths.newBinding,
  validateSearch: readNewBindingSearch,
  component: lazyRouteComponent(() => import("../routes/binding/new-binding-page.tsx"), "NewBindingPage"),
});

const binding = createRoute({
  getParentRoute: () => signedIn,
  path: paths.binding,
  component: lazyRouteComponent(() => import("../routes/binding/binding-page.tsx"), "BindingPage"),
});

const templates = createRoute({
  getParentRoute: () => signedIn,
  path: paths.templates,
  validateSearch: readTemplatesSearch,
  component: lazyRouteComponent(() => import("../routes/templates/templates-page.tsx"), "TemplatesPage"),
});

const newTemplate = createRoute({
  getParentRoute: () => signedIn,
  path: paths.newTemplate,
  validateSearch: readNewTemplateSearch,
  component: lazyRouteComponent(() => import("../routes/template/new-template-page.tsx"), "NewTemplatePage"),
});

const template = createRoute({
  getParentRoute: () => signedIn,
  path: paths.template,
  component: lazyRouteComponent(() => import("../routes/template/template-page.tsx"), "TemplatePage"),
});

const developers = createRoute({
  getParentRoute: () => signedIn,
  path: paths.developers,
  validateSearch: readDevelopersSearch,
  component: lazyRouteComponent(() => import("../routes/developers/developers-page.tsx"), "DevelopersPage"),
});

const topic = createRoute({
  getParentRoute: () => signedIn,
  path: paths.topic,
  component: lazyRouteComponent(() => import("../routes/developers/topic-page.tsx"), "TopicPage"),
});

const general = createRoute({
  getParentRoute: () => signedIn,
  path: paths.general,
  component: lazyRouteComponent(() => import("../routes/general/general-page.tsx"), "GeneralPage"),
});

const platform = createRoute({
  getParentRoute: () => signedIn,
  path: paths.platform,
  component: lazyRouteComponent(() => import("../routes/platform/platform-page.tsx"), "PlatformPage"),
});

const privacy = createRoute({
  getParentRoute: () => signedIn,
  path: paths.privacy,
  validateSearch: readPrivacySearch,
  component: lazyRouteComponent(() => import("../routes/privacy/privacy-page.tsx"), "PrivacyPage"),
});

const people = createRoute({
  getParentRoute: () => signedIn,
  path: paths.people,
  component: lazyRouteComponent(() => import("../routes/people/people-page.tsx"), "PeoplePage"),
});

const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: paths.tokens,
  component: lazyRouteComponent(() => import("../routes/tokens/tokens-page.tsx"), "TokensPage"),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: paths.audit,
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import("../routes/audit/audit-page.tsx"), "AuditPage"),
});

const myAccount = createRoute({
  getParentRoute: () => signedIn,
  path: paths.myAccount,
  component: lazyRouteComponent(() => import("../routes/my-account/my-account-page.tsx"), "MyAccountPage"),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: paths.settings,
  beforeLoad: () => redirect({ to: paths.general, throw: true }),
});

/** What only who is signed in sees, in the shell. */
export const signedInPages = signedIn.addChildren([
  home,
  firstDay,
  log,
  order,
  events,
  phone,
  sites,
  site,
  bindings,
  newBinding,
  binding,
  templates,
  newTemplate,
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
