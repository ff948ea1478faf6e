import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { paths } from "./paths.ts";
import { readAuditSearch } from "./routes/audit/audit-search.ts";
import { readSignInSearch } from "./session/next-path.ts";
import { CardFailure } from "./ui/states/card-failure.tsx";

const root = createRootRoute({ errorComponent: CardFailure });

const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  validateSearch: readSignInSearch,
  component: lazyRouteComponent(() => import("./routes/sign-in/sign-in-page.tsx"), "SignInPage"),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: paths.signUp,
  component: lazyRouteComponent(() => import("./routes/sign-up/sign-up-page.tsx"), "SignUpPage"),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: paths.invite,
  component: lazyRouteComponent(() => import("./routes/invite/invite-page.tsx"), "InvitePage"),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  component: lazyRouteComponent(() => import("./routes/reset-password/reset-password-page.tsx"), "ResetPasswordPage"),
});

const unknown = createRoute({
  getParentRoute: () => root,
  path: "$",
  component: lazyRouteComponent(() => import("./routes/signed-in/unknown-page.tsx"), "UnknownPage"),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: lazyRouteComponent(() => import("./routes/signed-in/signed-in-layout.tsx"), "SignedInLayout"),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: paths.home,
  component: lazyRouteComponent(() => import("./routes/home/home-page.tsx"), "HomePage"),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: paths.settings,
  beforeLoad: () => redirect({ to: paths.myAccount, throw: true }),
});

const people = createRoute({
  getParentRoute: () => signedIn,
  path: paths.people,
  component: lazyRouteComponent(() => import("./routes/people/people-page.tsx"), "PeoplePage"),
});

const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: paths.tokens,
  component: lazyRouteComponent(() => import("./routes/tokens/tokens-page.tsx"), "TokensPage"),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: paths.audit,
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import("./routes/audit/audit-page.tsx"), "AuditPage"),
});

const myAccount = createRoute({
  getParentRoute: () => signedIn,
  path: paths.myAccount,
  component: lazyRouteComponent(() => import("./routes/my-account/my-account-page.tsx"), "MyAccountPage"),
});

const signedInPages = [home, settings, people, tokens, audit, myAccount] as const;

export const router = createRouter({
  routeTree: root.addChildren([signIn, signUp, invite, resetPassword, unknown, signedIn.addChildren(signedInPages)]),
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
