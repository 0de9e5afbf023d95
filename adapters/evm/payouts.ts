/**
 * Port Payouts on EVM chains: wallets sign EIP-3009 authorizations, a relayer carries them and pays the
 * gas. Signing needs the token's own domain, which is asked for once and kept.
 */
import { Effect, Layer } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import * as Chain from "../../core/chains/chain.ts"
import { Payouts } from "../../core/ports/payouts.ts"
import { Unwarranted, Warrant } from "../../core/proposals/warrant.ts"
import * as Authorizations from "./authorization.ts"
import * as Branch from "./branch.ts"
import * as Carrier from "./carrier.ts"
import * as Domain from "./domain.ts"
import * as Network from "./network.ts"
import * as Node from "./node.ts"
import { trace } from "./trace.ts"

export interface Options {
  /** The 64 bytes all wallets come from; a BIP-39 phrase is turned into them before. */
  readonly seed: Uint8Array
  readonly connections: ReadonlyArray<Node.Connection>
  /** Which relayer of the seed carries; two processes that do not share books need two. Default 0. */
  readonly relayerIndex?: number
}

interface Reached {
  readonly node: Node.Node
  domain?: Domain.Domain
}

const domainOf = (reached: Reached) =>
  Effect.suspend(() =>
    reached.domain === undefined
      ? Effect.tap(Domain.read(reached.node), (domain) =>
          Effect.sync(() => {
            reached.domain = domain
          })
        )
      : Effect.succeed(reached.domain)
  )

export const layer = ({
  seed,
  connections,
  relayerIndex = 0
}: Options): Layer.Layer<Payouts, never, Warrant> =>
  Layer.effect(
    Payouts,
    Effect.gen(function* () {
      const { demand } = yield* Warrant
      const walletKey = Branch.make(seed, Branch.walletPath)
      const relayerKey = Branch.make(seed, Branch.relayerPath)(relayerIndex)
      const relayer = privateKeyToAddress(relayerKey)
      const chains = connections.map((connection): Reached => ({ node: Node.make(connection) }))

      const reachedOf = (chainId: string) => {
        const reached = chains.find(({ node }) => node.connection.chain.id === chainId)
        return reached === undefined
          ? Effect.die(new Error(`Chain ${chainId} is not connected.`))
          : Effect.succeed(reached)
      }
      const on = <A>(
        chainId: string,
        use: (reached: Reached) => Effect.Effect<A, Parameters<typeof Node.translate>[1]>
      ) =>
        Effect.flatMap(reachedOf(chainId), (reached) =>
          Effect.mapError(use(reached), (failed) => Node.translate(reached.node, failed))
        )

      return {
        relayerAddress: (chainId) => Effect.as(reachedOf(chainId), relayer),
        // Conditions come first and read the domain; to sign without them on a silent chain is a defect.
        authorize: (order) =>
          Effect.gen(function* () {
            const domain = yield* on(order.chainId, domainOf)
            yield* demand(order)
            const address = privateKeyToAddress(walletKey(order.derivationIndex))
            if (address.toLowerCase() !== order.from.toLowerCase()) {
              return yield* Effect.die(
                new Unwarranted(order.proposalId, "the key is another wallet's")
              )
            }
            return yield* Effect.promise(() =>
              Authorizations.sign(walletKey(order.derivationIndex), domain, order)
            )
          }),
        conditions: (chainId) =>
          on(chainId, (reached) =>
            Effect.andThen(domainOf(reached), Network.conditions(reached.node, relayer))
          ),
        simulate: (authorization) =>
          on(authorization.chainId, ({ node }) => Network.simulate(node, relayer, authorization)),
        wrap: (authorization, relayerNonce, fees) =>
          Effect.flatMap(reachedOf(authorization.chainId), ({ node }) =>
            Effect.promise(() =>
              Carrier.wrap(
                relayerKey,
                Chain.eip155(node.connection.chain),
                authorization,
                relayerNonce,
                fees
              )
            )
          ),
        broadcast: (chainId, raw) => on(chainId, ({ node }) => Network.broadcast(node, raw)),
        trace: (authorization, carriers) =>
          Effect.flatMap(reachedOf(authorization.chainId), ({ node }) =>
            trace(node, authorization, carriers)
          )
      }
    })
  )
