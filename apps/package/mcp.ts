/**
 * `bursar/mcp`: every operation as a tool for agents, at `/api/mcp`.
 *
 * @example
 * import { serve } from "bursar/http"
 * import * as Tools from "bursar/mcp"
 * export const server = serve(Tools.layer({ origins: ["https://agents.example.com"] }))
 */

/** The routes of the tools, the protocol's versions they speak, and their options. */
export { layer, type Options, versions } from "../../adapters/mcp/server.ts"
