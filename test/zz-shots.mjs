import { chromium } from "playwright-core";
import sparticuz from "@sparticuz/chromium";
import { AxeBuilder } from "@axe-core/playwright";
import { server, state } from "./zz-mock.mjs";
await new Promise((r) => server.listen(0, "127.0.0.1", r));
const base = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: await sparticuz.executablePath(), args: ["--headless=new"], headless: true, chromiumSandbox: false });
console.log(browser.version());
const now = Date.now(); const iso = (m) => new Date(now - m * 60000).toISOString();
const full = () => { state.messages = [
 { id: "1", to: "+436601234567", template: "order_update", language: "en", text: "*Order 1042*\n\nHi Ann Smith, your order _1042_ over EUR 49.90 is on its way.\n\nBean & Leaf\n\n[Track it] https://shop.example/track/1042\n[Call us] +43123456", at: iso(1) },
 { id: "2", to: "+436601234567", template: "hello", language: "en", text: "[IMAGE] https://shop.example/a-very-long-path/with-many-parts/that-goes-on/image.png\n\nJust a plain line", at: iso(3000) } ];
 const st = ["queued", "sending", "sent", "delivered", "read", "failed"];
 state.notes = st.map((status, i) => ({ id: "n" + i, toPhone: "+43660123456" + i, template: i == 3 ? "a_template_with_a_rather_long_name_that_does_not_end_soon_enough_for_a_phone" : "order_update", language: "en_US", status, createdAt: iso(i * 700), errorCode: status === "failed" ? "131026" : null, errorReason: status === "failed" ? "Message undeliverable: the recipient is not on the messenger or has not accepted the terms" : null })); };
const problems = [];
for (const scheme of (process.env.S ?? "light,dark").split(",")) {
  for (const width of (process.env.W ?? "360,1440").split(",").map(Number)) {
    const shot = async (name, prep, act) => {
      Object.assign(state, { signedIn: false, signUp: "closed", setup: false, messages: [], notes: [], sandbox: true, configured: true, problem: null, down: false }); state.fail = new Set();
      prep();
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme });
      const page = await context.newPage();
      const expected = /Failed to load resource/;
      page.on("console", (m) => { if (!["log", "info", "debug"].includes(m.type()) && !expected.test(m.text())) problems.push(`${name} ${scheme} ${width}: ${m.type()} ${m.text()}`); });
      page.on("pageerror", (e) => problems.push(`${name}: ${e.message}`));
      await page.goto(base + "/");
      await act?.(page);
      await page.waitForLoadState("networkidle");
      await page.waitForTimeout(300);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) problems.push(`${name} ${scheme} ${width}: sideways ${wide}`);
      const axe = await new AxeBuilder({ page }).analyze();
      for (const v of axe.violations) problems.push(`${name} ${scheme} ${width}: axe ${v.id} ${v.nodes.map((n) => n.html + " " + n.any.map((a) => a.message).join()).join(" | ").slice(0, 600)}`);
      await page.screenshot({ path: `/tmp/shots/${name}-${scheme}-${width}.png`, fullPage: true });
      await context.close();
    };
    await shot("sign-in", () => {});
    await shot("sign-in-wrong", () => { state.signUp = "open"; }, async (p) => { await p.getByLabel("E-mail").fill("a@b.co"); await p.getByLabel("Password", { exact: false }).first().fill("no"); await p.getByRole("button", { name: "Sign in" }).click(); await p.getByRole("alert").waitFor(); });
    await shot("sign-up", () => { state.signUp = "first"; state.setup = true; }, async (p) => { await p.getByRole("heading", { name: "Set up" }).waitFor(); });
    await shot("sign-up-bad", () => { state.signUp = "first"; }, async (p) => { await p.getByLabel("Account name").fill("x"); await p.getByLabel("E-mail").fill("a@b"); await p.getByLabel("Password", { exact: false }).first().fill("no"); await p.getByRole("button", { name: "Open the account" }).click(); await p.getByText("Must have").waitFor(); });
    await shot("home-empty", () => { state.signedIn = true; }, (p) => p.getByText("Nothing was sent yet").waitFor());
    await shot("home-full", () => { state.signedIn = true; full(); }, (p) => p.getByText("on its way").waitFor());
    await shot("home-failing", () => { state.signedIn = true; state.fail = new Set(["sandbox.messages", "notifications.list"]); state.problem = { code: "190", reason: "Access token expired", since: iso(10) }; }, (p) => p.getByText("The log could not").waitFor());
    await shot("down", () => { state.down = true; }, (p) => p.getByRole("alert").waitFor());
    await shot("no-platform", () => { state.signedIn = true; state.configured = false; }, (p) => p.getByText("No messaging platform").waitFor());
    await shot("not-found", () => { state.signedIn = true; }, async (p) => { await p.goto(base + "/nowhere/at/all"); await p.getByText("No such page").waitFor(); });
  }
}
console.log([...new Set(problems)].join("\n") || "no problems");
await browser.close(); server.close(); server.closeAllConnections();
