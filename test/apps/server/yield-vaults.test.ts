/** The operator's yield vaults are read whole, or the service says which entry is wrong and how to write it. */
import { assert, it } from "@effect/vitest"
import { yieldVaults } from "../../../apps/server/yield-vaults.ts"

const vault = "0x98C23E9d8f34FEFb1B7BD6a91B7FF122F4e16F5c"
const token = "0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c"

it("entries name a vault, and its token where that is not USDC", () => {
  assert.deepStrictEqual(
    yieldVaults([
      `ethereum:erc4626:${vault}:morpho-blue`,
      `base:aave_v3:${vault.toLowerCase()}:aave-v3:${token}`
    ]) as unknown,
    [
      { chainId: "ethereum", kind: "erc4626", protocol: "morpho-blue", address: vault },
      { chainId: "base", kind: "aave_v3", protocol: "aave-v3", address: vault, asset: token }
    ]
  )
})

it.each([
  [[`ethereum:erc4626:${vault}`], "write chain:kind:0xvault:protocol"],
  [[`ethereum:erc4626:${vault}:a:${token}:b`], "write chain:kind:0xvault:protocol"],
  [[`atlantis:erc4626:${vault}:a`], "name a chain by its id"],
  [[`ethereum:compound:${vault}:a`], "the kind is erc4626 or aave_v3"],
  [[`ethereum:erc4626:${vault}:a b`], "a protocol is 1 to 32 letters"],
  [[`ethereum:erc4626:${vault.replace("c", "C")}:a`], "the vault is no address of that chain"],
  [[`ethereum:erc4626:${vault}:a:0x12`], "the token is no address of that chain"],
  [[`ethereum:erc4626:${vault}:a`, `ethereum:aave_v3:${vault}:b`], "it is listed twice"]
] as const)("%s is refused: %s", (entries, said) => {
  assert.throws(() => yieldVaults(entries), said)
})
