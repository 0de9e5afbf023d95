/** Vaults that earn on USDC and are known by name, as whoever runs them publishes them. Test networks have none. */

export interface KnownVault {
  /** How it is read (`core/ports/yield-positions.ts`). */
  readonly kind: "erc4626" | "aave_v3"
  readonly protocol: string
  readonly address: string
}

const aave = (address: string): ReadonlyArray<KnownVault> => [
  { kind: "aave_v3", protocol: "aave-v3", address }
]

/** By chain id. Of Aave V3 the token that suppliers of USDC hold. */
export const yieldVaults: Readonly<Record<string, ReadonlyArray<KnownVault>>> = {
  ethereum: aave("0x98C23E9d8f34FEFb1B7BD6a91B7FF122F4e16F5c"),
  base: aave("0x4e65fE4DbA92790696d040ac24Aa414708F5c0AB"),
  arbitrum: aave("0x724dc807b04555b71ed48a6896b6F41593b8C637"),
  optimism: aave("0x38d693cE1dF5AaDF7bC62595A37D667aD57922e5"),
  polygon: aave("0xA4D94019934D8333Ef880ABFFbF2FDd611C762BD")
}
