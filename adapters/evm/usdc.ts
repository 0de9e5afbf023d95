/** The payer's side of a payment, for demos, examples and tests: a plain transfer from a private key. */
import { createClient, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { sendTransaction, waitForTransactionReceipt } from "viem/actions"
import { encodeFunctionData } from "viem/utils"
import { abi, address } from "./contract.ts"

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

/** Sends USDC and waits until it is in a block; its transaction. Rejects when it cannot be made. */
export const sendUsdc = async (payment: Payment): Promise<string> => {
  const client = createClient({
    account: privateKeyToAccount(address(payment.privateKey)),
    transport: http(payment.rpcUrl),
    pollingInterval: payment.pollMs ?? 50
  })
  const data = encodeFunctionData({
    abi,
    functionName: "transfer",
    args: [address(payment.to), payment.amountMicro]
  })
  const hash = await sendTransaction(client, { chain: null, to: address(payment.token), data })
  const receipt = await waitForTransactionReceipt(client, { hash })
  if (receipt.status !== "success") throw new Error(`The transfer ${hash} was reverted.`)
  return hash
}
