/**
 * Port EvmRelay on EVM chains: wallets sign EIP-3009 transfers and EIP-2612 permits, a relayer carries them
 * and pays the gas. Signing needs the token's own domain, which is asked for once and kept.
 */
import { Effect, Layer } from "effect"
import { bytesToHex, hexToBytes } from "viem/utils"
import { shown } from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { type Order, SigningDenied } from "../../core/submissions/order.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import * as Authorizations from "./authorization.ts"
import { callRelay } from "./calls.ts"
import * as Domain from "./domain.ts"
import { findPayment } from "./find-payment.ts"
import { madeBy } from "./made-payments.ts"
import * as Network from "./network.ts"
import * as Node from "./node.ts"
import * as Permit from "./permit.ts"
import type { RelayerKey } from "./relayer-key.ts"
import * as RelayerTransaction from "./relayer-transaction.ts"
import { trace } from "./trace.ts"

export interface Options {
  readonly relayer: RelayerKey
  readonly connections: ReadonlyArray<Node.Connection>
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

/** Conditions come first and read the domain; to sign without them on a silent chain is a defect. */
const authorize = Effect.fnUntraced(function* (
  reached: Reached,
  sign: WalletKeys["Service"]["sign"],
  order: Order
) {
  const { node } = reached
  const told = Effect.mapError((failed: Parameters<typeof Node.translate>[1]) =>
    Node.translate(node, failed)
  )
  // What is made below is a transfer or a permit; nothing else warrants them.
  if (order.act !== "transfer" && order.act !== "permit") {
    return yield* Effect.die(new SigningDenied(order.proposalId, "it is no transfer or permit"))
  }
  const domain = yield* told(domainOf(reached))
  const { authorization, digest } =
    order.act === "permit"
      ? Permit.unsigned(domain, order, yield* told(Permit.count(node, order.from)))
      : Authorizations.unsigned(domain, order)
  const request = { order, token: authorization.token, bytes: hexToBytes(digest) }
  const signature = yield* sign(order.key, "secp256k1", request)
  return { ...authorization, signature: bytesToHex(signature) }
})

export const layer = ({
  connections,
  relayer
}: Options): Layer.Layer<EvmRelay, never, WalletKeys> =>
  Layer.effect(
    EvmRelay,
    Effect.gen(function* () {
      const { sign } = yield* WalletKeys
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
      const place = (chainId: string, relayerNonce: number) =>
        Effect.map(reachedOf(chainId), ({ node }): RelayerTransaction.Place => {
          const chainNumber = Chain.eip155(node.connection.chain)
          return { relayer, chainNumber, relayerNonce }
        })

      return {
        ...callRelay({ on: (chainId, use) => on(chainId, ({ node }) => use(node)), place, sign }),
        relayerAddress: (chainId) =>
          Effect.map(Effect.andThen(reachedOf(chainId), relayer.address), (address) =>
            shown(chainId, address)
          ),
        tokenName: (chainId) =>
          Effect.map(on(chainId, domainOf), ({ name, version }) => ({ name, version })),
        madeBy: (chainId, wallets, reach) =>
          on(chainId, ({ node }) => madeBy(node, wallets, reach)),
        findPayment: (payment) => on(payment.chainId, ({ node }) => findPayment(node, payment)),
        authorize: (order) =>
          Effect.flatMap(reachedOf(order.chainId), (reached) => authorize(reached, sign, order)),
        conditions: (chainId) =>
          on(chainId, (reached) =>
            Effect.gen(function* () {
              yield* domainOf(reached)
              return yield* Network.conditions(reached.node, yield* relayer.address)
            })
          ),
        simulate: (authorization) =>
          on(authorization.chainId, ({ node }) =>
            Effect.flatMap(relayer.address, (from) => Network.simulate(node, from, authorization))
          ),
        wrap: (authorization, relayerNonce, fees) =>
          Effect.flatMap(place(authorization.chainId, relayerNonce), (at) =>
            RelayerTransaction.wrap(at, authorization, fees)
          ),
        fill: (chainId, relayerNonce, fees) =>
          Effect.flatMap(place(chainId, relayerNonce), (at) => RelayerTransaction.fill(at, fees)),
        broadcast: (chainId, raw) => on(chainId, ({ node }) => Network.broadcast(node, raw)),
        trace: (authorization, attempts, depth) =>
          Effect.flatMap(reachedOf(authorization.chainId), ({ node }) =>
            trace(node, authorization, attempts, depth)
          )
      }
    })
  )
