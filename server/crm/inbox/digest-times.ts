/** The times of emails about notifications. See docs/reference/inbox.md (Email digests). */

/** How long a digest waits for further notifications, and for the member to read them at the console. */
export const DIGEST_DELAY = '5 minutes'

/** The shortest time between two digests of one member. */
export const DIGEST_INTERVAL = '15 minutes'
