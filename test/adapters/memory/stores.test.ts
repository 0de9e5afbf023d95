/** The in-memory stores keep every contract. */
import * as Ids from "../../../adapters/memory/ids.ts"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as Signer from "../../../adapters/memory/signer.ts"
import { everyStore } from "../../contracts/every-store.ts"
import * as IdsContract from "../../contracts/ids.contract.ts"
import * as SignerContract from "../../contracts/signer.contract.ts"

everyStore("memory", Memory.layer())
IdsContract.suite("memory", Ids.layer(1))
SignerContract.suite("memory", Signer.layer)
