/** What only a family of chains may know, where it stands, and how everybody else does without it. */
import type { Source } from "./source-tree.ts"

/** The rooms and adapters of one family each, and what stands for a chain of one in tests and the sandbox. */
const ofOneFamily = [
  /^core\/(chains|evm|solana)\//u,
  /^adapters\/(evm|solana|keys)\//u,
  /^adapters\/memory\/(allowances|authorization|bridges|calls|chains|mempool|scripted-[a-z]+|signatures|submitter|solana-[a-z]+|swap-venue|wallet-keys)\.ts$/u,
  // x402 has a scheme for each family, and its packages name networks as the schemes do.
  /^adapters\/x402\/(payload|protocol)\.ts$/u,
  // A wallet in a browser is of one family.
  /^adapters\/pages\/checkout\/wallet\.ts$/u,
  /^apps\/(sandbox\/|package\/(evm|solana)\.ts$)/u
]

/** Examples for readers, what the testing entrance gives its scripted chain, and numbers that are no address. */
const maySayLiterals =
  /^apps\/(manual|testing)\/|^apps\/cli\/operator\/|^apps\/server\/(configuration|plans|tokens)\.ts$|^core\/accounts\/address-range\.ts$/u

interface Rule {
  readonly pattern: RegExp
  /** Where no chain is meant by it. */
  readonly besides?: RegExp
  readonly instead: string
}

const rules: ReadonlyArray<Rule> = [
  {
    pattern:
      /\bfamily\b\)?\s*(?:[!=]==|in\b)|[!=]==\s*[\w.()]*\bfamily\b|switch\s*\([^)]*\bfamily\b/u,
    besides: /^core\/submissions\/submitter\.ts$/u,
    instead: "ask the family's value what it does (core/chains/family.ts)"
  },
  {
    pattern: /(?:["'`]|\/\^)[^"'`/\n]*\b0x(?:[0-9a-fA-F]{2}|[[…$])/u,
    besides: maySayLiterals,
    instead: "keep it with its family, in core/chains/"
  },
  {
    pattern:
      /\b\w*(?:[aA]ddress|[aA]sset|[pP]ayTo|[pP]ayer|[sS]pender|[rR]elayer|[tT]oken|[hH]older|[oO]wner|[sS]igner|[wW]allet|[cC]ontract|[mM]int|[hH]ash|[tT]xId|[sS]ignature|[nN]once|[uU]sdc|\bfrom|\bto)(?:\(\w*\)|\.\w+)?\s*\.to(?:Lower|Upper)Case\(/u,
    instead: "compare by Address.isSame, look up by Address.keyOf"
  },
  {
    pattern:
      /\b(?:wei|gwei|[gG]asPrice|[gG]asLimit|[mM]ax(?:Priority)?FeePerGas|[rR]elayerNonce|eip155|lamports?|blockhash)\b/u,
    instead: "keep it in the family's journal"
  }
]

export const familyWordsIn = ({ path, text }: Source): ReadonlyArray<string> =>
  ofOneFamily.some((room) => room.test(path))
    ? []
    : rules.flatMap(({ besides, instead, pattern }) => {
        const found = besides?.test(path) === true ? null : pattern.exec(text)
        return found === null ? [] : [`${path} has ${found[0]}: ${instead}`]
      })
