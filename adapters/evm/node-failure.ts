/** Tells a failure of a chain's node from other failures of an effect that asks both nodes and others. */
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { RpcFailed } from "./rpc.ts"

export const isOfNode = (failed: unknown): failed is RpcFailed | ChainUnavailable => {
  const { _tag } = failed as { readonly _tag?: unknown }
  return _tag === "RpcFailed" || _tag === "ChainUnavailable"
}
