/**
 * How much of those who come and go the old generation holds when they have gone: a process of its own, since in a large
 * heap V8 moves everything there. It prints the bytes of what its first argument names.
 */
import * as v8 from "node:v8"
import * as vm from "node:vm"
import * as Turns from "../../adapters/http/edge/turns.ts"
import * as Present from "../../adapters/http/present.ts"

v8.setFlagsFromString("--expose-gc")
const collect: (options: { readonly type: "minor" | "major" }) => void = vm.runInNewContext("gc")

const oldBytes = (): number =>
  v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")
    ?.space_used_size ?? Number.NaN

type Enter = (one: object) => () => unknown

const makers: Readonly<Record<string, () => Enter>> = {
  set: () => {
    const set = new Set<object>()
    return (one) => {
      set.add(one)
      return () => set.delete(one)
    }
  },
  present: () => {
    const here = Present.make<object>()
    return (one) => here.enter(one)
  },
  turns: () => {
    const { awaitKey } = Turns.make()
    return () => {
      let leave: () => void = () => undefined
      awaitKey("key", {
        begin: (leaving) => {
          leave = leaving
        },
        refuse: () => undefined
      })
      return () => leave()
    }
  }
}

/** Eight are here at any time, some sixteen mebibytes of them in all. */
const comeAndGo = (enter: Enter) => {
  const here: Array<() => unknown> = []
  for (let count = 0; count < 8_000; count++) {
    here.push(enter({ carried: Array.from({ length: 250 }, () => count) }))
    if (here.length > 8) here.shift()?.()
    if (count % 400 === 0) collect({ type: "minor" })
  }
}

/** The least of three attempts, each anew, as the collector may be in the middle of something when one begins. */
const keptBytes = (make: () => Enter): number => {
  const attempts = [1, 2, 3].map(() => {
    const enter = make()
    comeAndGo(enter)
    collect({ type: "major" })
    const before = oldBytes()
    comeAndGo(enter)
    return oldBytes() - before
  })
  return Math.min(...attempts)
}

const make = makers[process.argv[2] ?? ""]
if (make === undefined) throw new Error(`One of ${Object.keys(makers).join(", ")}`)
console.log(keptBytes(make))
