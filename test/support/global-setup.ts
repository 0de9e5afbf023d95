/** Runs once around all test files: opens the server that hands out databases, and closes it at the end. */
import type { TestProject } from "vitest/node"
import * as DatabaseServer from "./database-server.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** Where fresh databases are handed out. */
    readonly databaseServer: string
  }
}

export default async function setup(project: TestProject) {
  const server = await DatabaseServer.open()
  project.provide("databaseServer", server.url)
  return server.close
}
