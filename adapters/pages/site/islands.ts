/**
 * The scripts and style sheets that browsers load, by the name pages ask for them, and where each is
 * written. A page has at most one script, an island: everything else of it comes from the server.
 */
export const entries = {
  "checkout.js": "checkout/island.tsx",
  "checkout.css": "checkout/checkout.css",
  "console.js": "console/island.ts",
  "console-files.js": "console/files-island.ts",
  "console.css": "console/console.css"
} as const

export type AssetName = keyof typeof entries

/** One file as it is served: its name carries a hash of what is in it, so it never changes. */
export interface Asset {
  readonly type: string
  readonly text: string
}

/** What a build of all entries gave. */
export interface Built {
  /** The file of each entry: `checkout.js` is `checkout-4F7QSZ2N.js`. */
  readonly manifest: Readonly<Record<AssetName, string>>
  readonly files: Readonly<Record<string, Asset>>
}
