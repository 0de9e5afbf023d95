/**
 * Mutants that no test can notice, because what they change is the same to everybody. Each names its place by the
 * text before and after, so that it is found again when lines move, and says why.
 */

export interface Equivalent {
  readonly module: string
  readonly before: string
  readonly after: string
  readonly why: string
}

export const equivalent: ReadonlyArray<Equivalent> = []
