/**
 * Serves routes on an HTTP server, behind the edge. Addresses are matched to the letter, and nothing is
 * logged per request: answers are counted, and only what was unforeseen is written down.
 */
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as Edge from "./edge/edge.ts"
import * as Surface from "./surface/surface.ts"

/** Serves everything `routes` adds to the router and to the surface of the catalogue. */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>, options: Edge.Options = {}) => {
  const beside = Layer.provideMerge(Edge.layer(options), Layer.fresh(Surface.layer))
  return HttpRouter.serve(Layer.provide(routes, beside), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: Surface.matching
  })
}
