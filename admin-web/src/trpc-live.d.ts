/** A copy of the library's entry in a chunk of its own: the entry that every page loads is rid of what only live views use. */
declare module "@trpc/client?live" {
  export { httpSubscriptionLink } from "@trpc/client";
}
