/** Solana keeps the contract of chains, proven on a real virtual machine behind the interface of a node. */
import { Layer } from "effect"
import * as Reorganisations from "../../contracts/chain-reorganisations.contract.ts"
import * as Contract from "../../contracts/chains.contract.ts"
import * as Solana from "../../support/solana.ts"
import { chains, world } from "../../support/solana-world.ts"

const all = Layer.merge(world, chains).pipe(Layer.provide(Layer.orDie(Solana.layer)))
Contract.suite("solana", all)
Reorganisations.suite("solana", all)
