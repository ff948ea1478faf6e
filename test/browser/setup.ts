import type { TestProject } from "vitest/node";
import { buildDashboard } from "./build.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the built dashboard lies, and what its build printed. */
    dashboardDirectory: string;
    dashboardOutput: string;
  }
}

/** One build of the dashboard for all browser tests; removed afterwards. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const dashboard = await buildDashboard();
  project.provide("dashboardDirectory", dashboard.directory);
  project.provide("dashboardOutput", dashboard.output);
  return async () => dashboard[Symbol.asyncDispose]();
};
