/**
 * Serves routes on an HTTP server. Addresses are matched to the letter, and nothing is logged per
 * request: answers are counted, and only what was unforeseen is written down.
 */

import type { Layer } from "effect"
import { HttpRouter } from "effect/http"

/** Serves everything `routes` adds to the router, behind the edge, which must be among them. */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false
    }
  })
