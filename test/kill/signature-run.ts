/**
 * One payment by signature, with the service dying on the way: the payer hands the same header in again
 * until it is answered, as a client of x402 does, and it is paid once and told once.
 */
import { setTimeout } from "node:timers/promises"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { Point } from "./points.ts"
import { type Outcome, told } from "./runs.ts"
import { type Scene, until } from "./scene.ts"

/** Longer than a worker may hold a settlement. */
const leaseMs = 61_000

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

/** What the payer signs of the offer in a 402, as its header. */
const headerFor = async (account: ReturnType<typeof privateKeyToAccount>, required: string) => {
  const { accepts, resource } = JSON.parse(Buffer.from(required, "base64").toString("utf8"))
  const [accepted] = accepts
  const authorization = {
    from: account.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: "0",
    validBefore: String(Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds),
    nonce: generatePrivateKey()
  }
  const signature = await account.signTypedData({
    domain: { ...accepted.extra, chainId: 31337, verifyingContract: accepted.asset },
    types,
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: 0n,
      validBefore: BigInt(authorization.validBefore)
    }
  })
  const payload = { x402Version: 2, resource, accepted, payload: { signature, authorization } }
  return Buffer.from(JSON.stringify(payload)).toString("base64")
}

/** Mines for as long as the work goes on. */
export const whileMining = async <A>(scene: Scene, work: Promise<A>): Promise<A> => {
  let goesOn = true
  const mining = (async () => {
    while (goesOn) {
      await scene.mine()
      await setTimeout(50)
    }
  })()
  try {
    return await work
  } finally {
    goesOn = false
    await mining
  }
}

let nextAmountMicro = 2_000_000n

export const signature = async (scene: Scene, point: Point): Promise<Outcome> => {
  const vault = await scene.takeVault()
  const amountMicro = nextAmountMicro++
  const { pid } = await scene.ask("POST", "/api/v1/payment-requests", {
    walletMappingId: vault.walletMappingId,
    amountSmallestUnit: amountMicro.toString()
  })
  const account = privateKeyToAccount(generatePrivateKey())
  await scene.send(account.address, amountMicro)
  await scene.mine()
  const asked = await scene.link(pid)
  const header = await headerFor(account, asked.headers.get("payment-required") ?? "")
  await scene.arm(point)
  const first = scene.link(pid, header).then(
    ({ status }) => `was answered ${status}`,
    () => "was lost"
  )
  await whileMining(scene, scene.dies())
  const fate = await first
  await scene.restart(leaseMs)
  const answer = await whileMining(
    scene,
    until("the payment is taken", async () => {
      const reply = await scene.link(pid, header)
      return reply.status === 402 ? undefined : reply
    })
  )
  const { paid, ...heard } = await whileMining(scene, told(scene, pid, vault, amountMicro))
  return {
    pid,
    repeats: heard.arrivals - 1,
    violations: [
      ...heard.violations,
      ...(fate === "was lost" ? [] : [`not so: the first call was lost, it ${fate}`]),
      ...(answer.status === 200 ? [] : [`not so: the payment is answered 200: ${answer.status}`]),
      ...(paid.method === "x402" ? [] : ["not so: it was paid by what was signed"])
    ]
  }
}
