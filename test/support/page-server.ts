/** The pages, and what they post to, on a real node server at a free port, over the treasury of a test. */
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as Console from "../../adapters/console/routes.ts"
import * as NodeServer from "../../adapters/http/node-server.ts"
import * as RecentReads from "../../adapters/http/recent-reads.ts"
import { serve } from "../../adapters/http/server.ts"
import { pages } from "../../adapters/pages/pages.ts"
import * as OpenStreams from "../../adapters/pages/site/open-streams.ts"
import type * as Treasury from "./small-treasury.ts"

/** The pages on a socket, stopped when the scope closes; where they are served. */
export const served = (bounds?: OpenStreams.Bounds) =>
  Effect.gen(function* () {
    const ports = yield* Effect.context<Layer.Success<ReturnType<typeof Treasury.layer>>>()
    const service = OpenStreams.endingFirst.pipe(
      Layer.provideMerge(serve(Layer.mergeAll(pages(), Console.layer()))),
      Layer.provide(OpenStreams.layer(bounds)),
      Layer.provide(RecentReads.layer),
      Layer.provideMerge(NodeServer.layer({ port: 0, gracefulShutdownMs: 10_000 })),
      Layer.provide(Layer.succeedContext(ports))
    )
    const { address } = Context.get(yield* Layer.build(service), HttpServer.HttpServer)
    return NetAddress.formatUrlUnsafe(address)
  })
