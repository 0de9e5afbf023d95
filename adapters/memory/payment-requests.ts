/** The store of payment requests in memory; a transaction has the store to itself, so it locks what it reads. */
import { DateTime, Effect, Layer } from "effect"
import * as Page from "../../core/operation/page.ts"
import { changing, type PaymentRequest } from "../../core/payments/request.ts"
import {
  type Filter,
  type Near,
  type PaymentRejection,
  PaymentRequests
} from "../../core/payments/request-store.ts"
import { endedStatuses, payableStatuses, type Status } from "../../core/payments/status.ts"
import { page } from "./paging.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore } from "./store.ts"
import { define, type Table } from "./table.ts"

const createdAt = (request: PaymentRequest) => DateTime.toEpochMillis(request.createdAt)
const paidAt = (request: PaymentRequest) =>
  request.paidAt === null ? 0 : DateTime.toEpochMillis(request.paidAt)
const expiresAt = (request: PaymentRequest) => DateTime.toEpochMillis(request.expiresAt)

export const definition = define<PaymentRequest>()({
  name: "payment requests",
  key: (request) => request.id,
  unique: {
    pid: (request) => request.pid,
    reference: ({ reference }) => reference ?? undefined
  },
  sorted: {
    account: { group: (request) => request.accountId, at: createdAt },
    ofVault: {
      group: ({ status, vaultId }) => (status === "paid" ? undefined : `${vaultId} ${status}`),
      at: expiresAt
    },
    ofAmount: {
      group: ({ amountMicro, status, vaultId }) =>
        status === "paid" ? undefined : `${vaultId} ${status} ${amountMicro}`,
      at: expiresAt
    },
    ofRemaining: {
      group: ({ amountMicro, receivedMicro, status, vaultId }) =>
        status === "paid" || receivedMicro === 0n
          ? undefined
          : `${vaultId} ${status} ${amountMicro - receivedMicro}`,
      at: expiresAt
    },
    paidOfAmount: {
      group: ({ amountMicro, status, vaultId }) =>
        status === "paid" ? `${vaultId} ${amountMicro}` : undefined,
      at: paidAt
    },
    paidByPayer: {
      group: ({ amountMicro, payerAddress, status, vaultId }) =>
        status === "paid" ? `${vaultId} ${amountMicro} ${payerAddress}` : undefined,
      at: paidAt
    },
    expiringOnChain: {
      group: ({ chainId, status }) =>
        status === "open" || status === "partially_paid" ? chainId : undefined,
      at: expiresAt
    }
  }
})

const rejectionDefinition = define<PaymentRejection>()({
  name: "payments turned down",
  key: ({ digest, requestId }) => JSON.stringify([requestId, digest]),
  sorted: {
    request: { group: ({ requestId }) => requestId, at: ({ at }) => DateTime.toEpochMillis(at) }
  }
})

const fits =
  (filter: Filter) =>
  ({ amountMicro, customer, externalReference, status, vaultId }: PaymentRequest): boolean =>
    (filter.vaultId === undefined || filter.vaultId === vaultId) &&
    (filter.status === undefined || filter.status === status) &&
    (filter.externalReference === undefined || filter.externalReference === externalReference) &&
    (filter.customer === undefined ||
      (filter.customer.externalId === customer?.externalId &&
        filter.customer.namespace === customer.namespace)) &&
    (filter.minMicro === undefined || amountMicro >= filter.minMicro) &&
    (filter.maxMicro === undefined || amountMicro <= filter.maxMicro)

const nearby = (
  requests: Table<PaymentRequest, "pid" | "reference", keyof NonNullable<typeof definition.sorted>>,
  statuses: ReadonlyArray<Status>,
  { amountMicro, max, vaultId }: Near
): ReadonlyArray<PaymentRequest> => {
  const found = statuses.flatMap((status) => [
    ...requests.group("ofVault", `${vaultId} ${status}`).slice(-max),
    ...requests.group("ofAmount", `${vaultId} ${status} ${amountMicro}`).slice(-max),
    ...requests.group("ofRemaining", `${vaultId} ${status} ${amountMicro}`).slice(-max)
  ])
  return [...new Set(found)].sort((a, b) => -Page.newestFirst(a, b))
}

export const layer: Layer.Layer<PaymentRequests, never, MemoryStore> = Layer.effect(
  PaymentRequests,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const requests = store.table(definition)
    const rejections = store.table(rejectionDefinition)
    return {
      open: (request) => store.write((journal) => requests.insert(journal, request)),
      find: (accountId, idOrPid) =>
        store.read(() => {
          const request = requests.get(idOrPid) ?? requests.by("pid", idOrPid)
          return request?.accountId === accountId ? request : undefined
        }),
      findPublic: (pid) => store.read(() => requests.by("pid", pid)),
      list: (accountId, filter, request) =>
        store.read(() =>
          page(requests.group("account", accountId), request, (row) => row, fits(filter))
        ),
      lock: (id) => store.read(() => requests.get(id)),
      // Nobody else holds anything meanwhile.
      lockFree: (ids) => store.read(() => ids.flatMap((id) => requests.get(id) ?? [])),
      lockReferenced: (vaultId, references) =>
        store.read(() =>
          [...new Set(references)]
            .flatMap((reference) => requests.by("reference", reference) ?? [])
            .filter((request) => request.vaultId === vaultId)
            .sort((a, b) => -Page.newestFirst(a, b))
        ),
      lockPayableNear: (near) => store.read(() => nearby(requests, payableStatuses, near)),
      endedNear: (near) => store.read(() => nearby(requests, endedStatuses, near)),
      paidLike: ({ amountMicro, payerAddress, since, vaultId }) =>
        store.read(() => {
          const of = `${vaultId} ${amountMicro}`
          const recent = requests
            .group("paidOfAmount", of)
            .slice(-2)
            .filter((each) => paidAt(each) >= DateTime.toEpochMillis(since))
          const theirs = requests.group("paidByPayer", `${of} ${payerAddress}`).slice(-2)
          return [...new Set([...recent, ...theirs])].sort((a, b) => -Page.newestFirst(a, b))
        }),
      settle: (request) => store.write((journal) => requests.revise(journal, request, changing)),
      settleAll: (all) =>
        store.write((journal) => {
          for (const request of all) requests.revise(journal, request, changing)
        }),
      rejectPayment: (rejection, most) =>
        store.write((journal) => {
          const before = rejections.group("request", rejection.requestId)
          const isKnown = before.some(({ digest }) => digest === rejection.digest)
          if (isKnown || before.length >= most) return false
          rejections.insert(journal, rejection)
          return true
        }),
      overdue: (finalTimes, limit) =>
        store.read(() =>
          finalTimes
            .flatMap(({ chainId, finalTime }) => {
              const expiring = requests.group("expiringOnChain", chainId)
              const passed = DateTime.toEpochMillis(finalTime)
              const count = countWhile(expiring, (request) => expiresAt(request) < passed)
              return expiring.slice(0, Math.min(count, limit))
            })
            .sort((a, b) => expiresAt(a) - expiresAt(b))
            .slice(0, limit)
            .map((request) => request.id)
        )
    }
  })
)
