/** What only a family of chains may know, where else in core it stands, and how to mend that. */
import type { Source } from "./source-tree.ts"

/** Where a family's own words may stand: its value, and the journals that it owns. */
const ofOneFamily = /^core\/(chains|evm|submissions|sending|settlements)\//u

/** What only a family may do, and how everybody else does it. */
const familyOnly: ReadonlyArray<readonly [pattern: RegExp, instead: string]> = [
  [/\bfamily\s*[!=]==/u, "ask the family's value what it does (core/chains/family.ts)"],
  [/["'`^]0x(?:[0-9a-fA-F]{8,}|\[)/u, "keep it with its family, in core/chains/"],
  [
    /(?:[aA]ddress|payTo|[pP]ayer|spender|relayer|token|holder|txHash|from|to)\.toLowerCase\(/u,
    "compare by Address.isSame, look up by Address.keyOf"
  ],
  [
    /\b(?:wei|gwei|gasPrice|gasLimit|maxFeePerGas|relayerNonce|eip155)\b/u,
    "keep it in the family's journal"
  ]
]

export const familyWordsIn = ({ path, text }: Source): ReadonlyArray<string> =>
  ofOneFamily.test(path)
    ? []
    : familyOnly.flatMap(([pattern, instead]) => {
        const found = pattern.exec(text)
        return found === null ? [] : [`${path} has ${found[0]}: ${instead}`]
      })
