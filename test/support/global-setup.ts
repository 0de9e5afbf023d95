/** Runs once around all test files: opens the server that hands out databases and the folder of what they share, and closes them at the end. */
import type { TestProject } from "vitest/node"
import * as DatabaseServer from "./database-server.ts"
import * as SharedBuilds from "./shared-builds.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** Where fresh databases are handed out. */
    readonly databaseServer: string
  }
}

export default async function setup(project: TestProject) {
  const server = await DatabaseServer.open()
  project.provide("databaseServer", server.url)
  const builds = SharedBuilds.open()
  project.onTestsRerun(builds.empty)
  return async () => {
    builds.close()
    await server.close()
  }
}
