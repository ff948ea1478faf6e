// Mutation tests, run from the repository's root by `npm run mutate`. What is mutated; vitest.mutation.config.ts says which tests must notice.

const target = process.env.MUTATION_TARGET ?? "core";

const mutate = {
  core: ["shared/src/{core,secrets}/**/*.ts"],
  spine: ["gateway/src/ingest/**/*.ts", "shared/src/db/batch/*.ts"],
}[target];

export default {
  mutate: [...mutate, "!**/*.test.ts"],
  testRunner: "vitest",
  // By its address: from where Stryker itself lies, a package of this folder is not found.
  plugins: [import.meta.resolve("@stryker-mutator/vitest-runner")],
  vitest: { configFile: "test/vitest.mutation.config.ts" },
  coverageAnalysis: "perTest",
  concurrency: 2,
  // An endless loop is found by counting; this only has to be longer than a busy machine takes.
  timeoutMS: 30_000,
  thresholds: { high: 95, low: 85, break: 85 },
  ignorePatterns: [".cache", ".data", "dist", "admin-web/{src,pictures}", "coverage"],
  tempDirName: ".cache/mutation/sandbox",
  incremental: true,
  incrementalFile: `.cache/mutation/${target}.incremental.json`,
  reporters: ["progress-append-only", "clear-text", "html", "json"],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: `.cache/mutation/${target}.html` },
  jsonReporter: { fileName: `.cache/mutation/${target}.json` },
};
