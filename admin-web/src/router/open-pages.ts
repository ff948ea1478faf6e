import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { paths } from "../paths.ts";
import { readSignInSearch } from "../session/next-path.ts";
import { root } from "./root.ts";

const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  validateSearch: readSignInSearch,
  component: lazyRouteComponent(() => import("../routes/sign-in/sign-in-page.tsx"), "SignInPage"),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: paths.signUp,
  component: lazyRouteComponent(() => import("../routes/sign-up/sign-up-page.tsx"), "SignUpPage"),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: paths.invite,
  component: lazyRouteComponent(() => import("../routes/invite/invite-page.tsx"), "InvitePage"),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  component: lazyRouteComponent(() => import("../routes/reset-password/reset-password-page.tsx"), "ResetPasswordPage"),
});

const unknown = createRoute({
  getParentRoute: () => root,
  path: "$",
  component: lazyRouteComponent(() => import("../routes/signed-in/unknown-page.tsx"), "UnknownPage"),
});

/** What opens without a session. */
export const openPages = [signIn, signUp, invite, resetPassword, unknown] as const;
