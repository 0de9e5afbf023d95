/**
 * Writes that take authority away around a failover, drawn at random. What was said to be on a standby must hold on
 * the one that is promoted; nothing that was written after the cut may say so.
 */
import { createHash } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import { data, type Replica } from "../money/scene.ts"
import type { Said } from "../money/settings.ts"
import { type Given, rules } from "./authority.ts"
import type { Scene } from "./scene.ts"
import { type Kind, kinds } from "./taking-kinds.ts"

export interface Drawn {
  /** At least zero and below one. */
  readonly fraction: () => number
  readonly oneOf: <A>(all: ReadonlyArray<A>) => A
  readonly shuffled: <A>(all: ReadonlyArray<A>) => ReadonlyArray<A>
}

/** Numbers that follow from a seed. */
export const drawnFrom = (seed: string): Drawn => {
  let count = 0
  const fraction = () =>
    createHash("sha256").update(`${seed} ${count++}`).digest().readUInt32BE() / 2 ** 32
  const oneOf = <A>(all: ReadonlyArray<A>) => all[Math.floor(fraction() * all.length)] as A
  const shuffled = <A>(all: ReadonlyArray<A>) =>
    all
      .map((each) => ({ each, at: fraction() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ each }) => each)
  return { fraction, oneOf, shuffled }
}

interface Count {
  /** Said to be on a standby, and of those the ones that came back. */
  durable: number
  undone: number
  /** Said to be on one server alone. */
  undurable: number
  /** Written after the cut and said to be on a standby. */
  boasted: number
}

export type Tally = Readonly<Record<Kind, Count>>

const none = (): Count => ({ durable: 0, undone: 0, undurable: 0, boasted: 0 })

export const empty = (): Tally =>
  Object.fromEntries(kinds.map((kind) => [kind, none()])) as Record<Kind, Count>

/** How many are drawn while the stream is being cut, and how many after it. */
const drawnAround = 4
const drawnAfter = 4

/** How one is taken away: by whom, with what input. Commands are the operator's. */
interface Taking extends Given {
  readonly takerKey: string
  readonly input: Readonly<Record<string, unknown>>
  /** What ends with it, if it is about a proposal. */
  readonly proposalId: string
}

const propose = (replica: Replica, { apiKey, recipientId, walletId }: Given, key: string) => {
  const payment = { recipientId, fromWalletId: walletId, amountUsdc: "5" }
  return replica.call("REST", apiKey, "propose_transfer", payment, key)
}

/** Sets one up, ready to be taken away. */
const ready = async ({ chain, payees }: Scene, replica: Replica, kind: Kind): Promise<Taking> => {
  const given = (await replica.ask({ ask: "give", kind, payee: payees[0] })) as Given
  const { address, apiKey, inviteId, otherKey, recipientId } = given
  await chain.mint(address, 100_000_000n)
  const common = { ...given, takerKey: apiKey, proposalId: "" }
  if (kind === "revoke_api_key") {
    const created = await replica.call("REST", apiKey, "create_api_key", {
      scopes: ["account:read"]
    })
    const { apiKey: victim, id: keyId } = data(created)
    return { ...common, otherKey: victim, input: { keyId } }
  }
  if (kind === "revoke_recipient") return { ...common, input: { recipientId } }
  if (kind === "revoke_cosigner_invite") return { ...common, input: { inviteId } }
  if (kind === "update_cosigner_rules") return { ...common, input: { rules } }
  if (kind === "pause" || kind === "tier set") return { ...common, input: {} }
  if (kind === "reject_cosigner_action") {
    data(await replica.call("REST", apiKey, "update_cosigner_rules", { rules }))
  }
  const { proposalId } = data(await propose(replica, given, "first"))
  if (kind === "cancel_proposal") return { ...common, proposalId, input: { proposalId } }
  data(await replica.call("REST", apiKey, "confirm_proposal", { proposalId }, "first-confirm"))
  const { pending_cosigner_approvals: pending } = data(
    await replica.call("REST", otherKey, "list_pending_cosigner_approvals", {})
  )
  const { pendingApprovalId } = pending[0]
  return { ...common, takerKey: otherKey, proposalId, input: { pendingApprovalId } }
}

const take = async (replica: Replica, { accountId, input, kind, takerKey }: Taking) => {
  const said =
    kind === "pause" || kind === "tier set"
      ? await replica.ask({ ask: "command", kind, accountId })
      : data(await replica.call("REST", takerKey, kind, input))
  return (said as { readonly durable: boolean }).durable
}

const isRefused = (said: Said, code: string) => !said.ok && said.code === code

const statusOf = async (replica: Replica, { apiKey, proposalId }: Taking) =>
  data(await replica.call("REST", apiKey, "get_proposal", { proposalId })).status

/** Whether what was taken away is gone: by what whoever had it can still do, where that can be tried. */
const holdsOf: Readonly<Record<Kind, (replica: Replica, taking: Taking) => Promise<boolean>>> = {
  cancel_proposal: async (replica, taking) => (await statusOf(replica, taking)) === "cancelled",
  reject_cosigner_action: async (replica, taking) =>
    (await statusOf(replica, taking)) === "rejected",
  revoke_api_key: async (replica, { otherKey }) =>
    isRefused(await replica.call("REST", otherKey, "get_account", {}), "UNAUTHENTICATED"),
  revoke_recipient: async (replica, taking) =>
    isRefused(await propose(replica, taking, "late"), "RECIPIENT_NOT_APPROVED"),
  pause: async (replica, taking) =>
    isRefused(await propose(replica, taking, "late"), "ACCOUNT_PAUSED"),
  update_cosigner_rules: async (replica, { apiKey }) =>
    data(await replica.call("REST", apiKey, "get_cosigner_rules", {})).rules.length === 1,
  revoke_cosigner_invite: async (replica, { input, otherKey }) =>
    isRefused(
      await replica.call("REST", otherKey, "accept_cosigner_invite", input),
      "INVITE_NOT_OPEN"
    ),
  "tier set": async (replica, { apiKey }) =>
    data(await replica.call("REST", apiKey, "get_account", {})).tier === "personal"
}

/** Sets up what a round takes away: each kind once before the cut, and more that are drawn. */
export const prepare = async (scene: Scene, replica: Replica, random: Drawn, tally: Tally) => {
  const draw = (count: number) => Array.from({ length: count }, () => random.oneOf(kinds))
  const [early, around, late] = await Promise.all(
    [random.shuffled(kinds), draw(drawnAround), draw(drawnAfter)].map((drawn) =>
      Promise.all(drawn.map((kind) => ready(scene, replica, kind)))
    )
  )
  const kept: Array<Taking> = []
  /** Each at a time of its own within so long. */
  const takeAll = (all: ReadonlyArray<Taking> = [], withinMs: number, isCut: boolean) =>
    Promise.all(
      all.map(async (taking) => {
        await setTimeout(random.fraction() * withinMs)
        const isDurable = await take(replica, taking)
        const count = tally[taking.kind]
        if (!isDurable) count.undurable += 1
        else if (isCut) count.boasted += 1
        if (!isDurable) return
        count.durable += 1
        kept.push(taking)
      })
    )
  return {
    whileFollowed: () => takeAll(early, 100, false),
    aroundCut: () => takeAll(around, 600, false),
    afterCut: () => takeAll(late, 300, true),
    /** Tries on the promoted server what a standby was said to have taken away. */
    judge: async (promoted: Replica) => {
      for (const taking of kept) {
        if (!(await holdsOf[taking.kind](promoted, taking))) tally[taking.kind].undone += 1
      }
    }
  }
}

export type Takings = Awaited<ReturnType<typeof prepare>>

const sum = (tally: Tally, field: keyof Count) =>
  kinds.reduce((total, kind) => total + tally[kind][field], 0)

/** Those that never were said to be on a standby: of these a run has proved nothing. */
const unseen = (tally: Tally) => kinds.filter((kind) => tally[kind].durable === 0)

export const told = (tally: Tally): string => {
  const each = kinds.map((kind) => {
    const { boasted, durable, undone, undurable } = tally[kind]
    const broken = undone + boasted === 0 ? "" : `, ${undone} undone, ${boasted} after the cut`
    return `${kind} ${durable} for sure and ${undurable} not${broken}`
  })
  const missing = unseen(tally)
  const lacks = missing.length === 0 ? "" : `; never for sure: ${missing.join(", ")}`
  return `authority taken away (${each.join("; ")}), ${sum(tally, "undone")} undone, ${sum(tally, "boasted")} said to be sure after the cut${lacks}`
}

export const holds = (tally: Tally): boolean =>
  sum(tally, "undone") + sum(tally, "boasted") === 0 && unseen(tally).length === 0

/** Whether it saw authority come back that was said to be gone for sure. */
export const sees = (tally: Tally): boolean => sum(tally, "undone") > 0 && sum(tally, "boasted") > 0
