/**
 * Every kind of proposal, before a test of a process that several files share asks for their names: whoever asks first
 * settles them for all that come after, and in a service all of them are there by then.
 */
import "../../core/treasury/kinds.ts"
