import type { Browser } from "playwright-core";
import { addMember } from "../../support/admin.ts";
import { owner } from "../as-a-person.ts";
import { openStack, sendFirstMessage } from "../open-stack.ts";
import { openPage, type PageOptions } from "../watched-page.ts";

export type Opened = Awaited<ReturnType<typeof openCase>>;

/** One start of everything for all tests of the dashboard: an account with an owner, an operator and a viewer, and a first message. */
export async function openCase(browser: Browser | undefined) {
  const stack = await openStack();
  const { admin } = stack;
  const { token } = await admin.client().auth.signUp.mutate({ accountName: "Bean & Leaf", ...owner });
  await sendFirstMessage(stack);
  const client = admin.client(token);
  const operator = await addMember(admin, client, "operator", "oscar@example.com");
  const viewer = await addMember(admin, client, "viewer", "vera@example.com");
  return {
    ...stack,
    owner: { token, client },
    operator,
    viewer,
    /** A page of a browser session of its own. */
    open: (options?: PageOptions) => openPage(browser, admin.url, options),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

/** What a case's tests run in; made before the first of them. */
export type Case = () => Opened;
