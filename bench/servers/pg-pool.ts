/** node-postgres, as much of it as is used here; the package has no types of its own. */
import { createRequire } from "node:module"

export type Row = Readonly<Record<string, unknown>>

export interface Client {
  readonly query: (statement: {
    /** Under which it is prepared once a connection; not prepared when left out. */
    readonly name?: string
    readonly text: string
    readonly values?: ReadonlyArray<unknown>
  }) => Promise<{ readonly rows: ReadonlyArray<Row> }>
}

interface Pool extends Client {
  readonly connect: () => Promise<Client & { readonly release: () => void }>
}

const { Pool } = createRequire(import.meta.url)("pg") as {
  readonly Pool: new (options: { readonly connectionString: string; readonly max: number }) => Pool
}

/** The service keeps ten connections, and one of them listens. */
export const open = (url: string): Pool => new Pool({ connectionString: url, max: 9 })
