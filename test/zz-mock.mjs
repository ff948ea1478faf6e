import http from "node:http";
import { readFileSync, existsSync } from "node:fs";
import { extname } from "node:path";
const web = "/work/main/admin-web/dist/web";
export const state = { signedIn: false, signUp: "closed", setup: false, messages: [], notes: [], fail: new Set(), sandbox: true, configured: true, problem: null };
const ok = (data) => ({ result: { data } });
const err = (code, message, issues = null) => ({ error: { message, code: -32000, data: { code, httpStatus: 400, issues } } });
const call = (name, input) => {
  if (state.fail.has(name)) return err("INTERNAL_SERVER_ERROR", "Something went wrong on the server. Try again; the server's log says more.");
  if (name === "auth.state") return ok({ signUp: state.signUp, setupCodeNeeded: state.setup });
  if (name === "auth.login") { if (input.password !== "right horse battery") return err("UNAUTHORIZED", "Wrong e-mail or password"); state.signedIn = true; return ok({ token: "x", user: {} }); }
  if (name === "auth.signUp") { if (input.email.startsWith("bad")) return err("BAD_REQUEST", "x", [{ path: ["password"], message: "Is one of the most common passwords: choose another" }]); state.signedIn = true; state.signUp = "closed"; return ok({}); }
  if (name === "auth.logout") { state.signedIn = false; return ok({}); }
  if (!state.signedIn) return err("UNAUTHORIZED", "Sign in first");
  if (name === "auth.me") return ok({ user: { id: "1", email: "ann@example.com", name: "Ann", role: "owner" }, account: { id: "1", name: "Bean & Leaf Coffee Roasters of Upper Austria" } });
  if (name === "settings.get") return ok({ timezone: "UTC", platform: { configured: state.configured, sandbox: state.sandbox, problem: state.problem } });
  if (name === "sandbox.messages") return ok({ items: state.messages, nextCursor: null });
  if (name === "notifications.list") return ok({ items: state.notes, nextCursor: null });
  return err("NOT_FOUND", name);
};
export const server = http.createServer(async (req, res) => {
  const url = new URL(req.url, "http://x");
  res.setHeader("Content-Security-Policy", "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' https:; base-uri 'none'; frame-ancestors 'none'");
  if (url.pathname.startsWith("/trpc/")) {
    const chunks = []; for await (const c of req) chunks.push(c);
    const names = url.pathname.slice(6).split(",");
    const inputs = JSON.parse(req.method === "GET" ? url.searchParams.get("input") ?? "{}" : Buffer.concat(chunks).toString() || "{}");
    if (state.down) { res.destroy(); return; }
    res.setHeader("content-type", "application/json");
    const out = names.map((n, i) => call(n, inputs[i]));
    res.statusCode = out.length === 1 && out[0].error ? 400 : 200;
    res.end(JSON.stringify(out));
    return;
  }
  const file = existsSync(web + url.pathname) && extname(url.pathname) ? web + url.pathname : web + "/index.html";
  res.setHeader("content-type", { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" }[extname(file)] ?? "text/html");
  res.end(readFileSync(file));
});
