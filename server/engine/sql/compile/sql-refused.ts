/** Why the service does not run a text. The message has the form of PostgreSQL's messages. */
export class SqlRefused extends Error {
  constructor(
    message: string,
    /** The place in the caller's text, in characters from 1. Null when no part of the text is the cause. */
    readonly position: number | null = null,
    readonly hint: string | null = null,
  ) {
    super(message)
  }
}
