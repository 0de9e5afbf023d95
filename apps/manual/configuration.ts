/** The configuration page: every setting of the service, and the chains it can be connected to. */
import { chains } from "../../core/chains/chain.ts"
import { finality, usdc } from "../../core/chains/usdc.ts"
import { settings } from "../server/configuration.ts"
import { code, generated, page, table } from "./markdown.ts"

const settingRows = Object.values(settings).map((setting) => [
  code(setting.variable),
  setting.default === undefined || setting.default === "(none)" ? "" : code(setting.default),
  setting.secret ? `${setting.meaning} **Secret.**` : setting.meaning
])

export const suffixOf = (chainId: string) => chainId.toUpperCase().replaceAll("-", "_")

/** Only chains whose native USDC and finality the treasury knows can be connected to by name. */
const chainRows = chains.flatMap((chain) => {
  const [token, rule] = [usdc[chain.id], finality[chain.id]]
  return token === undefined || rule === undefined
    ? []
    : [
        [
          code(chain.id),
          chain.name,
          code(chain.caip2),
          code(`BURSAR_RPC_${suffixOf(chain.id)}`),
          String(rule.confirmations),
          `${rule.pollMs / 1000} s`,
          code(token)
        ]
      ]
})

export const configuration = (): string =>
  page([
    generated("`apps/server/configuration.ts` and `core/chains/`"),
    "# Configuration",
    "The service is configured by environment variables, which it reads once when it starts. If one is invalid, it does not start and names it. An empty variable counts as not set.",
    table(["Variable", "Default", "Meaning"], settingRows),
    "## Chains",
    "The native USDC contract of each chain, and the number of confirmations after which a transfer is final; the transfer's own block is the first one. `BURSAR_CONFIRMATIONS_<CHAIN>` changes it for a chain. Solana says itself what is final: what is `confirmed` is shown, what is `finalized` counts, and the number of its blocks stands here for comparison. Money is given back, and sent again, only by a block that the node calls `finalized`; `BURSAR_FINALITY_<CHAIN>=safe` takes `safe`, for a rollup.",
    table(
      ["Chain", "Name", "CAIP-2", "RPC variable", "Confirmations", "Looks every", "USDC"],
      chainRows
    )
  ])
