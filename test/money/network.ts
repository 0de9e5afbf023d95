/**
 * I2 on a network that lies: a proxy before the node loses replies, answers in other words, swallows what
 * it was given, or is away. What came of a send is known only by the chain, and the cap is held till then.
 */
import { until } from "../kill/scene.ts"
import type { Answered, Asked, Tampering } from "../support/json-rpc-proxy.ts"
import { dealt, type Figure, type Part, type Run } from "./part.ts"
import { data, inScene, type Replica, type Scene } from "./scene.ts"
import { holds, together, told, verdict } from "./verdict.ts"

interface Stage {
  readonly scene: Scene
  readonly service: Replica
  offsetMs: number
}

type Scenario = (stage: Stage) => Promise<void>

const key = ({ scene }: Stage) => scene.account.agentKeys[0]

const read = async (stage: Stage, proposalId: string) =>
  data(await stage.service.call("REST", key(stage), "get_proposal", { proposalId }))

const begin = async (stage: Stage): Promise<string> => {
  const { recipientIds, walletId } = stage.scene.account
  const { proposalId } = data(
    await stage.service.call("REST", key(stage), "propose_transfer", {
      recipientId: recipientIds[0],
      fromWalletId: walletId,
      amountUsdc: "2.5"
    })
  )
  data(await stage.service.call("REST", key(stage), "confirm_proposal", { proposalId }))
  return proposalId
}

/** Waits for an end, with blocks coming. */
const ends = async (stage: Stage, proposalId: string, wanted = "completed") => {
  await stage.scene.chain.automine(true)
  await until(`${proposalId} is ${wanted}`, async () => {
    await stage.scene.chain.mine()
    const { status } = await read(stage, proposalId)
    if (status !== "executing" && status !== wanted) throw new Error(`It is ${status}.`)
    return status === wanted && (await stage.scene.database.underWay()) === 0 ? true : undefined
  })
}

const isHandingOver = (asked: ReadonlyArray<Asked>) =>
  asked.some(({ method }) => method === "eth_sendRawTransaction")

/** Tampers with the first hand-overs, so many, and lets all else pass. */
const firstHandOvers =
  (most: number, tampering: Tampering): Tampering =>
  (asked, pass) => {
    if (!isHandingOver(asked) || most === 0) return pass(asked)
    most -= 1
    return tampering(asked, pass)
  }

const saying = (asked: ReadonlyArray<Asked>, message: string): ReadonlyArray<Answered> =>
  asked.map(({ id }) => ({ id, error: { code: -32_000, message } }))

const hash = `0x${"ab".repeat(32)}`

const swallowed: Tampering = (asked) => asked.map(({ id }) => ({ id, result: hash }))

const tampered =
  (tampering: () => Tampering): Scenario =>
  async (stage) => {
    await stage.scene.chain.tamper(tampering())
    await ends(stage, await begin(stage))
  }

const taken =
  (reply: "hang up" | "silence" | { readonly said: string }): Tampering =>
  async (asked, pass) => {
    await pass(asked)
    return typeof reply === "string" ? reply : saying(asked, reply.said)
  }

/** Its reservation stands, and it is shown as under way. */
const isHeld = async (stage: Stage, proposalId: string) => {
  const [held] = await stage.scene.database.rows<{ state: string }>(
    `select state from spend_reservation where proposal_id = '${proposalId}'`
  )
  const { status } = await read(stage, proposalId)
  if (held?.state !== "reserved" || status !== "executing") {
    throw new Error(`It is ${status} and its reservation ${held?.state}.`)
  }
}

const away = async (stage: Stage) => {
  const { chain } = stage.scene
  let isAway = false
  await chain.tamper(async (asked, pass) => {
    if (isAway) return "hang up"
    isAway = isHandingOver(asked)
    const answers = await pass(asked)
    return isAway ? "hang up" : answers
  })
  const proposalId = await begin(stage)
  await until("it shows as unknown", async () =>
    (await read(stage, proposalId)).subStatus === "unknown" ? true : undefined
  )
  await isHeld(stage, proposalId)
  await chain.tamper()
  await ends(stage, proposalId)
}

const awayFromTheStart = async (stage: Stage) => {
  await stage.scene.chain.tamper(() => "hang up")
  const proposalId = await begin(stage)
  await isHeld(stage, proposalId)
  await stage.scene.chain.tamper()
  await ends(stage, proposalId)
}

const handedOver = (stage: Stage, proposalId: string, transactions: number) =>
  until(`${transactions} were handed over`, async () => {
    const { subStatus, txHashes } = await read(stage, proposalId)
    return subStatus === "broadcast" && txHashes.length === transactions
      ? (txHashes as ReadonlyArray<string>)
      : undefined
  })

/** So long that what is in no block yet is replaced. */
const becomesOld = async (stage: Stage) => {
  stage.offsetMs += 31_000
  await stage.scene.chain.call("evm_increaseTime", 31)
  await stage.service.ask({ ask: "clock", offsetMs: stage.offsetMs })
}

const replaced = async (stage: Stage) => {
  await stage.scene.chain.automine(false)
  const proposalId = await begin(stage)
  for (let transactions = 1; transactions <= 3; transactions++) {
    await handedOver(stage, proposalId, transactions)
    await becomesOld(stage)
  }
  await ends(stage, proposalId)
}

/** It is told to be handed over just before it is. */
const arrived = ({ scene }: Stage, [txHash]: ReadonlyArray<string>) =>
  until("the node has it", async () =>
    (await scene.chain.call("eth_getTransactionByHash", txHash)) === null ? undefined : true
  )

/** The node says it took the replacement and forgets it; the first one is mined after all. */
const replacementLost = async (stage: Stage) => {
  const { chain } = stage.scene
  await chain.automine(false)
  const proposalId = await begin(stage)
  await arrived(stage, await handedOver(stage, proposalId, 1))
  await chain.tamper(firstHandOvers(Number.POSITIVE_INFINITY, swallowed))
  await becomesOld(stage)
  await handedOver(stage, proposalId, 2)
  await ends(stage, proposalId)
}

const dropped = async (stage: Stage) => {
  const { chain } = stage.scene
  await chain.automine(false)
  const proposalId = await begin(stage)
  const txHashes = await handedOver(stage, proposalId, 1)
  await arrived(stage, txHashes)
  await chain.call("anvil_dropTransaction", txHashes[0])
  await ends(stage, proposalId)
}

const reorganised = async (stage: Stage) => {
  const { chain } = stage.scene
  const proposalId = await begin(stage)
  await until("it is in a block", async () =>
    (await read(stage, proposalId)).subStatus === "confirming" ? true : undefined
  )
  await chain.call("anvil_reorg", 1, [])
  await ends(stage, proposalId)
}

/** Somebody else uses the relayer's key: nothing of ours can be mined under that nonce any more. */
const nonceUsedElsewhere = async (stage: Stage) => {
  const { chain } = stage.scene
  await chain.tamper(firstHandOvers(Number.POSITIVE_INFINITY, swallowed))
  const proposalId = await begin(stage)
  await handedOver(stage, proposalId, 1)
  const relayer = await stage.service.ask({ ask: "relayer" })
  await chain.call("anvil_impersonateAccount", relayer)
  await chain.call("eth_sendTransaction", { from: relayer, to: relayer, gas: "0x5208" })
  await chain.mine()
  await chain.call("anvil_stopImpersonatingAccount", relayer)
  await isHeld(stage, proposalId)
  await chain.tamper()
  await becomesOld(stage)
  await ends(stage, proposalId)
}

/** No node ever takes it, until the authorization has run out; what comes behind it is not held up. */
const neverTaken = async (stage: Stage) => {
  const { chain } = stage.scene
  await chain.tamper(firstHandOvers(Number.POSITIVE_INFINITY, swallowed))
  const proposalId = await begin(stage)
  await handedOver(stage, proposalId, 1)
  await isHeld(stage, proposalId)
  await chain.timePasses(1300)
  await until("it has failed", async () => {
    await chain.mine()
    return (await read(stage, proposalId)).status === "failed" ? true : undefined
  })
  await chain.tamper()
  await ends(stage, proposalId, "failed")
  await ends(stage, await begin(stage))
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  "the reply to a hand-over is lost": tampered(() => firstHandOvers(1, taken("hang up"))),
  "the node is silent after it took it": tampered(() => firstHandOvers(1, taken("silence"))),
  "already known": tampered(() => firstHandOvers(2, taken({ said: "already known" }))),
  "nonce too low": tampered(() => firstHandOvers(1, taken({ said: "nonce too low" }))),
  "refused and not taken": tampered(() =>
    firstHandOvers(1, (asked) => saying(asked, "internal error"))
  ),
  "taken, it says, and forgotten": tampered(() => firstHandOvers(2, swallowed)),
  "the chain is away after the hand-over": away,
  "the chain is away before anything": awayFromTheStart,
  "replaced until a block comes": replaced,
  "the replacement is lost": replacementLost,
  "dropped from the pool": dropped,
  "reorganised out of its block": reorganised,
  "the relayer's nonce is used elsewhere": nonceUsedElsewhere,
  "never taken until it runs out": neverTaken
}

export const part: Part = {
  name: "network",
  promise: "a network that lies makes no send happen twice, or not at all",
  run: async ({ bundle, say, times }: Run) => {
    const names = Object.keys(scenarios)
    const held = new Map(names.map((name) => [name, 0]))
    const runs = times(20, 1)
    const perform = (mine: ReadonlyArray<string>) =>
      inScene(bundle, { confirmations: 2 }, async (scene) => {
        const service = await scene.start({ rpcTimeoutMs: 500 })
        const stage: Stage = { scene, service, offsetMs: 0 }
        for (const name of mine) {
          try {
            await scenarios[name]?.(stage)
            held.set(name, (held.get(name) ?? 0) + 1)
          } catch (error) {
            say(`  ${name}: ${error}`)
          }
          await scene.chain.tamper()
          await scene.chain.automine(true)
        }
        return verdict(scene)
      })
    const work = Array.from({ length: runs }, () => names).flat()
    const ended = together(await Promise.all(dealt(work).map(perform)))
    const figures = names.map((name): Figure => {
      const count = held.get(name) ?? 0
      return { invariant: "I2", what: name, seen: `${count} of ${runs}`, holds: count === runs }
    })
    const all: Figure = {
      invariant: "I2, I3",
      what: "a network that lies, all scenes together",
      seen: told(ended),
      holds: holds(ended)
    }
    return [...figures, all]
  }
}
