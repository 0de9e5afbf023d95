/** The payer's side of a payment, for demos, examples and tests: a plain transfer from a private key. */
import { Effect } from "effect"
import { createClient, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { sendTransaction, waitForTransactionReceipt } from "viem/actions"
import { encodeFunctionData } from "viem/utils"
import { abi, address } from "./usdc.ts"

export interface Payment {
  readonly rpcUrl: string
  readonly privateKey: string
  /** The contract that is USDC on that chain. */
  readonly token: string
  readonly to: string
  readonly amountMicro: bigint
  /** How often to ask for the receipt. */
  readonly pollMs?: number
}

export interface Receipt {
  readonly txHash: string
  readonly blockNumber: number
}

const send = async (payment: Payment): Promise<Receipt> => {
  const account = privateKeyToAccount(address(payment.privateKey))
  const client = createClient({
    account,
    transport: http(payment.rpcUrl),
    pollingInterval: payment.pollMs ?? 50
  })
  const hash = await sendTransaction(client, {
    chain: null,
    to: address(payment.token),
    data: encodeFunctionData({
      abi,
      functionName: "transfer",
      args: [address(payment.to), payment.amountMicro]
    })
  })
  const receipt = await waitForTransactionReceipt(client, { hash })
  if (receipt.status !== "success") throw new Error(`The transfer ${hash} was reverted.`)
  return { txHash: hash, blockNumber: Number(receipt.blockNumber) }
}

/** Sends USDC and waits until it is in a block; a transfer that cannot be made is a defect. */
export const sendUsdc = (payment: Payment): Effect.Effect<Receipt> =>
  Effect.promise(() => send(payment))
