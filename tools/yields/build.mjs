/** Compiles the yield vault with npm's compiler, and writes what the local chain deploys. Run: npm install && npm run build. */
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import solc from "solc"

const require = createRequire(import.meta.url)
const read = (path) => readFileSync(path, "utf8")

const compiled = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: "Solidity",
      sources: { "YieldVault.sol": { content: read(new URL("YieldVault.sol", import.meta.url)) } },
      settings: {
        evmVersion: "paris",
        optimizer: { enabled: true, runs: 200 },
        metadata: { bytecodeHash: "none", appendCBOR: false },
        outputSelection: { "*": { YieldVault: ["evm.bytecode.object"] } }
      }
    }),
    { import: (path) => ({ contents: read(require.resolve(path)) }) }
  )
)

const broken = (compiled.errors ?? []).filter(({ severity }) => severity === "error")
if (broken.length > 0) throw new Error(broken.map((each) => each.formattedMessage).join("\n"))

const { object } = compiled.contracts["YieldVault.sol"].YieldVault.evm.bytecode
const target = new URL("../../apps/sandbox/yield-vault.json", import.meta.url)
writeFileSync(target, `${JSON.stringify({ bytecode: `0x${object}` }, undefined, 2)}\n`)
console.log(`Wrote ${object.length / 2} bytes.`)
