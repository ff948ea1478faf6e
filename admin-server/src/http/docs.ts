import type { Middleware } from "koa";
import { readTopic } from "shared/docs/bundle";
import { type ApiDocument, referenceText } from "shared/docs/reference";
import { fillAddresses, isTopic, topics } from "shared/docs/topics";
import type { AdminContext } from "../context.ts";
import { adminDocument } from "../rest/openapi.ts";
import { packed } from "./trpc-route.ts";

/** The documentation as Markdown with this installation's addresses, for everybody: each page of the dashboard's with `.md` behind it, and `/llms.txt`, the list of them. */
export function docsRoute({ config }: AdminContext): Middleware {
  const { publicAdminUrl: admin, publicGatewayUrl: gateway } = config;
  const texts = new Map<string, string>();
  const write = (path: string): string | undefined => {
    if (path === "/llms.txt") return index(admin, gateway);
    const name = /^\/developers\/([\w-]+)\.md$/u.exec(path)?.[1] ?? "";
    if (name === "reference") return referenceText(adminDocument(admin) as ApiDocument);
    return isTopic(name) ? readTopic(name) : undefined;
  };
  return async (koa, next) => {
    if (!["GET", "HEAD"].includes(koa.method)) return next();
    if (koa.path === "/docs") return koa.redirect("/developers");
    const text = texts.get(koa.path) ?? write(koa.path);
    if (text === undefined) return next();
    const filled = fillAddresses(text, { gateway, admin });
    texts.set(koa.path, filled);
    koa.set({ "cache-control": "no-cache", "access-control-allow-origin": "*" });
    koa.body = await packed(koa, filled);
    koa.type = koa.path === "/llms.txt" ? "text/plain; charset=utf-8" : "text/markdown; charset=utf-8";
  };
}

/** The index as llmstxt.org describes it. */
function index(admin: string, gateway: string): string {
  const lines = topics.map((topic) => {
    const [heading = "", ...rest] = readTopic(topic).trim().split("\n\n");
    const first = rest.find((part) => /^[\w*`]/u.test(part))?.replaceAll("\n", " ") ?? "";
    // The first sentence: a dot within code ends none.
    const said = /^(?:`[^`]*`|[^`.]|\.(?! |$))*\.?/u.exec(first)?.[0] ?? "";
    return `- [${heading.replace(/^#+ /u, "")}](${admin}/developers/${topic}.md): ${said.replace(/:$/u, "")}`;
  });
  return `# Tidings

> A backend posts signed JSON events, Tidings turns them into approved WhatsApp template messages, sends them and tells what became of each.

## Reference

- [Every procedure](${admin}/developers/reference.md): input, answer and a call that was made
- [OpenAPI of the admin API](${admin}/api/openapi.json)
- [OpenAPI of the gateway](${gateway}/api/public/openapi.json)
- [All topics in one file](${gateway}/api/public/docs/bundle)

## Topics

${lines.join("\n")}
`;
}
