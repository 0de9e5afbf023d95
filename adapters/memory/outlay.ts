/** The ledger of outlay in memory; a charge is judged and written in one step. */
import { DateTime, Effect, Layer } from "effect"
import { type Charged, charge as judge, type OutlayLimits } from "../../core/policy/outlay.ts"
import { type Charge, Outlay } from "../../core/policy/outlay-ledger.ts"
import { readLimits } from "../../core/policy/read-limits.ts"
import { MemoryStore } from "./store.ts"
import { define, type Journal } from "./table.ts"

const keyOf = ({ chainId, day, key }: Pick<Charge, "chainId" | "day" | "key">) =>
  JSON.stringify([chainId, day, key])

const definition = define<Charge>()({
  name: "outlay",
  key: keyOf,
  sorted: {
    day: {
      group: ({ chainId, day }) => JSON.stringify([chainId, day]),
      at: ({ at }) => DateTime.toEpochMillis(at)
    },
    account: {
      group: ({ accountId }) => accountId ?? undefined,
      at: ({ at }) => DateTime.toEpochMillis(at)
    }
  }
})

const sum = (charges: ReadonlyArray<Charge>) =>
  charges.reduce((units, charge) => units + charge.units, 0n)

export const layer: Layer.Layer<Outlay, never, MemoryStore> = Layer.effect(
  Outlay,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const charges = store.table(definition)
    const used = (chainId: string, day: string, accountId: string | null) => {
      const all = charges.group("day", JSON.stringify([chainId, day]))
      const own = all.filter((charge) => charge.accountId === accountId)
      return {
        accountUnits: accountId === null ? 0n : sum(own),
        installationUnits: sum(all)
      }
    }
    const chargeOne = (journal: Journal, charge: Charge, limits: OutlayLimits): Charged => {
      const { accountId, chainId, day, units } = charge
      if (units < 0n) throw new Error("outlay: units are not below zero")
      const before = charges.get(keyOf(charge))
      const sums = used(chainId, day, accountId)
      const { charged, more } = judge({ before: before?.units, units }, limits, sums)
      if (more === 0n) return charged
      if (before === undefined) charges.insert(journal, charge)
      else charges.replace(journal, { ...before, units })
      return charged
    }
    return {
      used: (chainId, day, accountId) => store.read(() => used(chainId, day, accountId)),
      days: (accountId, firstDay, lastDay) =>
        store.read(() => {
          const own = charges
            .group("account", accountId)
            .filter(({ day }) => day >= firstDay && day <= lastDay)
          const byDay = Map.groupBy(own, ({ chainId, day }) => `${day} ${chainId}`)
          return [...byDay]
            .toSorted(([one], [other]) => (one < other ? -1 : 1))
            .flatMap(([, [first, ...more]]) =>
              first === undefined
                ? []
                : [{ chainId: first.chainId, day: first.day, units: sum([first, ...more]) }]
            )
        }),
      chargedAt: (chainId, key, days) =>
        store.read(
          () =>
            days
              .toSorted()
              .toReversed()
              .flatMap((day) => charges.get(keyOf({ chainId, day, key })) ?? [])
              .at(0)?.at
        ),
      charge: (all) =>
        Effect.flatMap(readLimits(all), (charges) =>
          store.write((journal) =>
            charges.map(([charge, limits]) => chargeOne(journal, charge, limits))
          )
        )
    }
  })
)
