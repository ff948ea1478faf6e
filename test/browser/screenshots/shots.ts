import type { World } from "./fill/world.ts";

/** Who looks and how it goes: nobody signed in, an account without anything, one with everything, and a server that answers nothing. */
export type State = "nobody" | "empty" | "full" | "failing";

export interface Shot {
  name: string;
  path: string | ((world: World) => string);
  states: readonly State[];
  /** What is pressed before the picture is taken. */
  press?: string;
}

const all: readonly State[] = ["empty", "full", "failing"];
const one: readonly State[] = ["full", "failing"];

export const shots: Shot[] = [
  { name: "sign-in", path: "/sign-in", states: ["nobody"] },
  { name: "sign-up", path: "/sign-up", states: ["nobody"] },
  { name: "invite", path: "/invite#token", states: ["nobody"] },
  { name: "reset-password", path: "/reset-password#token", states: ["nobody"] },
  { name: "overview", path: "/", states: all },
  { name: "getting-started", path: "/getting-started", states: all },
  { name: "log", path: "/log", states: all },
  { name: "log-message", path: ({ failedId }) => `/log?open=${failedId}`, states: one },
  { name: "order", path: ({ orderId }) => `/orders/${orderId}`, states: one },
  { name: "events", path: "/events", states: all },
  { name: "events-event", path: ({ eventId }) => `/events?open=${eventId}`, states: one },
  { name: "phone", path: "/phone", states: all },
  { name: "sites", path: "/sites", states: all },
  { name: "sites-new", path: "/sites?create=true", states: ["full"] },
  { name: "site", path: ({ siteId }) => `/sites/${siteId}`, states: one },
  { name: "bindings", path: "/bindings", states: all },
  { name: "binding-new", path: "/bindings/new", states: ["empty", "full"] },
  { name: "binding", path: ({ bindingId }) => `/bindings/${bindingId}`, states: one },
  { name: "templates", path: "/templates", states: all },
  { name: "template-new", path: "/templates/new", states: ["full"] },
  { name: "template", path: ({ templateId }) => `/templates/${templateId}`, states: one },
  { name: "developers", path: "/developers", states: one },
  { name: "developers-topic", path: "/developers/events", states: one },
  { name: "general", path: "/settings/general", states: one },
  { name: "platform", path: "/settings/platform", states: one },
  { name: "people", path: "/settings/people", states: all },
  { name: "tokens", path: "/settings/tokens", states: all },
  { name: "privacy", path: "/settings/privacy", states: all },
  { name: "audit", path: "/settings/audit", states: one },
  { name: "my-account", path: "/settings/account", states: one },
  { name: "palette", path: "/", states: ["full"], press: "Control+k" },
  { name: "no-such-page", path: "/no/such/page", states: ["full"] },
];
