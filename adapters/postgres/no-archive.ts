/**
 * A backup that is opened becomes a timeline of its own, by which everybody can tell that the records were restored.
 * PostgreSQL asks an archive for its log first, by a command of the system; there is neither, and it is told so in the
 * one way in which it then goes on with the log that the backup has.
 */

/** A session of its own that looks on while the log is read is nothing that this engine has. */
export const noArchive = ["restore_command=none", "hot_standby=off"]

/** The part of the engine's module that would run a command of the system. */
export interface Commands {
  readonly addFunction: (run: () => number, signature: string) => number
  _pgl_set_system_fn: (run: number) => void
}

/** As the system tells of a command that exited with 1. By itself the package tells of one that was killed. */
const notThere = 256

/** Takes the place of what the package would answer. */
export const haveNothingArchived = (engine: Commands) => {
  const set = engine._pgl_set_system_fn
  engine._pgl_set_system_fn = () => set(engine.addFunction(() => notThere, "pi"))
}
