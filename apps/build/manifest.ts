/**
 * What npm is told of the packages that are published: `bursar`, and `bursar-webhooks` for whoever only receives
 * webhooks. Both are made of this project's own manifest, so that a version is written once.
 */

import { neededPackages } from "../sandbox/needed.ts"

export interface Manifest {
  readonly version: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** Where the compiler writes, as the project's manifest sees it and as the package's does. */
const built = "./dist/package/"
const fromPackage = (paths: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, path.replace(built, "./")]))

/** A program has one Effect, and brings it: two would not know each other's services. */
const peers = ["effect", "@effect/platform-node", "@effect/sql-pg"]

/** For a service alone; loaded when they are used, so that a library does without. */
const serverOnly = ["@electric-sql/pglite", "nodemailer", "redis"]

/** For a sandbox alone, which says how to install what is missing. */
const sandboxOnly = Object.keys(neededPackages)

/** For building this project. */
const buildOnly = ["esbuild"]

type Dependencies = Readonly<Record<string, string>>

const among = (dependencies: Dependencies, names: ReadonlyArray<string>): Dependencies =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => names.includes(name)))

const except = (dependencies: Dependencies, names: ReadonlyArray<string>): Dependencies =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => !names.includes(name)))

/** Any later release of the same major version. */
const ranges = (dependencies: Dependencies): Dependencies =>
  Object.fromEntries(Object.entries(dependencies).map(([name, version]) => [name, `^${version}`]))

const publicFields = [
  "name",
  "version",
  "description",
  "license",
  "keywords",
  "type",
  "engines"
] as const

/** `bursar` itself, from the folder it is compiled into. */
export const bursar = (manifest: Manifest) => ({
  ...Object.fromEntries(publicFields.map((field) => [field, manifest[field]])),
  exports: fromPackage(manifest.exports),
  bin: fromPackage(manifest.bin),
  peerDependencies: {
    ...ranges(among(manifest.dependencies, peers)),
    ...ranges(among(manifest.devDependencies, sandboxOnly))
  },
  peerDependenciesMeta: Object.fromEntries(sandboxOnly.map((name) => [name, { optional: true }])),
  dependencies: except(manifest.dependencies, [...peers, ...serverOnly, ...buildOnly]),
  optionalDependencies: among(manifest.dependencies, serverOnly)
})

/** What `bursar-webhooks` is made of, without the endings of compiled files. */
export const receiver = [
  "adapters/receiver/delivery",
  "adapters/receiver/event",
  "adapters/receiver/verify",
  "adapters/receiver/verify-web",
  "apps/package/webhooks",
  "apps/package/webhooks-web"
]

/** The verifiers alone: nothing comes with them. */
export const webhooks = ({ engines, license, version }: Manifest) => ({
  name: "bursar-webhooks",
  version,
  description:
    "Verifies the webhooks of a Bursar treasury, in Node and on Web Crypto. It has no dependencies.",
  license,
  keywords: ["bursar", "webhooks", "usdc"],
  type: "module",
  engines,
  exports: {
    ".": "./apps/package/webhooks.js",
    "./web": "./apps/package/webhooks-web.js",
    "./package.json": "./package.json"
  }
})
