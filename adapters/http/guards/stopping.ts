/**
 * Lets a server that stops go at once: what was begun is finished and closes its connection, and a connection on which
 * nothing is in hand is closed. Node by itself would keep one whose client asks on until it asks no more.
 */
import type { Server, ServerResponse } from "node:http"
import type { Lines } from "./lines.ts"

export interface Stopping {
  /** Told of each request that is handed over. */
  readonly enter: (answer: ServerResponse) => void
}

export const bound = (server: Server, lines: Lines): Stopping => {
  let isStopping = false
  const close = server.close.bind(server)

  /** Says so to its client, if the head of the answer has not left yet. */
  const closeBehind = (answer: ServerResponse) => {
    answer.shouldKeepAlive = false
    // After whoever begins what a client has sent ahead.
    if (answer.headersSent) {
      answer.once("close", () => setImmediate(() => server.closeIdleConnections()))
    }
  }

  server.close = (done) => {
    isStopping = true
    const closing = close(done)
    for (const { open, socket } of lines.all.values()) {
      // What has come of a request so far, if anything, is not a whole head.
      if (open.size === 0) socket.destroy()
      for (const answer of open) closeBehind(answer)
    }
    return closing
  }

  return {
    enter: (answer) => {
      if (isStopping) closeBehind(answer)
    }
  }
}
