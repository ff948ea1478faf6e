import type { Context } from "koa";
import { readDocsBundle } from "shared/docs/bundle";
import { bundleFileName } from "shared/docs/topics";

let bundle: string | undefined;

/** The developer documentation as one Markdown file. Read once: it changes only with the program. */
export const answerDocs = (ctx: Context): void => {
  bundle ??= readDocsBundle();
  ctx.set("Content-Disposition", `attachment; filename="${bundleFileName}"`);
  ctx.type = "text/markdown; charset=utf-8";
  ctx.body = bundle;
};
