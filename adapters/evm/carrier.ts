/**
 * The relayer's EIP-1559 transaction around an authorization. Gas is fixed and signing deterministic, so
 * that the same nonce and fees always give the same bytes.
 */
import { signTransaction } from "viem/accounts"
import { keccak256 } from "viem/utils"
import type { Authorization, Carrier } from "../../core/proposals/execution.ts"
import { callOf } from "./authorization.ts"
import { type Address, address } from "./contract.ts"

/** A transfer to an address that never held USDC takes about 103,000. */
export const gas = 150_000n

export interface Fees extends Pick<Carrier, "maxFeePerGas" | "maxPriorityFeePerGas"> {}

export const wrap = async (
  privateKey: Address,
  chainNumber: number,
  authorization: Authorization,
  relayerNonce: number,
  { maxFeePerGas, maxPriorityFeePerGas }: Fees
): Promise<Pick<Carrier, "raw" | "txHash">> => {
  const raw = await signTransaction({
    privateKey,
    transaction: {
      type: "eip1559",
      chainId: chainNumber,
      nonce: relayerNonce,
      to: address(authorization.token),
      data: callOf(authorization),
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas
    }
  })
  return { raw, txHash: keccak256(raw) }
}
