/**
 * How V8 compiles the embedded engine: each function when it is first called, quickly, and not again for speed, which
 * would take as much memory once more. These are flags of V8 that stand only while the engine is opened: code that was
 * compiled under other flags is not taken from a cache, neither Node's own nor ours.
 */

const quickly = [
  // A function that is not valid ends the process when it is first called.
  "--wasm-lazy-validation",
  "--no-wasm-tier-up",
  "--no-wasm-dynamic-tiering",
  // What is first called later may be compiled for speed once it has run for very long.
  "--wasm-tiering-budget=2000000000"
]

/** V8's own defaults. */
const usual = [
  "--no-wasm-lazy-validation",
  "--wasm-tier-up",
  "--wasm-dynamic-tiering",
  "--wasm-tiering-budget=13000000"
]

let opening = 0

export const compiledQuickly = async <A>(open: () => Promise<A>): Promise<A> => {
  const { setFlagsFromString } = await import("node:v8")
  const set = (flags: ReadonlyArray<string>) => {
    for (const flag of flags) setFlagsFromString(flag)
  }
  if (opening === 0) set(quickly)
  opening += 1
  try {
    return await open()
  } finally {
    opening -= 1
    if (opening === 0) set(usual)
  }
}
