/** The generated pages of the manual, by file name. Each is made of what the code runs on, never of a copy. */
import { bound } from "../../adapters/http/route.ts"
import { commandLinePage } from "./command-line.ts"
import { configuration } from "./configuration.ts"
import { errors } from "./errors.ts"
import { reference } from "./reference.ts"
import { waysPage } from "./ways.ts"
import { webhooks } from "./webhooks.ts"

/** Where the sandbox and a service with its defaults are reached. */
const siteUrl = "http://localhost:4000"

export const pages = async (): Promise<Readonly<Record<string, string>>> => ({
  "reference.md": reference(bound, siteUrl),
  "errors.md": errors(bound, siteUrl),
  "webhooks.md": await webhooks(),
  "configuration.md": configuration(),
  "command-line.md": commandLinePage(bound),
  "ways.md": waysPage()
})
