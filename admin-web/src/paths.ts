import type { SiteTab } from "./pages/site/route.ts";

/** Every path of the dashboard. */
export const paths = {
  home: "/",
  signIn: "/sign-in",
  signUp: "/sign-up",
  /** The server links to these, with the token in the hash. */
  invite: "/invite",
  resetPassword: "/reset-password",
  confirmAlerts: "/confirm-alerts",
  confirmEmail: "/confirm-email",
  gettingStarted: "/getting-started",
  log: "/log",
  order: "/orders/$orderId",
  customer: "/customers/$phone",
  scheduled: "/scheduled",
  problems: "/problems",
  operations: "/operations",
  statistics: "/statistics",
  webhooks: "/webhooks",
  endpoint: "/webhooks/$endpointId",
  events: "/events",
  phone: "/phone",
  sites: "/sites",
  site: "/sites/$siteId",
  bindings: "/bindings",
  newBinding: "/bindings/new",
  binding: "/bindings/$bindingId",
  templates: "/templates",
  newTemplate: "/templates/new",
  templateGallery: "/templates/gallery",
  template: "/templates/$templateId",
  developers: "/developers",
  topic: "/developers/$topic",
  settings: "/settings",
  general: "/settings/general",
  platform: "/settings/platform",
  assistant: "/settings/assistant",
  alerts: "/settings/alerts",
  people: "/settings/people",
  signInSettings: "/settings/sign-in",
  tokens: "/settings/tokens",
  privacy: "/settings/privacy",
  audit: "/settings/audit",
  myAccount: "/settings/account",
} as const;

/** Where the page of one thing is, as a link to it takes it. */
export const pages = {
  site: (siteId: string, tab?: SiteTab) => ({ to: paths.site, params: { siteId }, search: { tab } }),
  binding: (bindingId: string) => ({ to: paths.binding, params: { bindingId } }),
  template: (templateId: string) => ({ to: paths.template, params: { templateId } }),
  customer: (phone: string) => ({ to: paths.customer, params: { phone } }),
  order: (orderId: string) => ({ to: paths.order, params: { orderId } }),
  event: (open: string) => ({ to: paths.events, search: { open } }),
  message: (open: string) => ({ to: paths.log, search: { open } }),
  endpoint: (endpointId: string) => ({ to: paths.endpoint, params: { endpointId } }),
  topic: (topic: string) => ({ to: paths.topic, params: { topic } }),
};

/** Served by the admin server. */
export const auditCsv = "/export/audit.csv";
export const statisticsCsv = "/export/statistics.csv";
export const notificationsCsv = "/export/notifications.csv";
/** Header files of templates: POST with `?name=`, GET by id. */
export const mediaFiles = "/media";
export const mediaFile = (id: string): string => `${mediaFiles}/${id}`;

/** The address to which a backend posts an event, with `{event}` for its name. */
export const ingestAddress = (gatewayUrl: string, source: string): string => `${gatewayUrl}/api/public/ingest/${source}/{event}`;
