/**
 * Loads something when it is first needed and keeps it. A load that failed is forgotten, so that whoever
 * asks next tries again.
 */

export interface Once<A> {
  /** Loads what is not there yet. */
  readonly get: () => Promise<A>
  /** What is there, if anything is; loads nothing and never rejects. */
  readonly current: () => Promise<A | undefined>
}

export const loadOnce = <A>(load: () => Promise<A>): Once<A> => {
  let loading: Promise<A> | undefined
  const begin = () => {
    const begun = load()
    begun.catch(() => {
      loading = undefined
    })
    return begun
  }
  return {
    get: () => (loading ??= begin()),
    current: async () => loading?.catch(() => undefined)
  }
}
