/** The in-memory stores keep every contract. */
import { Layer } from "effect"
import * as Ids from "../../../adapters/memory/ids.ts"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as WalletKeys from "../../../adapters/memory/wallet-keys.ts"
import { everyStore } from "../../contracts/every-store.ts"
import * as IdsContract from "../../contracts/ids.contract.ts"
import * as WalletKeysContract from "../../contracts/wallet-keys.contract.ts"
import { trusting } from "../../support/signing-policies.ts"

everyStore("memory", Memory.layer())
IdsContract.suite("memory", Ids.layer(1))
WalletKeysContract.suite("memory", Layer.provide(WalletKeys.layer, trusting))
WalletKeysContract.suite("memory, Solana", Layer.provide(WalletKeys.layer, trusting), "solana")
