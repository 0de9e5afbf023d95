/**
 * In the browser: reads a page again, and puts what the server wrote now in the place of what it wrote before. A
 * browser parses an answer that is asked for as a document by itself, so nothing is made from text here.
 */

/**
 * The page at an address as it is now; undefined when the server leads elsewhere or does not answer. `isFollowing` says
 * that no person asks, so that a session ends when nobody uses it.
 */
export const pageAt = (url: string, isFollowing = false): Promise<Document | undefined> =>
  new Promise((done) => {
    const request = new XMLHttpRequest()
    request.open("GET", url)
    request.responseType = "document"
    if (isFollowing) request.setRequestHeader("bursar-follow", "1")
    request.onerror = () => done(undefined)
    request.onload = () => {
      const isHere = new URL(request.responseURL).pathname === new URL(url, location.href).pathname
      // Whoever is led away, as to sign in, goes there.
      if (!isHere) location.assign(request.responseURL)
      done(isHere && request.status === 200 ? (request.responseXML ?? undefined) : undefined)
    }
    request.send()
  })

/** By what a button or a field is found again on a page that was written anew. */
const nameOf = (element: Element | null): string | undefined => {
  if (!(element instanceof HTMLElement)) return undefined
  const { ask, post } = element.dataset
  return element.id === "" ? (ask ?? post) : element.id
}

const main = (page: Document) => page.querySelector("main")

/** Puts another page's main part in the place of this one's; what has the focus keeps it, and what was said stays. */
export const show = (next: Document): HTMLElement | null => {
  const [before, after] = [main(document), main(next)]
  if (before === null || after === null) return null
  const focused = before.contains(document.activeElement)
    ? nameOf(document.activeElement)
    : undefined
  const said = before.querySelector("#said")
  const shown = document.adoptNode(after)
  if (said !== null) shown.querySelector("#said")?.replaceWith(said)
  before.replaceWith(shown)
  document.title = next.title
  if (focused !== undefined) {
    const again = [...shown.querySelectorAll<HTMLElement>("button, input, select, textarea")]
    again.find((element) => nameOf(element) === focused)?.focus()
  }
  return shown
}

/** How long a server that refused is left alone. */
const patienceMs = 5_000

/** Follows the page by its stream: `changed` is called when it may show something else than this page does. */
export const follow = (version: string, changed: () => void): void => {
  let last = version
  const open = () => {
    const after = `${location.pathname}/events?after=${encodeURIComponent(last)}`
    const source = new EventSource(after)
    source.addEventListener("changed", ({ lastEventId }) => {
      last = lastEventId
      changed()
    })
    source.onerror = () => {
      // The page that stands here now may follow nothing any more.
      if (document.querySelector("main[data-live]") === null) return source.close()
      // A browser tries a lost stream again by itself, but not one that was refused.
      if (source.readyState !== EventSource.CLOSED) return
      changed()
      setTimeout(open, patienceMs)
    }
    addEventListener("pagehide", () => source.close())
  }
  open()
}
