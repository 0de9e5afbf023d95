/** The rules of the house that no compiler states. Each test lists what breaks the rule, and wants an empty list. */
import { assert, describe, it } from "@effect/vitest"
import { bound } from "../adapters/http/route.ts"
import { classes } from "../apps/manual/errors.ts"
import { Scope } from "../core/operation/caller.ts"
import { operations } from "../core/treasury/operations.ts"
import { stores } from "../core/treasury/stores.ts"
import { familyWordsIn } from "./support/family-words.ts"
import { isPort } from "./support/floors.ts"
import { files, type Source, sources, sourcesIn, textOf } from "./support/source-tree.ts"

const none = (broken: ReadonlyArray<string>) => assert.strictEqual(broken.join("\n"), "")

const core = sourcesIn("core")
const adapters = sourcesIn("adapters")
const apps = sourcesIn("apps")

/** `adapters/http/route.ts` is of the adapter `http`. */
const adapterOf = (path: string | undefined): string | undefined =>
  /^adapters\/([^/]+)\//u.exec(path ?? "")?.[1]

/**
 * Tools, pages, payments and the console are served beside REST and speak of the same clients, refusals and
 * schemas. Whoever opens the data directory makes it private in one way.
 * What is loaded when first needed is loaded in one way too, and what `fetch` would repeat in the log is known in one.
 * What is asked in one turn of the event loop is gathered in one way.
 */
const mayShare = new Set([
  "postgres → disk",
  "postgres → turns",
  "secrets → disk",
  "mcp → http",
  "console → http",
  "pages → http",
  "pages → console",
  "x402 → http",
  "x402 → loading",
  "evm → loading",
  "evm → turns",
  "evm → fetching",
  "solana → fetching",
  "keys → loading",
  "providers → loading",
  "webhook-sender → loading"
])

const importsWhere = (
  among: ReadonlyArray<Source>,
  breaks: (source: Source, imported: Source["imports"][number]) => boolean
): ReadonlyArray<string> =>
  among.flatMap((source) =>
    source.imports
      .filter((imported) => breaks(source, imported))
      .map((imported) => `${source.path} imports ${imported.specifier}`)
  )

/** What runs at the merchant's: it needs nothing of ours and closes nothing. */
const outside = new Set(["receiver"])

/** Who chooses parts and hands them to a wiring, and why; everywhere else one adapter is enough. */
const choosing: Readonly<Record<string, string>> = {
  "apps/sandbox/sandbox.ts": "A sandbox is the service with an engine and a chain of its own."
}

describe("the dependency rule", () => {
  it("core imports the package root effect and itself, nothing else", () => {
    none(
      importsWhere(core, (_, { specifier, file }) =>
        file === undefined ? specifier !== "effect" : !file.startsWith("core/")
      )
    )
  })

  it("an adapter imports core, packages and its own folder", () => {
    none(
      importsWhere(adapters, (source, { file }) => {
        if (file === undefined || file.startsWith("core/")) return false
        const [from, to] = [adapterOf(source.path), adapterOf(file)]
        return from !== to && !mayShare.has(`${from} → ${to}`)
      })
    )
  })

  it("adapters meet in an app's wiring, or where its parts are chosen for it", () => {
    const meeting = apps.filter((source) => {
      const met = source.imports.flatMap(({ file }) => adapterOf(file) ?? [])
      const inside = new Set(met.filter((adapter) => !outside.has(adapter)))
      const isEntrance = source.path.startsWith("apps/package/")
      return inside.size > 1 && !isEntrance && !source.path.endsWith("/wiring.ts")
    })
    const paths = meeting.map((source) => source.path)
    none(paths.filter((path) => choosing[path] === undefined))
    none(Object.keys(choosing).filter((path) => !paths.includes(path)))
  })

  it("an entrance of the package is imported by nothing in the project", () => {
    const all = [...core, ...adapters, ...apps]
    none(importsWhere(all, (_, { file }) => file?.startsWith("apps/package/") === true))
  })

  it("whoever holds a key backend is the keys of wallets, which ask of each signature, or the relayer's key", () => {
    const holders = /^adapters\/(keys\/|(evm|solana)\/relayer-key\.ts$)|^apps\/package\/ports\.ts$/u
    none(
      importsWhere(
        sources.filter(({ path }) => !path.startsWith("test/") && !holders.test(path)),
        (_, { file }) => file === "core/ports/key-backend.ts"
      )
    )
  })

  it("nothing that is served imports a test, an example or a benchmark", () => {
    none(
      importsWhere([...core, ...adapters, ...apps], (_, { file }) =>
        /^(test|examples|bench)\//u.test(file ?? "")
      )
    )
  })

  it("every import of a file of ours names a file that is there", () => {
    const there = new Set(files)
    none(importsWhere(sources, (_, { file }) => file !== undefined && !there.has(file)))
  })
})

const roomless = /^(index|utils?|helpers?|common|shared|types|misc)$/u

const banned = new Set([
  "manager",
  "helper",
  "helpers",
  "util",
  "utils",
  "impl",
  "service",
  "repository",
  "dto"
])

const wordsOf = (name: string): ReadonlyArray<string> =>
  name.split(/(?<=[a-z0-9])(?=[A-Z])|_/u).map((word) => word.toLowerCase())

describe("names", () => {
  it("every room and file is named for what is in it", () => {
    const named = sources.filter(({ path }) =>
      path.split("/").some((part) => roomless.test(part.replace(/\..*$/u, "")))
    )
    none(named.map((source) => source.path))
  })

  it("files are in kebab-case", () => {
    const odd = sources.filter(
      ({ path }) => !/^([a-z0-9-]+\/)*[a-z0-9-]+(\.[a-z]+)*\.tsx?$/u.test(path)
    )
    none(odd.map((source) => source.path))
  })

  // Those that others read stand behind the name of their module, as `Balance.held` does.
  it("no name at the top of a file is a bare participle; say what the thing is", () => {
    none(
      [...core, ...adapters, ...apps].flatMap(({ path }) =>
        [...textOf(path).matchAll(participle)].map(([, name]) => `${path}: ${name}`)
      )
    )
  })

  it("no exported name hides behind an empty word", () => {
    none(
      sources.flatMap((source) =>
        source.exported
          .filter(
            (name) =>
              wordsOf(name).some((word) => banned.has(word)) || /^(handle|process)[A-Z]/u.test(name)
          )
          .map((name) => `${source.path}: ${name}`)
      )
    )
  })
})

const participle =
  /^(?:const|let|function) (asked|told|found|wanted|shown|named|given|made|held|sent|seen|taken|kept|done|meant)\b/gmu

describe("families of chains", () => {
  it("are known by core/chains/, their own journals and their adapters alone", () => {
    none([...core, ...adapters, ...apps].flatMap(familyWordsIn))
  })

  it.each([
    ['if (chain.family === "evm") return 1', "family ==="],
    ['if ("evm" !== familyOf(id).family) return 1', "!== familyOf(id).family"],
    ["switch (wallet.family) {", "switch (wallet.family"],
    ['const burn = "0x000000000000000000000000000000000000dead"', '"0x00'],
    ["const form = /^0x[0-9a-f]{40}$/u", "/^0x["],
    ["const text = `send to 0x…`", "`send to 0x…"],
    ["address.toLowerCase()", "address.toLowerCase("],
    ["const key = read.accepted.asset.toLowerCase()", "asset.toLowerCase("],
    ["wallet.address.toUpperCase()", "address.toUpperCase("],
    ["authorization.to.toLowerCase()", "to.toLowerCase("],
    ["readonly maxFeePerGas: bigint", "maxFeePerGas"],
    ["const cost = lamports * 2n", "lamports"]
  ])("%s is found", (text, found) => {
    const [said = ""] = familyWordsIn({
      path: "core/wallets/wallet.ts",
      text,
      imports: [],
      exported: []
    })
    assert.include(said, found)
  })
})

const lines = (source: Source) => source.text.trimEnd().split("\n").length

describe("files", () => {
  it("each opens by saying what lives in it", () => {
    const silent = sources.filter(({ text }) => !/^(#!.*\n)?\/\*\*/u.test(text))
    none(silent.map((source) => source.path))
  })

  // High enough that a feature is cut along its ideas, and not along lines.
  it("none is longer than 400 lines", () => {
    const long = sources.filter((source) => lines(source) > 400)
    none(long.map((source) => `${source.path}: ${lines(source)}`))
  })

  it("none leaves work for later or names the machine it was written on", () => {
    const left = /\b(TOD[O]|FIXM[E])\b|\/(home|root|Users|wor[k])\/[a-z]|\.\.\/share[d]\b/u
    none(files.filter((path) => left.test(textOf(path))))
  })
})

/** Who may read the machine's own clock or dice, and why; everyone else asks Effect's Clock and the Ids port. */
const ownClock: Readonly<Record<string, string>> = {
  "adapters/receiver/delivery.ts":
    "The verifier runs at the merchant's, without Effect; the time can be handed in.",
  "adapters/pages/checkout/island.tsx":
    "Runs in the payer's browser, where time that passes is told from the browser's clock.",
  "adapters/http/edge/lane.ts": "Shares out the event loop, as the turns below do.",
  "adapters/http/edge/places.ts":
    "Finds work that is old in the event loop, as the turns below do.",
  "adapters/http/edge/turns.ts":
    "Shares out the event loop of this process, whose time no clock of a test moves.",
  "adapters/postgres/column.ts": "Makes the driver's Date of a time it was given; reads no clock."
}

describe("time and chance", () => {
  const reads = /new Date\(|Date\.now\(|Math\.random\(|performance\.now\(/u
  const reading = [...core, ...adapters].filter(({ text }) => reads.test(text))

  it("come from outside, so that one seed and one clock replay everything", () => {
    none(reading.map(({ path }) => path).filter((path) => ownClock[path] === undefined))
  })

  it("are excused only where they are still read", () => {
    const paths = reading.map(({ path }) => path)
    none(Object.keys(ownClock).filter((path) => !paths.includes(path)))
  })
})

const isSentence = (text: string) => /^\p{Lu}.*\.$/su.test(text)

describe("the catalogue", () => {
  const names = operations.map((operation) => operation.name)

  it("names each operation once, in snake_case", () => {
    none(
      names.filter((name, at) => names.indexOf(name) !== at || !/^[a-z]+(_[a-z]+)*$/u.test(name))
    )
  })

  it("says of each operation what it does, what comes next and which scope it needs", () => {
    none(
      operations
        .filter(
          (operation) =>
            !(
              isSentence(operation.summary) &&
              operation.next.endsWith(".") &&
              Scope.literals.includes(operation.scope)
            )
        )
        .map((operation) => operation.name)
    )
  })

  it("sends nobody to an operation that is not served", () => {
    const known: ReadonlySet<string> = new Set(names)
    const pointed = core.flatMap((source) =>
      [...source.text.matchAll(/operation: "([a-z_]+)"/gu)]
        .filter(([, name = ""]) => !known.has(name))
        .map(([, name]) => `${source.path}: ${name}`)
    )
    none(pointed)
  })
})

describe("refusals", () => {
  const definition = /^export class \w+ extends (?:\w+\.)?define\("([^"]+)"/gmu
  const defined = [...core, ...adapters].flatMap(({ text }) =>
    [...text.matchAll(definition)].map(([, code = ""]) => code)
  )

  it("each code is defined once and read the same for ever", () => {
    assert.isAbove(defined.length, 10)
    none(
      defined.filter(
        (code, at) => defined.indexOf(code) !== at || !/^[A-Z]+(_[A-Z]+)*$/u.test(code)
      )
    )
  })

  it("each that is raised stands in the manual with a sentence of meaning", () => {
    const told = classes(bound)
    const codes = told.map((each) => each.code)
    none(defined.filter((code) => !codes.includes(code)))
    none(told.filter((each) => !isSentence(each.meaning)).map((each) => each.code))
  })
})

/** `PaymentRequests` has the contract `payment-requests`. */
const contractOf = (port: string) => `test/contracts/${wordsOf(port).join("-")}.contract.ts`

/** The contracts that every storage keeps. */
const listOfStores = "test/contracts/every-store.ts"
const everyStore = sources
  .filter(({ path }) => path === listOfStores)
  .flatMap(({ imports }) => imports.map(({ file }) => file))

const servicesIn = (found: ReadonlyArray<Source>) =>
  found.flatMap(({ text }) =>
    [...text.matchAll(/^export class (\w+) extends Context\.Service</gmu)].map(
      ([, name = ""]) => name
    )
  )

describe("ports", () => {
  const ports = servicesIn(core.filter(({ path }) => isPort(path)))

  it("stand in the list of stores when they keep rows (core/treasury/stores.ts)", () => {
    const keepers = core.filter(({ path }) => /-(store|ledger|resends)\.ts$/u.test(path))
    none(servicesIn(keepers).filter((name) => !(name in stores)))
  })

  it("are found where they are declared", () => assert.isAbove(ports.length, 40))

  it.each(ports)("%s has a contract that at least two adapters keep", (port) => {
    const contract = contractOf(port)
    assert.include(files, contract)
    const lists = [contract, ...(everyStore.includes(contract) ? [listOfStores] : [])]
    const keeping = sourcesIn("test/adapters")
      .filter(({ imports }) => imports.some(({ file }) => lists.includes(file ?? "")))
      .map(({ path }) => path.split("/")[2])
    assert.isAtLeast(new Set(keeping).size, 2, `only ${[...new Set(keeping)].join(", ")}`)
  })
})
