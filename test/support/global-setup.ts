/** Runs once around all test files: opens the desk that hands out databases, and closes it at the end. */
import type { TestProject } from "vitest/node"
import * as DatabaseDesk from "./database-desk.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** Where fresh databases are handed out. */
    readonly databaseDesk: string
  }
}

export default async function setup(project: TestProject) {
  const desk = await DatabaseDesk.open()
  project.provide("databaseDesk", desk.url)
  return desk.close
}
