/** What the sandbox prints once it is ready: where everything is, and commands to copy. */
import type { SandboxFacts } from "./facts.ts"

const row = (name: string, value: string) => `  ${name.padEnd(15)}${value}`

const solanaRows = ({ payer, rpcUrl, usdc }: NonNullable<SandboxFacts["solana"]>) =>
  [
    row("Solana", `local-solana at ${rpcUrl}`),
    row("Its USDC", usdc),
    row("Its payer", `${payer.address} (has USDC and SOL)\n`)
  ].join("\n")

/** How the command line is called in a clone of the sources. */
export const inClone = "npm run -s bursar --"

interface Where {
  /** Where the sandbox keeps its data. */
  readonly directory: string
  /** How the command line is called. */
  readonly bursar: string
  readonly readyMs: number
}

/** The command line as it runs beside the sandbox. */
const commandIn = ({ bursar, directory }: Where) =>
  `${directory === ".bursar" ? "" : `BURSAR_DATA_DIR='${directory}' `}${bursar}`

const secondLine = ({ secondChain, wallets }: SandboxFacts): string => {
  if (secondChain === undefined || secondChain === null) return "none"
  const { chainId, rpcUrl } = secondChain
  const isThere = wallets.some((wallet) => wallet.chainId === chainId)
  return `${chainId} at ${rpcUrl}${isThere ? "" : ", once a bridge is asked for"}`
}

/** How USDC gets to the second chain; its wallets are there once it was asked for. */
const bridgeLines = ({ chain, secondChain, wallets }: SandboxFacts, bursar: string): string => {
  if (secondChain === undefined || secondChain === null) return ""
  const { chainId, usdc } = secondChain
  const isOwn = (id: string) => (wallet: SandboxFacts["wallets"][number]) =>
    wallet.account === "agent" && wallet.kind === "standard" && wallet.chainId === id
  const from = wallets.find(isOwn(chain.chainId))?.id
  const to = wallets.find(isOwn(chainId))?.id ?? '<the id of "Main on the second chain">'
  return `
Carry 20 USDC to a second chain, which starts when it is first asked for:
  ${bursar} get-routing-guide --as agent --from-chain-id ${chain.chainId} --to-chain-id ${chainId}
  ${bursar} list-wallets --as agent
  ${bursar} propose-bridge --as agent --amount-usd 20 --sell-symbol USDC --buy-symbol USDC \\
    --from-wallet-id ${from} --to-wallet-id ${to} \\
    --sell-token-address ${chain.usdc} --buy-token-address ${usdc}
  ${bursar} confirm-proposal --as agent --wait <the proposalId it printed>
`
}

export const welcome = (facts: SandboxFacts, where: Where): string => {
  const { directory, readyMs } = where
  const command = commandIn(where)
  const vault = facts.wallets.find(
    (wallet) => wallet.kind === "collection" && wallet.account === "developer"
  )
  const bearer = `-H "Authorization: Bearer ${facts.developerKey}"`
  return `
Bursar sandbox, ready in ${(readyMs / 1000).toFixed(1)} s

${row("Site", facts.siteUrl)}
${row("REST", facts.baseUrl)}
${row("Tools", facts.mcpUrl)}
${row("Manual", `${facts.siteUrl}/docs`)}
${row("Developer key", facts.developerKey)}
${row("Agent key", facts.agentKey)}
${row("Worker key", `${facts.workerKey} (the agent's, without keys:manage)`)}
${row("Console link", facts.enrolmentUrl ?? "")}
${row("Chain", `local (31337) at ${facts.chain.rpcUrl}`)}
${row("USDC", facts.chain.usdc)}
${row("Payer", `${facts.payer.address} (has USDC and gas)`)}
${facts.solana ? solanaRows(facts.solana) : ""}${row("Second chain", secondLine(facts))}
${row("Demo vault", vault?.address ?? "")}
${row("Outgoing mail", `${directory}/outbox`)}
${row("Saved in", `${directory}/sandbox.json`)}

Your first paid invoice, in a second terminal in this directory:
  ${command} create-payment-request ${vault?.id ?? "<vault>"} --amount-usd 49
  ${command} pay <the paymentUrl it printed>
Or open the paymentUrl in a browser and press its button.

List the wallets:
  curl -s ${facts.baseUrl}/wallets \\
    ${bearer}

Request 49 USDC from a customer:
  curl -s ${facts.baseUrl}/payment-requests \\
    ${bearer} -H "Content-Type: application/json" \\
    -d '{"walletMappingId":"${vault?.id ?? ""}","amountUsd":49}'

Call an operation as a tool:
  curl -s ${facts.mcpUrl} \\
    ${bearer} -H "Content-Type: application/json" \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_account","arguments":{}}}'
${bridgeLines(facts, command)}
${where.bursar === inClone ? "See a whole payment and send: npm run demo        " : ""}Stop with Ctrl-C
`
}
