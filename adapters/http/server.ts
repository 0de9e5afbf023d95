/**
 * Serves routes on an HTTP server, behind the edge. Addresses are matched to the letter, and nothing is
 * logged per request: answers are counted, and only what was unforeseen is written down.
 */
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as Edge from "./edge/edge.ts"

/** Serves everything `routes` adds to the router. */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>, options: Edge.Options = {}) =>
  HttpRouter.serve(Layer.provide(routes, Edge.layer(options)), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false
    }
  })
