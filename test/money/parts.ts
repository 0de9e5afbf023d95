/** All parts of the verification, in the order they run. */
import * as Amounts from "./amounts.ts"
import * as BridgeFromSolana from "./bridge-from-solana.ts"
import * as BridgeRaces from "./bridge-races.ts"
import * as BridgeToSolana from "./bridge-to-solana.ts"
import * as Bridges from "./bridges.ts"
import * as Cooldown from "./cooldown.ts"
import * as Endings from "./endings.ts"
import * as Fees from "./fees.ts"
import * as Fifty from "./fifty.ts"
import * as Foreign from "./foreign.ts"
import * as Hostile from "./hostile.ts"
import * as Kills from "./kills.ts"
import * as LostBridges from "./lost-bridges.ts"
import * as Network from "./network.ts"
import type { Part } from "./part.ts"
import * as Races from "./races.ts"
import * as Retries from "./retries.ts"
import * as Solana from "./solana.ts"
import * as SolanaMarks from "./solana-marks.ts"
import * as SolanaPayment from "./solana-payment.ts"
import * as SolanaRaces from "./solana-races.ts"
import * as SolanaSwap from "./solana-swap.ts"
import * as SolanaSwapPrices from "./solana-swap-prices.ts"
import * as Stale from "./stale.ts"
import * as SwapPrices from "./swap-prices.ts"
import * as Swaps from "./swaps.ts"
import * as VenueLies from "./venue-lies.ts"
import * as WalletCalls from "./wallet-calls.ts"

export const parts: ReadonlyArray<Part> = [
  Amounts.part,
  Races.part,
  Kills.part,
  Kills.standing,
  BridgeToSolana.part,
  BridgeFromSolana.part,
  Stale.part,
  Network.part,
  Fifty.part,
  Endings.part,
  Retries.part,
  Cooldown.part,
  Foreign.part,
  Solana.part,
  Solana.standing,
  SolanaRaces.part,
  SolanaMarks.part,
  SolanaPayment.part,
  Hostile.part,
  Swaps.part,
  SwapPrices.part,
  VenueLies.part,
  WalletCalls.part,
  WalletCalls.cancelled,
  SolanaSwap.part,
  SolanaSwapPrices.part,
  Bridges.part,
  BridgeRaces.part,
  LostBridges.part,
  Fees.part
]
