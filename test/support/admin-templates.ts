import { connectPlatform, openResources, type OpenResources, type ResourceCaller } from "./admin.ts";
import { answeringServer, type Reply, type SeenRequest } from "./platform.ts";

/** Procedures with a platform behind them. */
export interface TemplateShop extends AsyncDisposable {
  resources: OpenResources;
  platform: TemplatePlatform;
  /** A new account that is connected to the platform, which has no templates then. */
  open(): Promise<{ api: ResourceCaller; accountId: string }>;
}

export async function startTemplateShop(): Promise<TemplateShop> {
  const platform = await startTemplatePlatform();
  const resources = await openResources({ platformUrl: platform.url });
  return {
    resources,
    platform,
    async open() {
      Object.assign(platform, { templates: [], changes: [], onList: null });
      platform.intercept(null);
      const account = await resources.account();
      await connectPlatform(resources, account.accountId);
      return account;
    },
    async [Symbol.asyncDispose]() {
      await resources[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
    },
  };
}

/** The input of a template without variables. */
export const plain = (name: string, language = "en") => ({ name, language, category: "UTILITY", body: "All is well with your order." });

/** A template in the form of the platform's list: approved and in English, unless `more` says otherwise. */
export const listed = (id: string, name: string, more: Partial<ListedTemplate> = {}): ListedTemplate => ({
  id,
  name,
  language: "en",
  status: "APPROVED",
  category: "UTILITY",
  components: [{ type: "BODY", text: `Hello from ${name}, all is well.` }],
  ...more,
});

/** A template in the form of the platform's list. */
export interface ListedTemplate {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  components: object[];
  rejected_reason?: string;
  quality_score?: { score: string; date: number };
  message_send_ttl_seconds?: number;
  source?: string;
}

export interface TemplatePlatform extends AsyncDisposable {
  url: string;
  /** The templates on the platform; the test may change them. */
  templates: ListedTemplate[];
  /** The calls that changed something, or tried to. */
  changes: SeenRequest[];
  /** Answers the next change instead of making it; the function runs while the call is under way. */
  intercept(reply: (() => Reply | Promise<Reply>) | null): void;
  /** Runs while a list is under way, after it was read; may answer in its place. */
  onList: (() => Promise<Reply | void>) | null;
}

const pageSize = 2;

/** The platform's template calls over templates held in memory. Lists are short pages; everything created is PENDING. */
export async function startTemplatePlatform(): Promise<TemplatePlatform> {
  let interception: (() => Reply | Promise<Reply>) | null = null;
  const server = await answeringServer(async (request) => {
    if (request.method === "GET") return await list(platform, Number(request.query.get("after") ?? 0));
    platform.changes.push(request);
    const taken = interception;
    interception = null;
    return taken === null ? change(platform.templates, request) : await taken();
  });
  const platform: TemplatePlatform = {
    url: server.url,
    templates: [],
    changes: [],
    intercept: (reply) => void (interception = reply),
    onList: null,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return platform;
}

/** An error in the platform's form. */
export const refusal = (subcode: number, words: string): Reply => ({
  status: 400,
  json: {
    error: {
      message: "Invalid parameter",
      type: "OAuthException",
      code: 100,
      error_subcode: subcode,
      error_user_msg: words,
      fbtrace_id: "T",
    },
  },
});

async function list(platform: TemplatePlatform, from: number): Promise<Reply> {
  const data = structuredClone(platform.templates.slice(from, from + pageSize));
  const more = from + pageSize < platform.templates.length;
  const paging = { cursors: { after: String(from + pageSize) }, ...(more && { next: "https://next.example" }) };
  return (await platform.onList?.()) ?? { json: { data, paging } };
}

let made = 0;

function change(templates: ListedTemplate[], { method, path, body, query }: SeenRequest): Reply {
  const [, , id] = path.split("/");
  if (method === "DELETE") {
    const at = templates.findIndex((template) => template.id === query.get("hsm_id"));
    return at < 0 ? refusal(2593002, "Message template not found") : (templates.splice(at, 1), { json: { success: true } });
  }
  const input = body as ListedTemplate;
  const edited = templates.find((template) => template.id === id);
  if (edited !== undefined) return (Object.assign(edited, input, { status: "PENDING" }), { json: { success: true } });
  const created = {
    id: String(7_000_000_000_000_000 + (made += 1)),
    name: input.name,
    language: input.language,
    status: "PENDING",
    category: input.category,
    components: input.components,
  };
  templates.push(created);
  return { json: { id: created.id, status: created.status, category: created.category } };
}
