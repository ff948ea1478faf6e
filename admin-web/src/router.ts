import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { paths } from "./paths.ts";
import { NotFound } from "./ui/not-found.tsx";
import { PageFailure } from "./ui/page-failure.tsx";

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: PageFailure });

const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  component: lazyRouteComponent(() => import("./routes/sign-in/sign-in-page.tsx"), "SignInPage"),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: paths.signUp,
  component: lazyRouteComponent(() => import("./routes/sign-up/sign-up-page.tsx"), "SignUpPage"),
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

export const router = createRouter({
  routeTree: root.addChildren([signIn, signUp, signedIn.addChildren([home])]),
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
