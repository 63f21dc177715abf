/** URLs as titles. */

const MAX_LENGTH = 38

/** The URL without its scheme, and a long one without its middle. */
export function shortTarget(url: string): string {
  const short = url.replace(/^https?:\/\//, '').replace(/\/$/, '')
  return short.length <= MAX_LENGTH ? short : `${short.slice(0, MAX_LENGTH - 13)}…${short.slice(-12)}`
}
