import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../faults/harness/scale.ts";
import allLooks from "./looks.json" with { type: "json" };
import { fitsItsWindow, lead, looksRight, type WatchedPage } from "./stack.ts";
import { describeInBrowser, type Opened } from "./support.ts";

interface Look {
  /** The path; a part that begins with `$` stands for an id of the shop or of its parts: see `idsOfShop`. */
  path: string;
  /** A text that shows once the page is there. */
  landmark: string;
  as: "owner" | "viewer" | "nobody";
}

const looks = allLooks as Look[];

/** The page of a path, whatever it shows. */
const pageOf = (path: string): string =>
  path.replace(/[?#].*/u, "").replace(/^\/(sites|bindings|templates|customers)\/(?!new|gallery).+/u, "/$1/one");

/** The usual run looks at each page once, by the rules of axe at every third, in the light and the dark by turns; the long run at all that it may show, in both. */
const looked = looks.filter(({ path }, at) => isLong || at === looks.findIndex((look) => pageOf(look.path) === pageOf(path)));

describeInBrowser("how every page looks", (opened) => {
  let ids: Awaited<ReturnType<typeof idsOfShop>>;
  const pages = new Map<Look["as"], WatchedPage>();

  beforeAll(async () => {
    const { open, owner, viewer } = opened();
    await owner.client.tokens.create.mutate({ name: "Everyday", role: "viewer" });
    ids = await idsOfShop(opened());
    const tokens = { owner: owner.token, viewer: viewer.token, nobody: undefined };
    for (const as of ["nobody", "viewer", "owner"] as const) pages.set(as, await open({ token: tokens[as] }));
  });

  afterAll(async () => {
    for (const watched of pages.values()) await watched[Symbol.asyncDispose]();
  });

  test.each(looked)("$path ($as) is accessible, quiet, of files alone and no wider than the window", async (look) => {
    const { path, landmark, as } = look;
    const watched = pages.get(as);
    if (watched === undefined) throw new Error(`no page is open as ${as}`);
    const { page } = watched;
    await lead(
      page,
      path.replace(/\$\w+/u, (name) => ids[name] ?? name),
    );
    await page.getByText(landmark).filter({ visible: true }).first().waitFor();
    const place = looked.indexOf(look);
    await page.emulateMedia({ colorScheme: isLong || place % 2 === 0 ? "light" : "dark" });
    await (isLong || place % 3 === 0 ? looksRight(watched, {}) : fitsItsWindow(page));
    expect(await page.locator("style").count()).toBe(0);
    expect(watched.problems.splice(0)).toEqual([]);
  });
});

async function idsOfShop({ owner }: Opened): Promise<Record<string, string | undefined>> {
  const { sites, bindings, notifications, events, users } = owner.client;
  const siteId = (await sites.list.query({ search: "Demo shop" })).items[0]?.id;
  const [binding] = (await bindings.list.query({ siteId })).items;
  const [message] = (await notifications.list.query({ siteId })).items;
  const [event] = (await events.list.query({ siteId, event: "order.created" })).items;
  const invitation = await users.invite.mutate({ email: "looker@example.com", role: "viewer" });
  return {
    $invitation: invitation.token,
    $siteId: siteId,
    $bindingId: binding?.id,
    $templateId: binding?.templateId,
    $messageId: message?.id,
    $eventId: event?.id,
    $phone: event?.recipient ?? undefined,
    $orderId: event?.orderId ?? undefined,
  };
}
