/** Text that a payment carries on its chain, for all to read: how much of it the chain's family takes. */
import { familyOf } from "./address.ts"

export const maxBytes = (chainId: string): number => familyOf(chainId).maxMemoBytes

/** Of its UTF-8. */
export const bytesOf = (memo: string): number =>
  [...memo].reduce((bytes, letter) => {
    const point = letter.codePointAt(0) ?? 0
    return bytes + (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4)
  }, 0)

/** Whether payments on the chain can carry it. */
export const isCarried = (chainId: string, memo: string): boolean =>
  bytesOf(memo) <= maxBytes(chainId)
