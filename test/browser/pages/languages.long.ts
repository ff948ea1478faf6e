import { readFileSync } from "node:fs";
import { join } from "node:path";
import { demoVariableMap } from "admin-server/cli/demo";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { root } from "../../support/process.ts";
import { accessibilityProblems, lead, looksRight, sidewaysScroll } from "../stack.ts";
import { describeInBrowser, detail, type Opened, ownShop } from "../support.ts";

/** Every path of the dashboard, from its own list. */
const paths = Array.from(
  readFileSync(join(root, "admin-web/src/paths.ts"), "utf8").matchAll(/^ {2}\w+: "(\/[^"]*)",$/gmu),
  ([, path = ""]) => path,
);

describeInBrowser("the languages of the dashboard", (opened) => {
  test("German is what a German browser gets, with its numbers, dates and sentences that are made of data, until another language is chosen", async () => {
    const { page } = await opened().visit("owner", "/", { locale: "de-DE" });
    await page.getByRole("heading", { name: "Start", level: 1 }).waitFor();
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual(["de", "ltr"]);
    await page.getByText("100 %", { exact: false }).first().waitFor();
    await leadTo(page, "/log", "de-DE");
    await page.getByRole("table").getByText("gelesen").first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    const { siteId, failedId } = await failOne(opened());
    await leadTo(page, `/log?open=${failedId}`, "de-DE");
    const details = page.getByRole("dialog");
    await details.getByText("Text {{1}}: customer.first_name fehlt", { exact: true }).first().waitFor();
    await leadTo(page, `/bindings?siteId=${siteId}`, "de-DE");
    await page.getByText("customer.phone_e164 beginnt mit „+49“").first().waitFor();
    await page
      .getByTitle("sofort; höchstens 2-mal an ein Telefon (Zeitraum: 24 Stunden); nie mehr als 2 Stunden verspätet")
      .first()
      .waitFor();
    await leadTo(page, `/sites/${siteId}`, "de-DE");
    const card = page.getByRole("article", {
      name: "Kaffeehaus kann demo_order_confirmation nicht für jedes Ereignis order.created senden",
    });
    for (const shown of [
      "1 Nachricht fehlgeschlagen",
      /Text \{\{1\}\} ist leer: customer\.first_name fehlt\. Geben Sie der Variablen in dieser Regel einen Wert oder Ersatzwert/u,
    ])
      await card.getByText(shown).waitFor();

    await leadTo(page, "/settings/account", "de-DE");
    await page.getByRole("combobox", { name: "Sprache" }).selectOption("en");
    await page.getByRole("heading", { name: "My account" }).waitFor();
    await page.goto("/");
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();

    // What some systems call their language is no tag.
    await page.addInitScript(() => Object.defineProperty(navigator, "languages", { value: ["en-US@posix", "C"] }));
    await page.goto("/log");
    await page.getByRole("table").getByText("Read").first().waitFor();
  });

  const chosen = [
    ["de-DE", "de"],
    ["fr-FR", "en"],
  ] as const;
  for (const [locale, read] of chosen)
    detail(
      `a browser of ${locale} fetches the texts of the page in ${read} alone: all before any script has run, each once, and none of them in vain`,
      async () => {
        const { page } = await opened().visit("owner", undefined, { locale, expected: new RegExp(`/${read}/.* was preloaded`, "u") });
        let asked: string[] = [];
        page.on("request", (request) => {
          const [, text] = /\/assets\/texts-[^/]+\/(.+)\.json$/u.exec(request.url()) ?? [];
          if (text !== undefined) asked.push(text);
        });
        const texts = (language: string) => ["base", "home", "shared", "shell"].map((name) => `${language}/${name}`);
        const look = async (language: string) => {
          await page.route(/\/assets\/base-[^/]*\.js$/u, async (route) => {
            await expect.poll(() => asked.toSorted()).toEqual(texts(language));
            await route.continue();
          });
          // What the page before still asks for ends with it.
          await page.goto("about:blank");
          asked = [];
          await page.goto("/");
          await page.locator(`html[lang=${language}]`).waitFor();
          await page.getByRole("heading", { level: 1 }).waitFor();
          expect(asked.toSorted()).toEqual(texts(language));
          await page.unrouteAll();
        };
        await look(read);
        const other = read === "de" ? "es" : "de";
        await page.goto("/settings/account");
        const select = page.locator("select").filter({ has: page.locator(`option[value=${other}]`) });
        await select.selectOption(other);
        await page.locator(`html[lang=${other}]`).waitFor();
        await look(other);
        // The cookie for the server is deleted, as browsers do after some days: the next page sets it again.
        await page.context().clearCookies({ name: "tidings_language" });
        await page.goto("/no/such/page");
        await page.getByRole("heading", { level: 1 }).waitFor();
        await look(other);
      },
    );

  detail(
    "Arabic says why a sign-in is refused, and runs from right to left: accessible, no wider than the window, fields as they are read",
    async () => {
      const { owner, sql, admin, visit } = opened();
      const [binding] = await sql<[{ id: string }]>`select id from binding limit 1`;
      const watched = await visit(null, "/sign-in", { locale: "ar-EG" });
      const { page } = watched;
      await page.getByLabel(/^البريد الإلكتروني/u).fill("nobody@example.com");
      await page.getByLabel(/^كلمة المرور/u).fill("wrong");
      await page.getByRole("button", { name: "تسجيل الدخول", exact: true }).click();
      await page.getByRole("alert").getByText("عنوان البريد الإلكتروني أو كلمة المرور خطأ").waitFor();
      await page.context().addCookies([{ name: "tidings_session", value: owner.token, url: admin.url }]);
      await page.goto("about:blank");
      const paths = ["/", "/log", `/bindings/${binding.id}`, "/events", "/scheduled", "/settings/general"];
      for (const path of paths) {
        await leadTo(page, path, "ar");
        expect(await page.locator("body").innerText()).not.toMatch(/[٠-٩]/u);
        expect(await page.evaluate(() => [document.documentElement.lang, document.dir])).toEqual(["ar", "rtl"]);
        await looksRight(watched);
      }
      await leadTo(page, "/sites?create=true", "ar");
      const phone = page.locator('input[placeholder^="+"]');
      const style = (pseudo?: string) =>
        phone.evaluate((field, part) => {
          const { unicodeBidi, textAlign, direction } = getComputedStyle(field, part);
          return { unicodeBidi, textAlign, direction };
        }, pseudo);
      expect(await style()).toEqual({ unicodeBidi: "plaintext", textAlign: "right", direction: "rtl" });
      expect(await style("::placeholder")).toMatchObject({ unicodeBidi: "plaintext" });
    },
  );

  for (const locale of ["ar", "de-DE"] as const)
    detail(
      `in ${locale} every page is no wider than a phone, phones and addresses stand in their order, and numbers are numbers`,
      async () => {
        const { page } = await opened().visit("owner", undefined, { locale, width: 390 });
        const ids = await idsOfShop(opened());
        expect(paths.length).toBeGreaterThan(30);
        for (const path of paths) {
          await leadTo(
            page,
            path.replace(/\$\w+/u, (name) => ids[name] ?? name),
            locale,
          );
          await expect.poll(() => page.locator('[role="status"][aria-busy="true"], .mantine-Skeleton-root').count()).toBe(0);
          await expect.poll(() => sidewaysScroll(page), { message: path }).toBe(0);
          await expect.poll(() => turnedAround(page), { message: path }).toEqual([]);
          // The text that a number would show that is none.
          const noNumber = Number.NaN.toLocaleString(locale);
          expect([path, (await page.locator("body").innerText()).includes(noNumber)]).toEqual([path, false]);
        }
      },
    );
});

/** A shop whose binding has much to say, and a message that it could not fill. */
async function failOne(opened: Opened): Promise<{ siteId: string; failedId: string | undefined }> {
  const { site, order } = await ownShop(opened, "Kaffeehaus");
  const { bindings, notifications } = opened.owner.client;
  const body = { ...demoVariableMap.body, "1": { source: "field" as const, path: "customer.first_name" } };
  await bindings.update.mutate({
    id: (await bindings.list.query({ siteId: site.id })).items[0]?.id ?? "",
    variableMap: { ...demoVariableMap, body },
    conditions: { match: "all", rules: [{ path: "customer.phone_e164", op: "starts_with", value: "+49" }] },
    throttle: { max: 2, seconds: 86_400 },
    expiresSeconds: 7200,
  });
  await order("+4915112345678", "");
  return { siteId: site.id, failedId: (await notifications.list.query({ siteId: site.id })).items[0]?.id };
}

async function idsOfShop({ owner }: Opened): Promise<Record<string, string | undefined>> {
  const { sites, bindings, events } = owner.client;
  const siteId = (await sites.list.query({ search: "Demo shop" })).items[0]?.id;
  const [binding] = (await bindings.list.query({ siteId })).items;
  const [event] = (await events.list.query({ siteId, event: "order.created" })).items;
  return {
    $siteId: siteId,
    $bindingId: binding?.id,
    $templateId: binding?.templateId,
    $phone: event?.recipient ?? undefined,
    $orderId: event?.orderId ?? undefined,
    $topic: "authentication",
  };
}

const notFound = { ar: "الصفحة غير موجودة", "de-DE": "Seite nicht gefunden" } as const;

async function leadTo(page: Page, path: string, locale: keyof typeof notFound): Promise<void> {
  await lead(page, path, notFound[locale]);
  await page.getByText(notFound[locale]).waitFor({ state: "detached" });
  await page.getByRole("heading").first().waitFor();
}

/** Phones and addresses, each on one line, whose characters do not run from left to right. */
function turnedAround(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      for (const match of (node.nodeValue ?? "").matchAll(/\+\d{6,}|https?:\/\/[\w.:/-]*[\w/]/gu)) {
        const placeOf = (index: number): DOMRect => {
          const range = document.createRange();
          range.setStart(node, match.index + index);
          range.setEnd(node, match.index + index + 1);
          return range.getBoundingClientRect();
        };
        const places = Array.from(match[0], (_sign, index) => placeOf(index));
        const isTurned = places.some((place, index) => {
          const before = places[index - 1];
          return before !== undefined && before.width > 0 && before.top === place.top && place.left < before.left;
        });
        if (isTurned) found.push(match[0]);
      }
    }
    return found;
  });
}
