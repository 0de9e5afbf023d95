/** A payment on Solana that a node takes and drops: it is sent again as it is, and what no block can take is told. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { getBase58Decoder } from "@solana/kit"
import { NotPaid, payUsdc } from "../../../apps/sandbox/solana/pay-usdc.ts"

const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
const to = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"

/** The keypair of RFC 8032's first test vector. */
const privateKey = getBase58Decoder().decode(
  Buffer.from(
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "hex"
  )
)

interface Said {
  readonly status: { readonly err: unknown; readonly confirmationStatus: string } | null
  readonly height: number
  /** The slot that whoever tells of the status has come to; that of the height when left out. */
  readonly slot?: number
}

const context = { slot: 1 }
const slotOf = (height: number) => height + 1000

/** Pays through a node that says this of a transaction that was sent so often; what was sent. */
const paidThrough = async (say: (sent: number) => Said) => {
  const sent: Array<string> = []
  const answers: Readonly<Record<string, (params: ReadonlyArray<string>) => unknown>> = {
    getLatestBlockhash: () => ({ context, value: { blockhash: to, lastValidBlockHeight: 150 } }),
    getEpochInfo: () => {
      const { height } = say(sent.length)
      const epoch = { epoch: 1, slotIndex: 1, slotsInEpoch: 432_000, transactionCount: 1 }
      return { ...epoch, absoluteSlot: slotOf(height), blockHeight: height }
    },
    getSignatureStatuses: () => {
      const { height, slot = slotOf(height), status } = say(sent.length)
      const known = status && { slot: 1, confirmations: null, status: { Ok: null }, ...status }
      return { context: { slot }, value: [known] }
    },
    sendTransaction: ([wire = ""]) => {
      sent.push(wire)
      return "taken"
    }
  }
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(Buffer.concat(await request.toArray()).toString("utf8"))
    const result = answers[asked.method]?.(asked.params)
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ jsonrpc: "2.0", id: asked.id, result }))
  })
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume))
  const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const end = await payUsdc({ rpcUrl, privateKey, mint, to, amountMicro: 1n, pollMs: 1 }).catch(
      (error: unknown) => error
    )
    return { end, sent }
  } finally {
    server.closeAllConnections()
    await new Promise((resume) => server.close(resume))
  }
}

const confirmed = { err: null, confirmationStatus: "confirmed" }

describe("a payment on Solana", () => {
  it("is sent again, the same bytes, until a block has it", async () => {
    const { end, sent } = await paidThrough((times) => ({
      status: times < 3 ? null : confirmed,
      height: 100
    }))
    assert.isString(end)
    assert.lengthOf(sent, 3)
    assert.lengthOf([...new Set(sent)], 1)
  })

  it("was not paid when no block has it and none can any more", async () => {
    const { end, sent } = await paidThrough((times) => ({
      status: null,
      height: times < 3 ? 150 : 151
    }))
    assert.instanceOf(end, NotPaid)
    assert.lengthOf(sent, 3)
  })

  it("is not given up on the word of a node that lags behind", async () => {
    const { end, sent } = await paidThrough((times) => ({
      status: times < 3 ? null : confirmed,
      height: 151,
      slot: slotOf(150)
    }))
    assert.isString(end)
    assert.lengthOf(sent, 3)
  })

  const failed = { err: { InstructionError: [1, { Custom: 1 }] } }

  it("was not paid when a block that stays has it as failed", async () => {
    const { end } = await paidThrough(() => ({
      status: { ...failed, confirmationStatus: "finalized" },
      height: 100
    }))
    assert.instanceOf(end, NotPaid)
  })

  it("was paid when the fork on which it failed was dropped", async () => {
    const { end } = await paidThrough((times) => ({
      status:
        times < 2
          ? { ...failed, confirmationStatus: times === 0 ? "processed" : "confirmed" }
          : confirmed,
      height: 100
    }))
    assert.isString(end)
  })
})
