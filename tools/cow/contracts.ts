/**
 * Makes `apps/sandbox/cow/contracts.ts`: our own contracts of the local chain compiled, and CoW Protocol's as
 * they are published. Nothing is downloaded beside this folder's packages, and the same packages make the same file.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import solc from "solc"

const require = createRequire(import.meta.url)
const here = new URL(".", import.meta.url)
const target = new URL("../../apps/sandbox/cow/contracts.ts", here)

const source = readFileSync(new URL("Local.sol", here), "utf8")

const compiled = () => {
  const input = {
    language: "Solidity",
    sources: { "Local.sol": { content: source } },
    settings: {
      evmVersion: "cancun",
      optimizer: { enabled: true, runs: 200 },
      metadata: { appendCBOR: false, bytecodeHash: "none" },
      outputSelection: { "*": { "*": ["evm.bytecode.object"] } }
    }
  }
  const find = (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }))
  const failures = (output.errors ?? []).filter(
    ({ severity }: { severity: string }) => severity === "error"
  )
  if (failures.length > 0) throw new Error(failures[0].formattedMessage)
  return (name: string): string => `0x${output.contracts["Local.sol"][name].evm.bytecode.object}`
}

const published = (path: string) =>
  JSON.parse(readFileSync(require.resolve(`@cowprotocol/contracts/${path}`), "utf8"))

const text = (name: string, said: string, code: string): string =>
  `\n/** ${said} */\nexport const ${name} =\n  ${JSON.stringify(code)}\n`

const own = compiled()
const settlement = published("deployments/mainnet/GPv2Settlement.json")
const allowList = published("lib/contracts/GPv2AllowListAuthentication.json")

writeFileSync(
  target,
  `/**
 * Code of contracts, made by \`tools/cow/contracts.ts\`; do not edit. What is CoW Protocol's is the published code
 * of @cowprotocol/contracts 1.8.0 (LGPL-3.0, https://github.com/cowprotocol/contracts) and runs on local chains alone.
 */
${[
  text("settlementCode", "GPv2Settlement, to be created.", settlement.bytecode),
  text(
    "allowListCode",
    "GPv2AllowListAuthentication, as it lies on a chain.",
    allowList.deployedBytecode
  ),
  text("tokenCode", "A token, to be created.", own("LocalToken")),
  text("poolCode", "A pool, to be created.", own("LocalPool")),
  text(
    "contractWalletCode",
    "A wallet that is a contract, to be created.",
    own("LocalContractWallet")
  )
].join("")}`
)
