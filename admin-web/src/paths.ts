/** Every address of the dashboard, and those of the server that its pages link to. */
export const paths = {
  home: "/",
  signIn: "/sign-in",
  signUp: "/sign-up",
  /** With the token after the #. The server makes links to both. */
  invite: "/invite",
  resetPassword: "/reset-password",
  gettingStarted: "/getting-started",
  log: "/log",
  order: "/orders/$orderId",
  events: "/events",
  phone: "/phone",
  sites: "/sites",
  site: "/sites/$siteId",
  bindings: "/bindings",
  newBinding: "/bindings/new",
  binding: "/bindings/$bindingId",
  templates: "/templates",
  newTemplate: "/templates/new",
  template: "/templates/$templateId",
  developers: "/developers",
  topic: "/developers/$topic",
  settings: "/settings",
  general: "/settings/general",
  platform: "/settings/platform",
  people: "/settings/people",
  tokens: "/settings/tokens",
  privacy: "/settings/privacy",
  audit: "/settings/audit",
  myAccount: "/settings/account",
} as const;

/** The server's own, outside the pages. */
export const auditCsv = "/export/audit.csv";
export const notificationsCsv = "/export/notifications.csv";
/** Files of templates' headers: uploaded here with `?name=`, and shown by their id. */
export const mediaFiles = "/media";
export const mediaFile = (id: string): string => `${mediaFiles}/${id}`;

/** Where a backend posts an event; its name takes the place of `{event}`. `gatewayUrl`: as the settings tell it. */
export const ingestAddress = (gatewayUrl: string, source: string): string => `${gatewayUrl}/api/public/ingest/${source}/{event}`;
