/**
 * How each kind of authority is taken away, and how one sees on a promoted server that it is gone: by what whoever had
 * it can still do, where that can be tried.
 */
import { fundingWallet } from "../../apps/testing/seed.ts"
import type { Name } from "../../core/treasury/operations.ts"
import { data, type Replica } from "../money/scene.ts"
import type { Said } from "../money/settings.ts"
import type { Given, Wanted } from "./given.ts"
import { enrolled, type Person } from "./person.ts"
import type { Scene } from "./scene.ts"
import { type Kind, kinds } from "./taking-kinds.ts"

// biome-ignore lint/suspicious/noExplicitAny: the answer's form is what a round asserts on.
type Answer = any
type Input = Readonly<Record<string, unknown>>

/** Something that stands ready to be taken away once. */
export interface Taking {
  /** What is answered to whoever takes it. */
  readonly take: () => Promise<{ readonly durable?: boolean }>
  readonly isGone: (promoted: Replica) => Promise<boolean>
}

/** Whoever takes something away, at one process. */
interface Hands {
  readonly give: (wanted: Wanted) => Promise<Given>
  readonly call: (apiKey: string, name: Name, input?: Input, key?: string) => Promise<Answer>
  readonly command: (...words: ReadonlyArray<string>) => Promise<Answer>
  readonly mint: (address: string) => Promise<void>
  readonly replica: Replica
}

type Way = (hands: Hands) => Promise<Taking>

const isRefused = (said: Said, code: string) => !said.ok && said.code === code

const at = async (replica: Replica, apiKey: string, name: Name, input: Input = {}) =>
  data(await replica.call("REST", apiKey, name, input))

const paymentOf = ({ recipientId, walletId }: Given) => ({
  recipientId,
  fromWalletId: walletId,
  amountUsdc: "5"
})

/** Whether a payment is refused for what was taken away. */
const refusesPayment = (given: Given, code: string) => async (replica: Replica) => {
  const { apiKey } = given
  const said = await replica.call("REST", apiKey, "propose_transfer", paymentOf(given), "late")
  return isRefused(said, code)
}

const isShutOut = (apiKey: string) => async (replica: Replica) =>
  isRefused(await replica.call("REST", apiKey, "get_account", {}), "UNAUTHENTICATED")

const hasTier = (apiKey: string) => async (replica: Replica) =>
  (await at(replica, apiKey, "get_account")).tier === "personal"

const isClosed =
  ({ inviteId, otherKey }: Given) =>
  async (replica: Replica) => {
    const said = await replica.call("REST", otherKey, "accept_cosigner_invite", { inviteId })
    return isRefused(said, "INVITE_NOT_OPEN")
  }

const hasNoCosigner =
  ({ apiKey }: Given) =>
  async (replica: Replica) => {
    const { cosigner_memberships } = await at(replica, apiKey, "list_cosigner_memberships")
    return cosigner_memberships.length === 0
  }

const statusIs = (apiKey: string, proposalId: string, status: string) => async (replica: Replica) =>
  (await at(replica, apiKey, "get_proposal", { proposalId })).status === status

/** A rule that asks for more than none does. */
const rules = [
  { action: "send", minAmountMicro: "1000000", maxAmountMicro: null, requiredApprovals: 1 }
]

const anotherKey = async ({ call }: Hands, { apiKey }: Given) => {
  const { apiKey: text, id } = await call(apiKey, "create_api_key", { scopes: ["account:read"] })
  return { text: text as string, id: id as string }
}

interface Listed {
  readonly id: string
  readonly name: string
  readonly passkeys: ReadonlyArray<{ readonly id: string }>
}

/** The people of an account as the operator lists them. */
const listed = async ({ command }: Hands, { accountId }: Given): Promise<ReadonlyArray<Listed>> =>
  (await command("humans", "list", accountId)).humans

/** Somebody's passkeys, first added first. */
const passkeysOf = async (hands: Hands, given: Given, personId: string) => {
  const [found] = (await listed(hands, given)).filter(({ id }) => id === personId)
  return (found?.passkeys ?? []).map(({ id }) => id)
}

/** Ada and Ben have come, and are known by their ids. */
const withPeople = async (hands: Hands) => {
  const given = await hands.give({ kind: "developer", hasPeople: true })
  const [ofAda = "", ofBen = ""] = given.links
  const ada = await enrolled(hands.replica, ofAda)
  const ben = await enrolled(hands.replica, ofBen)
  const ids = new Map((await listed(hands, given)).map(({ id, name }) => [name, id]))
  return { given, ada, adaId: ids.get("Ada") ?? "", ben, benId: ids.get("Ben") ?? "" }
}

const isOut = (person: Person) => async (replica: Replica) =>
  (await person.refusalAt(replica, "passkeys/options")) === "SIGN_IN_REQUIRED"

/** A viewer pauses nothing. */
const isViewer = (person: Person) => async (replica: Replica) =>
  (await person.refusalAt(replica, "pause")) === "INSUFFICIENT_ROLE"

/** An operation of people, which an owner's passkey signs. */
const signed =
  (name: string, inputOf: (personId: string) => object) =>
  async (hands: Hands): Promise<Taking & Awaited<ReturnType<typeof withPeople>>> => {
    const all = await withPeople(hands)
    const take = () => all.ada.signs(`sign/${name}`, { input: inputOf(all.benId) })
    return { ...all, take, isGone: isOut(all.ben) }
  }

const proposed = async ({ call, mint }: Hands, given: Given) => {
  await mint(given.address)
  const { proposalId } = await call(given.apiKey, "propose_transfer", paymentOf(given), "first")
  return proposalId as string
}

const operations: Readonly<Record<Exclude<Kind, `bursar ${string}` | `console ${string}`>, Way>> = {
  cancel_proposal: async (hands) => {
    const given = await hands.give({ kind: "developer" })
    const proposalId = await proposed(hands, given)
    return {
      take: () => hands.call(given.apiKey, "cancel_proposal", { proposalId }),
      isGone: statusIs(given.apiKey, proposalId, "cancelled")
    }
  },
  reject_cosigner_action: async (hands) => {
    const given = await hands.give({ kind: "developer", other: "member" })
    const { apiKey, otherKey } = given
    await hands.call(apiKey, "update_cosigner_rules", { rules })
    const proposalId = await proposed(hands, given)
    await hands.call(apiKey, "confirm_proposal", { proposalId }, "first-confirm")
    const { pending_cosigner_approvals: pending } = await hands.call(
      otherKey,
      "list_pending_cosigner_approvals"
    )
    const { pendingApprovalId } = pending[0]
    return {
      take: () => hands.call(otherKey, "reject_cosigner_action", { pendingApprovalId }),
      isGone: statusIs(apiKey, proposalId, "rejected")
    }
  },
  cancel_governance_request: async (hands) => {
    const { apiKey, otherId } = await hands.give({ kind: "developer", other: "stranger" })
    const input = { cosignerUserId: otherId }
    const { governanceRequestId: requestId } = await hands.call(apiKey, "invite_cosigner", input)
    return {
      take: () => hands.call(apiKey, "cancel_governance_request", { requestId }),
      isGone: async (replica) =>
        (await at(replica, apiKey, "get_governance_request", { requestId })).status === "cancelled"
    }
  },
  revoke_api_key: async (hands) => {
    const given = await hands.give({ kind: "developer" })
    const { id: keyId, text } = await anotherKey(hands, given)
    return {
      take: () => hands.call(given.apiKey, "revoke_api_key", { keyId }),
      isGone: isShutOut(text)
    }
  },
  revoke_recipient: async (hands) => {
    const given = await hands.give({ kind: "developer" })
    await hands.mint(given.address)
    const { apiKey, recipientId } = given
    return {
      take: () => hands.call(apiKey, "revoke_recipient", { recipientId }),
      isGone: refusesPayment(given, "RECIPIENT_NOT_APPROVED")
    }
  },
  update_cosigner_rules: async (hands) => {
    const { apiKey } = await hands.give({ kind: "developer", other: "member" })
    return {
      take: () => hands.call(apiKey, "update_cosigner_rules", { rules }),
      isGone: async (replica) =>
        (await at(replica, apiKey, "get_cosigner_rules")).rules.length === 1
    }
  },
  remove_cosigner: async (hands) => {
    const given = await hands.give({ kind: "agent", other: "member" })
    const { apiKey, membershipId } = given
    const { challenge } = await hands.call(apiKey, "remove_cosigner", { membershipId })
    const { challengeId, message } = challenge
    const walletSignature = await fundingWallet.signMessage({ message })
    const input = { membershipId, challengeId, walletSignature }
    return {
      take: () => hands.call(apiKey, "remove_cosigner", input),
      isGone: hasNoCosigner(given)
    }
  },
  revoke_cosigner_invite: async (hands) => {
    const given = await hands.give({ kind: "developer", other: "invited" })
    const { apiKey, inviteId } = given
    return {
      take: () => hands.call(apiKey, "revoke_cosigner_invite", { inviteId }),
      isGone: isClosed(given)
    }
  },
  decline_cosigner_invite: async (hands) => {
    const given = await hands.give({ kind: "developer", other: "invited" })
    const { inviteId, otherKey } = given
    return {
      take: () => hands.call(otherKey, "decline_cosigner_invite", { inviteId }),
      isGone: isClosed(given)
    }
  },
  change_role: async (hands) => {
    const taking = await signed("change_role", (personId) => ({ personId, role: "viewer" }))(hands)
    return { ...taking, isGone: isViewer(taking.ben) }
  },
  remove_person: signed("remove_person", (personId) => ({ personId })),
  update_account_settings: async (hands) => {
    const name = "sign/update_account_settings"
    const { ada, given } = await withPeople(hands)
    await ada.signs(name, { input: { secondPersonSigns: false } })
    return {
      take: () => ada.signs(name, { input: { secondPersonSigns: true } }),
      isGone: async (replica) =>
        (await at(replica, given.apiKey, "get_account")).settings.secondPersonSigns === true
    }
  }
}

const commands: Readonly<Record<Extract<Kind, `bursar ${string}`>, Way>> = {
  "bursar humans suspend": async (hands) => {
    const { ben, benId, given } = await withPeople(hands)
    const [passkey = ""] = await passkeysOf(hands, given, benId)
    return {
      take: () => hands.command("humans", "suspend", given.accountId, "--passkey", passkey),
      isGone: isOut(ben)
    }
  },
  "bursar humans role": async (hands) => {
    const { ben, benId, given } = await withPeople(hands)
    const words = ["humans", "role", given.accountId, "--human", benId, "--role", "viewer"]
    return { take: () => hands.command(...words), isGone: isViewer(ben) }
  },
  "bursar humans remove": async (hands) => {
    const { ben, benId, given } = await withPeople(hands)
    return {
      take: () => hands.command("humans", "remove", given.accountId, "--human", benId),
      isGone: isOut(ben)
    }
  },
  "bursar keys revoke": async (hands) => {
    const given = await hands.give({ kind: "developer" })
    const { id, text } = await anotherKey(hands, given)
    return {
      take: () => hands.command("keys", "revoke", given.accountId, "--key-id", id),
      isGone: isShutOut(text)
    }
  },
  "bursar tier set": async ({ command, give }) => {
    const { accountId, apiKey } = await give({ kind: "developer" })
    const words = ["tier", "set", accountId, "--tier", "personal"]
    return { take: () => command(...words), isGone: hasTier(apiKey) }
  },
  "bursar plan set": async ({ command, give }) => {
    const { accountId, apiKey } = await give({ kind: "agent" })
    const words = ["plan", "set", accountId, "--plan", "personal"]
    return { take: () => command(...words), isGone: hasTier(apiKey) }
  },
  "bursar pause": async ({ command, give }) => {
    const given = await give({ kind: "developer" })
    return {
      take: () => command("pause", given.accountId),
      isGone: refusesPayment(given, "ACCOUNT_PAUSED")
    }
  }
}

const inConsole: Readonly<Record<Extract<Kind, `console ${string}`>, Way>> = {
  "console pause": async (hands) => {
    const { ben, given } = await withPeople(hands)
    return { take: () => ben.post("pause"), isGone: refusesPayment(given, "ACCOUNT_PAUSED") }
  },
  "console remove_passkey": async (hands) => {
    const { ada, adaId, given } = await withPeople(hands)
    const { url } = await ada.signs("passkeys")
    const thief = await enrolled(hands.replica, url)
    const passkeys = await passkeysOf(hands, given, adaId)
    return {
      take: () => ada.signs("passkeys/remove", { passkeyId: passkeys.at(-1) }),
      isGone: isOut(thief)
    }
  },
  "console sign_governance": async (hands) => {
    const given = await hands.give({ kind: "developer", other: "member", hasPeople: true })
    const ada = await enrolled(hands.replica, given.links[0] ?? "")
    const { apiKey, membershipId } = given
    const { governanceRequestId } = await hands.call(apiKey, "remove_cosigner", { membershipId })
    return {
      take: () => ada.signs(`governance/${governanceRequestId}`, {}, "sign"),
      isGone: hasNoCosigner(given)
    }
  }
}

const ways: Readonly<Record<Kind, Way>> = { ...operations, ...commands, ...inConsole }

const wayless = kinds.filter((kind) => ways[kind] === undefined)
if (wayless.length > 0) {
  throw new Error(`The rounds have no way to take authority away by ${wayless.join(", ")}.`)
}

/** Sets one of a kind up, ready to be taken away at the process. */
export const ready = ({ chain, payees }: Scene, replica: Replica, kind: Kind): Promise<Taking> => {
  return ways[kind]({
    replica,
    give: (wanted) => replica.ask({ ask: "give", wanted, payee: payees[0] }) as Promise<Given>,
    call: async (apiKey, name, input = {}, key) =>
      data(await replica.call("REST", apiKey, name, input, key)),
    command: (...words) => replica.ask({ ask: "command", words }),
    mint: (address) => chain.mint(address, 100_000_000n)
  })
}
