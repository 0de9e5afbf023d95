/** The chains of several families as one: each question goes to whoever is connected to its chain. */
import { Context, Effect, Layer } from "effect"
import { familyOf } from "../../core/chains/address.ts"
import { Chains } from "../../core/ports/chains.ts"
import { Holdings } from "../../core/ports/holdings.ts"
import { TokenHistory } from "../../core/ports/token-history.ts"

/** Every chain that any of them is connected to. */
export const chains = (all: ReadonlyArray<Layer.Layer<Chains>>): Layer.Layer<Chains> =>
  Layer.effect(
    Chains,
    Effect.gen(function* () {
      const services = yield* Effect.forEach(all, (each) =>
        Effect.map(Layer.build(each), (built) => Context.get(built, Chains))
      )
      const of = (chainId: string) => {
        const found = services.find(({ connected }) =>
          connected.some(({ chain }) => chain.id === chainId)
        )
        return found === undefined
          ? Effect.die(new Error(`Chain ${chainId} is not connected.`))
          : Effect.succeed(found)
      }
      return {
        connected: services.flatMap(({ connected }) => connected),
        tip: (chainId) => Effect.flatMap(of(chainId), ({ tip }) => tip(chainId)),
        newestFinal: (chainId) =>
          Effect.flatMap(of(chainId), ({ newestFinal }) => newestFinal(chainId)),
        finality: (chainId, block) =>
          Effect.flatMap(of(chainId), ({ finality }) => finality(chainId, block)),
        look: (chainId, from) => Effect.flatMap(of(chainId), ({ look }) => look(chainId, from)),
        balances: (chainId, addresses) =>
          Effect.flatMap(of(chainId), ({ balances }) => balances(chainId, addresses)),
        payee: (chainId, address) =>
          Effect.flatMap(of(chainId), ({ payee }) => payee(chainId, address))
      }
    })
  )

type Family = ReturnType<typeof familyOf>["family"]

/** Holdings by the family of a chain. */
export const holdings = (
  byFamily: Readonly<Record<Family, Layer.Layer<Holdings>>>
): Layer.Layer<Holdings> =>
  Layer.effect(
    Holdings,
    Effect.gen(function* () {
      const built = (each: Layer.Layer<Holdings>) =>
        Effect.map(Layer.build(each), (context) => Context.get(context, Holdings))
      const services = { evm: yield* built(byFamily.evm), solana: yield* built(byFamily.solana) }
      const of = (chainId: string) => services[familyOf(chainId).family]
      return {
        balances: (chainId, addresses, tokens) => of(chainId).balances(chainId, addresses, tokens),
        received: (chainId, addresses, except) => of(chainId).received(chainId, addresses, except)
      }
    })
  )

/** What chains tell of the past, by their families. */
export const tokenHistory = (
  byFamily: Readonly<Record<Family, Layer.Layer<TokenHistory>>>
): Layer.Layer<TokenHistory> =>
  Layer.effect(
    TokenHistory,
    Effect.gen(function* () {
      const built = (each: Layer.Layer<TokenHistory>) =>
        Effect.map(Layer.build(each), (context) => Context.get(context, TokenHistory))
      const services = { evm: yield* built(byFamily.evm), solana: yield* built(byFamily.solana) }
      const of = (chainId: string) => services[familyOf(chainId).family]
      return {
        lastBefore: (chainId, time) => of(chainId).lastBefore(chainId, time),
        newest: (chainId) => of(chainId).newest(chainId),
        balances: (chainId, blockNumber, asked) =>
          of(chainId).balances(chainId, blockNumber, asked),
        movements: (chainId, range, asked) => of(chainId).movements(chainId, range, asked),
        placeOf: (chainId, txHash) => of(chainId).placeOf(chainId, txHash)
      }
    })
  )
