import { createRouter } from "@tanstack/react-router";
import { openPages } from "./open-pages.ts";
import { root } from "./root.ts";
import { signedInPages } from "./signed-in-pages.ts";

export const router = createRouter({
  routeTree: root.addChildren([...openPages, signedInPages]),
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
