/**
 * The ledger of caps in memory. A reservation is judged and written in one step, so nobody is judged by a
 * sum that another is about to change.
 */
import { DateTime, Effect, Layer } from "effect"
import * as Usd from "../../core/money/usd.ts"
import {
  daysBetween,
  judge,
  judgeKeys,
  judgeRaise,
  type KeyCap,
  type Reserved,
  type Revision,
  reserved,
  type Used,
  type Windows,
  without
} from "../../core/policy/limits.ts"
import {
  type Charge,
  type Paying,
  type Reservation,
  type ReservedAmount,
  Spending
} from "../../core/policy/spending-ledger.ts"
import * as Keys from "./keys.ts"
import { MemoryStore, type Store } from "./store.ts"
import { define, type Table } from "./table.ts"

interface Stored extends Reservation, ReservedAmount {}

const windowKey = (accountId: string, window: string) => JSON.stringify([accountId, window])

const ledgerDefinition = define<Stored>()({
  name: "spend reservations",
  key: (kept) => kept.proposalId,
  sorted: {
    day: {
      group: ({ accountId, state, windows }) =>
        state === "released" ? undefined : windowKey(accountId, windows.day),
      at: ({ at }) => DateTime.toEpochMillis(at)
    },
    month: {
      group: ({ accountId, state, windows }) =>
        state === "released" ? undefined : windowKey(accountId, windows.month),
      at: ({ at }) => DateTime.toEpochMillis(at)
    }
  }
})

interface KeptForKey extends Reservation, ReservedAmount {
  readonly keyId: string
}

const forKey = (proposalId: string, keyId: string) => JSON.stringify([proposalId, keyId])

const keyLedgerDefinition = define<KeptForKey>()({
  name: "key reservations",
  key: (kept) => forKey(kept.proposalId, kept.keyId),
  sorted: {
    proposal: {
      group: ({ proposalId }) => proposalId,
      at: ({ at }) => DateTime.toEpochMillis(at)
    },
    day: {
      group: ({ keyId, state, windows }) =>
        state === "released" ? undefined : windowKey(keyId, windows.day),
      at: ({ at }) => DateTime.toEpochMillis(at)
    }
  }
})

interface KeptCharge extends Charge {
  readonly isTaken: boolean
}

const chargeKey = ({ chainId, identity }: Pick<Charge, "chainId" | "identity">) =>
  JSON.stringify([chainId, identity])

const paymentKey = (
  accountId: string,
  { amountMicro, chainId, to }: Pick<Charge, "amountMicro" | "chainId" | "to">
) => JSON.stringify([accountId, chainId, to, String(amountMicro)])

const chargeDefinition = define<KeptCharge>()({
  name: "spend charges",
  key: chargeKey,
  sorted: {
    payment: {
      group: (kept) => (kept.isTaken ? undefined : paymentKey(kept.accountId, kept)),
      at: ({ at }) => DateTime.toEpochMillis(at)
    },
    day: {
      group: ({ accountId, isTaken, windows }) =>
        isTaken ? undefined : windowKey(accountId, windows.day),
      at: ({ at }) => DateTime.toEpochMillis(at)
    },
    month: {
      group: ({ accountId, isTaken, windows }) =>
        isTaken ? undefined : windowKey(accountId, windows.month),
      at: ({ at }) => DateTime.toEpochMillis(at)
    }
  }
})

/** Charges of payments that no record explained, until a proposal takes them over. */
const charging = (store: Store) => {
  const charges = store.table(chargeDefinition)
  const sumOf = (kept: ReadonlyArray<KeptCharge>) => Usd.sum(kept.map((each) => each.amountMicro))
  // Whichever month it is repeated in, as a call of the 31st may be on the 1st.
  const chargedFor = (
    accountId: string,
    payment: Paying & { readonly amountMicro: Usd.Usd }
  ): KeptCharge | undefined =>
    charges
      .group("payment", paymentKey(accountId, payment))
      .find(({ identity }) => payment.identity.startsWith(identity))
  const chargedOn = (
    accountId: string,
    payment: Paying & { readonly amountMicro: Usd.Usd },
    day: string
  ) => {
    const charged = chargedFor(accountId, payment)
    return charged?.windows.day === day ? charged : undefined
  }
  return {
    dayMicro: (accountId: string, day: string) =>
      sumOf(charges.group("day", windowKey(accountId, day))),
    monthMicro: (accountId: string, month: string) =>
      sumOf(charges.group("month", windowKey(accountId, month))),
    chargedFor,
    chargedOn,
    takeOver: (journal: Parameters<Parameters<Store["write"]>[0]>[0], charge: KeptCharge) =>
      charges.replace(journal, { ...charge, isTaken: true }),
    charge: (all: ReadonlyArray<Charge>) =>
      store.write((journal) => {
        for (const each of all) {
          if (charges.get(chargeKey(each)) === undefined) {
            charges.insert(journal, { ...each, isTaken: false })
          }
        }
      })
  }
}

const chargedOf = (charge: KeptCharge | undefined) =>
  charge === undefined ? undefined : { ...charge, day: charge.windows.day }

const revisionKey = ({ accountId, number }: Pick<Revision, "accountId" | "number">) =>
  JSON.stringify([accountId, number])

const revisionDefinition = define<Revision>()({
  name: "policy revisions",
  key: revisionKey,
  sorted: { account: { group: ({ accountId }) => accountId, at: ({ number }) => number } }
})

const sum = (ledger: ReadonlyArray<ReservedAmount>) =>
  Usd.sum(ledger.map(({ amountMicro }) => amountMicro))

interface Ledgers {
  readonly ledger: Table<Stored, never, "day" | "month">
  readonly keyLedger: Table<KeptForKey, never, "proposal" | "day">
  readonly used: (accountId: string, windows: Windows) => Used
  readonly usedByKey: (keyId: string, day: string) => Usd.Usd
}

/** Raises what a proposal holds, for its account and under its keys. */
const raising =
  (store: Store, { keyLedger, ledger, used, usedByKey }: Ledgers): Spending["Service"]["raise"] =>
  (reservation, limits, caps) =>
    store.write((journal): Reserved => {
      const { accountId, amountMicro, proposalId } = reservation
      const kept = ledger.get(proposalId)
      if (kept !== undefined && kept.state !== "reserved") {
        throw new Error(`spend reservations: ${proposalId} has ended`)
      }
      const { at, windows } = kept ?? reservation
      const heldMicro = kept?.amountMicro ?? Usd.zero
      const judged =
        amountMicro <= heldMicro
          ? reserved
          : judgeRaise(limits, used(accountId, windows), heldMicro, amountMicro)
      if (judged._tag === "over") return judged
      const rising = caps
        .map((cap) => {
          const under = keyLedger.get(forKey(proposalId, cap.keyId))
          const keyHeld = under?.state === "reserved" ? under.amountMicro : Usd.zero
          const usedMicro = Usd.make(usedByKey(cap.keyId, windows.day) - keyHeld)
          return { ...cap, usedMicro, keyHeld }
        })
        .filter(({ keyHeld }) => keyHeld < amountMicro)
      const judgedKeys = judgeKeys(rising, amountMicro)
      if (judgedKeys._tag === "over") return judgedKeys
      const raised = { ...reservation, at, windows, state: "reserved" as const }
      if (amountMicro > heldMicro) {
        ledger.delete(journal, proposalId)
        ledger.insert(journal, raised)
      }
      for (const { keyId } of rising) {
        keyLedger.delete(journal, forKey(proposalId, keyId))
        keyLedger.insert(journal, { ...raised, keyId })
      }
      return reserved
    })

/** Reserves under the daily caps of keys, under all or none. */
const reservingForKeys = (
  store: Store,
  { keyLedger, usedByKey }: Pick<Ledgers, "keyLedger" | "usedByKey">
): Spending["Service"]["reserveForKeys"] => {
  const isOpen = (reservation: Reservation, { keyId }: KeyCap) =>
    (keyLedger.get(forKey(reservation.proposalId, keyId))?.state ?? "released") === "released"
  return (reservation, caps) =>
    store.write((journal): Reserved => {
      const { amountMicro, proposalId, windows } = reservation
      if (amountMicro <= 0n) throw new Error("key reservations: an amount is above zero")
      const open = caps.filter((cap) => isOpen(reservation, cap))
      const used = open.map((cap) => ({ ...cap, usedMicro: usedByKey(cap.keyId, windows.day) }))
      const judged = judgeKeys(used, amountMicro)
      if (judged._tag === "over") return judged
      for (const { keyId } of open) {
        if (keyLedger.get(forKey(proposalId, keyId)) !== undefined) {
          keyLedger.delete(journal, forKey(proposalId, keyId))
        }
        keyLedger.insert(journal, { ...reservation, keyId, state: "reserved" })
      }
      return judged
    })
}

/** Reserves for an account; the charge of the very payment is taken over. */
const reserving = (
  store: Store,
  { ledger, used }: Pick<Ledgers, "ledger" | "used">,
  charges: ReturnType<typeof charging>
): Pick<Spending["Service"], "ahead" | "reserve"> => ({
  ahead: () => Effect.void,
  reserve: (reservation, limits) =>
    store.write((journal): Reserved => {
      const { accountId, amountMicro, pays, proposalId, windows } = reservation
      if (amountMicro <= 0n) throw new Error("spend reservations: an amount is above zero")
      const kept = ledger.get(proposalId)
      if (kept !== undefined && kept.state !== "released") return reserved
      const charged = pays && charges.chargedFor(accountId, { ...pays, amountMicro })
      const beside = without(used(accountId, windows), windows, chargedOf(charged))
      const judged = judge(limits, beside, amountMicro)
      if (judged._tag === "over") return judged
      if (charged !== undefined) charges.takeOver(journal, charged)
      if (kept !== undefined) ledger.delete(journal, proposalId)
      ledger.insert(journal, { ...reservation, state: "reserved" })
      return judged
    })
})

export const layer: Layer.Layer<Spending, never, MemoryStore> = Layer.effect(
  Spending,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const ledger = store.table(ledgerDefinition)
    const keyLedger = store.table(keyLedgerDefinition)
    const revisions = store.table(revisionDefinition)
    const charges = charging(store)
    const keys = store.table(Keys.definition)
    const onDay = (accountId: string, day: string) =>
      Usd.sum([
        sum(ledger.group("day", windowKey(accountId, day))),
        charges.dayMicro(accountId, day)
      ])
    const used = (accountId: string, { day, month }: Windows) => ({
      dayMicro: onDay(accountId, day),
      monthMicro: Usd.sum([
        sum(ledger.group("month", windowKey(accountId, month))),
        charges.monthMicro(accountId, month)
      ])
    })
    /** Ends reservations that are still ones; any other stays as it is. */
    const end = (proposalIds: ReadonlyArray<string>, state: "consumed" | "released") =>
      store.write((journal) => {
        for (const proposalId of proposalIds) {
          const kept = ledger.get(proposalId)
          if (kept?.state === "reserved") ledger.replace(journal, { ...kept, state })
          for (const each of [...keyLedger.group("proposal", proposalId)]) {
            if (each.state === "reserved") keyLedger.replace(journal, { ...each, state })
          }
        }
      })
    const accountOf = (keyId: string) => keys.get(keyId)?.key.accountId ?? ""
    const usedByKey = (keyId: string, day: string) =>
      Usd.sum([
        sum(keyLedger.group("day", windowKey(keyId, day))),
        // Whichever key has sent what nobody knew of.
        charges.dayMicro(accountOf(keyId), day)
      ])
    return {
      used: (accountId, windows) => store.read(() => used(accountId, windows)),
      usedByDay: (accountId, from, through) =>
        store.read(() =>
          daysBetween(from, through)
            .map((day) => ({ day, usedMicro: onDay(accountId, day) }))
            .filter(({ usedMicro }) => usedMicro > 0n)
        ),
      ...reserving(store, { ledger, used }, charges),
      charge: charges.charge,
      usedWithout: (accountId, windows, payment) =>
        store.read(() =>
          without(
            used(accountId, windows),
            windows,
            chargedOf(charges.chargedFor(accountId, payment))
          )
        ),
      usedByKey: (keyId, day, payment) =>
        store.read(() => {
          const charged = payment && charges.chargedOn(accountOf(keyId), payment, day)
          return Usd.make(usedByKey(keyId, day) - (charged?.amountMicro ?? Usd.zero))
        }),
      reserveForKeys: reservingForKeys(store, { keyLedger, usedByKey }),
      raise: raising(store, { ledger, keyLedger, used, usedByKey }),
      heldBy: (proposalId) =>
        store.read(() => {
          const kept = ledger.get(proposalId)
          if (kept === undefined) return undefined
          const { accountId, amountMicro, state } = kept
          return { accountId, amountMicro, state }
        }),
      consume: (proposalIds) => end(proposalIds, "consumed"),
      release: (proposalIds) => end(proposalIds, "released"),
      revision: (accountId) => store.read(() => revisions.group("account", accountId).at(-1)),
      revise: (revision) =>
        store.write((journal) => {
          const isTaken = revisions.get(revisionKey(revision)) !== undefined
          if (!isTaken) revisions.insert(journal, revision)
          return !isTaken
        })
    }
  })
)
