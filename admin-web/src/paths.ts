/** Every address of the dashboard. */
export const paths = {
  home: "/",
  signIn: "/sign-in",
  signUp: "/sign-up",
} as const;
