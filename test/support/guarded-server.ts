/** A node server with the guards of a test's choice, over routes of its own. */
import { Context, Effect, Layer } from "effect"
import { type HttpRouter, HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import type * as Guards from "../../adapters/http/guards/guards.ts"
import * as NodeServer from "../../adapters/http/node-server.ts"
import { serve } from "../../adapters/http/server.ts"
import * as Treasury from "./small-treasury.ts"

export const off = {
  connections: "off",
  door: "off",
  inOrder: "off",
  slowReaders: "off",
  unsentBytes: "off"
} as const

/** Serves the routes behind these guards alone; gives the port. */
export const served = <E>(
  routes: Layer.Layer<never, E, HttpRouter.HttpRouter>,
  guards: Guards.Options
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      serve(routes).pipe(
        Layer.provideMerge(
          NodeServer.layer({ port: 0, gracefulShutdownMs: 100, guards: { ...off, ...guards } })
        ),
        Layer.provide(Treasury.layer())
      )
    )
    const { address } = Context.get(context, HttpServer.HttpServer)
    return Number(new URL(NetAddress.formatUrlUnsafe(address)).port)
  })
