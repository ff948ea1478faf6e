import { connectPlatform } from "./connect-platform.ts";
import { openResources, type OpenResources, type ResourceCaller } from "./open-resources.ts";
import { startTemplatePlatform, type ListedTemplate, type TemplatePlatform } from "./template-platform.ts";

/** Procedures with a platform behind them. */
export interface TemplateShop extends AsyncDisposable {
  resources: OpenResources;
  platform: TemplatePlatform;
  /** A new account that is connected to the platform, which is empty then. */
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

/** A template as the platform lists it: approved and in English, unless `more` says otherwise. */
export const listed = (id: string, name: string, more: Partial<ListedTemplate> = {}): ListedTemplate => ({
  id,
  name,
  language: "en",
  status: "APPROVED",
  category: "UTILITY",
  components: [{ type: "BODY", text: `Hello from ${name}, all is well.` }],
  ...more,
});
