/** The manual's table of ways against a service: what a setting switches on is off without it, and nothing else is there. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Cow from "../../../adapters/evm/cow/venue.ts"
import * as Jupiter from "../../../adapters/providers/jupiter.ts"
import * as SolanaCctp from "../../../adapters/solana/cctp/end.ts"
import { ways } from "../../../apps/manual/ways.ts"
import * as ServerBridges from "../../../apps/server/bridges.ts"
import { connections } from "../../../apps/server/chains.ts"
import { read } from "../../../apps/server/configuration.ts"
import { domainOf } from "../../../core/chains/cctp.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { Bridges } from "../../../core/ports/bridge.ts"

const chains = Chain.chains.filter(({ id }) => !id.startsWith("local"))

const everyChain = {
  BURSAR_CHAINS: chains.map(({ id }) => id).join(","),
  ...Object.fromEntries(
    chains.map(({ id }) => [
      `BURSAR_RPC_${id.toUpperCase().replaceAll("-", "_")}`,
      "https://node.example"
    ])
  )
}

/** A value that each setting takes. */
const textFor = (variable: string): string =>
  variable.startsWith("BURSAR_BRIDGE_TABLE_")
    ? "W1k5ijkaSTo5iA5zChNpfzcy796fLhkBxfmJuR8W8HU"
    : "https://service.example"

/** Every way that a service with these settings has: the protocol, and both chains. */
const waysOf = (settings: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const set = Object.fromEntries(settings.map((name) => [name, textFor(name)]))
    const environment = { ...everyChain, ...set }
    const configuration = read(environment)
    const connected = connections(configuration, environment)
    const ends = connected.solana.flatMap((each) => {
      const domain = domainOf(each.chain.id)
      return domain === undefined ? [] : [SolanaCctp.endOf(each, domain)]
    })
    const services = ServerBridges.services(configuration)
    const built = yield* Layer.build(ServerBridges.layer(connected.chains, services, ends))
    const bridges = yield* Effect.provideContext(Bridges, built)
    const venues = [
      ...Cow.venuesOf(connected.chains),
      ...(yield* Jupiter.venuesOf(connected.solana))
    ]
    return [
      ...bridges.flatMap(({ protocol, routes }) =>
        routes.map(({ from, to }) => `${protocol} ${from.chainId} ${to.chainId}`)
      ),
      ...venues.flatMap(({ chainIds, protocol }) => chainIds.map((id) => `${protocol} ${id} ${id}`))
    ]
  }).pipe(Effect.scoped)

const told = ways.flatMap(({ pairs, protocol, settingsOf }) =>
  pairs.map((pair) => ({ way: `${protocol} ${pair[0]} ${pair[1]}`, settings: settingsOf(pair) }))
)
const every = [...new Set(told.flatMap(({ settings }) => settings))]

describe("the manual's table of ways", () => {
  it.effect("has all that a service has where everything is switched on, and nothing else", () =>
    Effect.map(waysOf(every), (there) =>
      assert.sameMembers(
        there,
        told.map(({ way }) => way)
      )
    )
  )

  it.effect("has what is there without a setting, and nothing else", () =>
    Effect.map(waysOf([]), (there) =>
      assert.sameMembers(
        there,
        told.filter(({ settings }) => settings.length === 0).map(({ way }) => way)
      )
    )
  )

  it.effect("names for each way every setting that it needs", () =>
    Effect.gen(function* () {
      for (const missing of every) {
        const there = yield* waysOf(every.filter((name) => name !== missing))
        const without = told.filter(({ settings }) => settings.includes(missing))
        assert.isNotEmpty(without, missing)
        for (const { way } of without) assert.notInclude(there, way, missing)
        assert.lengthOf(there, told.length - without.length, missing)
      }
    })
  )
})
