/** Every address of the dashboard, and those of the server that its pages link to. */
export const paths = {
  home: "/",
  signIn: "/sign-in",
  signUp: "/sign-up",
  /** With the token after the #. The server makes links to both. */
  invite: "/invite",
  resetPassword: "/reset-password",
  settings: "/settings",
  people: "/settings/people",
  tokens: "/settings/tokens",
  audit: "/settings/audit",
  myAccount: "/settings/account",
} as const;

/** The server's own, outside the pages. */
export const auditCsv = "/export/audit.csv";
