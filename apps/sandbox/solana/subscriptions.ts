/** What the local Solana tells over WebSocket without being asked again: slots, signatures and accounts. */
import type { Address } from "@solana/kit"
import { addressIn, asOf, type Config, type Front, heard, inContext, shown } from "./front.ts"
import { accountAt, type Commitment, slotAt } from "./ledger.ts"
import { unknownMethod } from "./rpc-error.ts"

type Notify = (method: string, result: unknown) => void

interface Subscription {
  /** Says what has changed since it last did; false when nothing will change again. */
  readonly look: () => boolean
}

export interface Subscriptions {
  /** Undefined when the method is none of these. */
  readonly answer: (method: string, params: ReadonlyArray<unknown>) => unknown
  readonly close: () => void
}

const signature =
  (front: Front, text: string, commitment: Commitment, notify: Notify) => (): boolean => {
    const entry = heard(front, text)
    const newest = slotAt(front.ledger, commitment, front.behind)
    if (entry === undefined || entry.slot > newest) return true
    notify("signatureNotification", inContext(entry.slot, { err: entry.err }))
    return false
  }

const slots = (front: Front, notify: Notify) => {
  let told = asOf(front, { commitment: "processed" })
  return (): boolean => {
    const slot = asOf(front, { commitment: "processed" })
    if (slot === told) return true
    told = slot
    const root = slotAt(front.ledger, "finalized", front.behind)
    notify("slotNotification", { parent: slot - 1n, root, slot })
    return true
  }
}

const account = (front: Front, address: Address, config: Config, notify: Notify) => {
  const now = () => {
    const slot = asOf(front, { commitment: config.commitment ?? "finalized" })
    return { slot, value: shown(front, accountAt(front.ledger, address, slot), config.encoding) }
  }
  const text = (value: unknown) =>
    JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each))
  let told = text(now().value)
  return (): boolean => {
    const { slot, value } = now()
    if (text(value) === told) return true
    told = text(value)
    notify("accountNotification", inContext(slot, value))
    return true
  }
}

const open = (
  front: Front,
  method: string,
  [what, config = {}]: ReadonlyArray<unknown>,
  notify: Notify
) => {
  const settings = config as Config
  switch (method) {
    case "slotSubscribe":
      return slots(front, notify)
    case "signatureSubscribe":
      return signature(front, String(what), settings.commitment ?? "finalized", notify)
    case "accountSubscribe":
      return account(front, addressIn(what), settings, notify)
    default:
      throw unknownMethod
  }
}

/** The subscriptions of one connection. */
export const subscriptions = (
  front: Front,
  tell: (message: { readonly method: string; readonly params: unknown }) => void
): Subscriptions => {
  const standing = new Map<number, Subscription>()
  let last = 0
  const lookAgain = () => {
    for (const [id, { look }] of standing) if (!look()) standing.delete(id)
  }
  front.ledger.listeners.add(lookAgain)
  return {
    answer: (method, params) => {
      if (method.endsWith("Unsubscribe")) return standing.delete(Number(params[0]))
      if (!method.endsWith("Subscribe")) return undefined
      const subscription = ++last
      const look = open(front, method, params, (name, result) =>
        tell({ method: name, params: { subscription, result } })
      )
      standing.set(subscription, { look })
      // After the answer, which tells the number that a notification names.
      setImmediate(lookAgain)
      return subscription
    },
    close: () => {
      front.ledger.listeners.delete(lookAgain)
      standing.clear()
    }
  }
}
