/**
 * `bursar/http`: the REST API, the pages and the manual, as routes of Effect's HTTP server.
 *
 * @example
 * import { Health, NodeServer, serve } from "bursar/http"
 * import { Layer } from "effect"
 * export const server = serve(Health.layer({ checks: [] })).pipe(
 *   Layer.provide(NodeServer.layer({ port: 4000, host: "127.0.0.1" }))
 * )
 */

/** The console's calls, for people who are signed in with a passkey. */
export * as Console from "../../adapters/console/routes.ts"
/** `/healthz` and `/readyz`, and the metrics. */
export * as Health from "../../adapters/http/health.ts"
/** `/docs` and `/openapi.json`. */
export * as Manual from "../../adapters/http/manual/manual.ts"
/** A server of Node that disconnects slow clients; fails with `PortTaken` if the port is in use. */
export * as NodeServer from "../../adapters/http/node-server.ts"
/** Payment links, read once a second for all viewers. */
export * as RecentReads from "../../adapters/http/recent-reads.ts"
/** Every operation as a route under `/api/v1`. */
export * as Rest from "../../adapters/http/rest.ts"
/** Serves routes behind limits of size, rate and origin. */
export { serve } from "../../adapters/http/server.ts"
/** The checkout page and the console. */
export * as Pages from "../../adapters/pages/pages.ts"
