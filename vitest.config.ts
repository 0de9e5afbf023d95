/** How tests run: every `*.test.ts` below `test/`, around one PostgreSQL server that starts when first asked for. */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
