/** The ledger of sales in memory: judged and written in one step. */
import { DateTime, Effect, Layer } from "effect"
import * as Usd from "../../core/money/usd.ts"
import { fits, type Opened, type Sale } from "../../core/sales/sale.ts"
import { type ClosedDay, Sales } from "../../core/sales/sale-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const dayKey = (accountId: string, day: string) => JSON.stringify([accountId, day])
const openKey = ({ amount, walletId }: Pick<Sale, "walletId" | "amount">) =>
  JSON.stringify([walletId, amount.token.address])

const at = ({ openedAt }: Sale) => DateTime.toEpochMillis(openedAt)

const definition = define<Sale>()({
  name: "sales",
  key: ({ proposalId }) => proposalId,
  unique: { open: (sale) => (sale.state === "open" ? openKey(sale) : undefined) },
  sorted: {
    wallet: {
      group: ({ state, walletId }) => (state === "open" ? walletId : undefined),
      at
    },
    day: {
      group: ({ accountId, day, state }) =>
        state === "released" ? undefined : dayKey(accountId, day),
      at
    },
    left: { group: ({ accountId, state }) => (state === "left" ? accountId : undefined), at }
  }
})

const closedDefinition = define<ClosedDay>()({
  name: "closed days of sales",
  key: ({ accountId, day }) => dayKey(accountId, day)
})

export const layer: Layer.Layer<Sales, never, MemoryStore> = Layer.effect(
  Sales,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const sales = store.table(definition)
    const closed = store.table(closedDefinition)
    const isClosed = ({ accountId, day }: ClosedDay) =>
      closed.get(dayKey(accountId, day)) !== undefined
    const used = (accountId: string, day: string) =>
      Usd.sum(sales.group("day", dayKey(accountId, day)).map(({ worthMicro }) => worthMicro))
    const end = (proposalId: string, state: "left" | "released") =>
      store.write((journal) => {
        const sale = sales.get(proposalId)
        if (sale?.state === "open") sales.replace(journal, { ...sale, state })
      })
    return {
      open: (sale, capMicro) =>
        store.write((journal): Opened => {
          const { accountId, amount, day, proposalId, worthMicro } = sale
          if (amount.units <= 0n || worthMicro < 0n) throw new Error("sales: nothing is sold")
          if (sales.get(proposalId) !== undefined) return { _tag: "opened" }
          const other = sales.by("open", openKey(sale))
          if (other !== undefined) return { _tag: "busy", proposalId: other.proposalId }
          const cap = { capMicro, usedMicro: used(accountId, day) }
          if (!fits(cap, worthMicro) && !isClosed({ accountId, day })) return { _tag: "over", cap }
          sales.insert(journal, { ...sale, state: "open" })
          return { _tag: "opened" }
        }),
      settle: (proposalId) => end(proposalId, "left"),
      release: (proposalId) => end(proposalId, "released"),
      find: (proposalId) => store.read(() => sales.get(proposalId)),
      heldOf: (walletId) =>
        store.read(() =>
          sales
            .group("wallet", walletId)
            .flatMap(({ amount: { token, units }, proposalId }) =>
              token.address === null ? [] : [{ proposalId, token: token.address, units }]
            )
        ),
      used: (accountId, day) => store.read(() => used(accountId, day)),
      leftSince: (accountIds, from) =>
        store.read(() =>
          accountIds.flatMap((id) => sales.group("left", id).filter(({ day }) => day >= from))
        ),
      openOn: (days) =>
        store.read(() =>
          days.filter(({ accountId, day }) =>
            sales.group("day", dayKey(accountId, day)).some(({ state }) => state === "open")
          )
        ),
      close: (days) =>
        store.write((journal) => {
          for (const each of days) if (!isClosed(each)) closed.insert(journal, each)
        }),
      isClosed: (day) => store.read(() => isClosed(day))
    }
  })
)
