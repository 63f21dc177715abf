/** Addresses as titles. */

const MOST = 38

/** Host and path without the scheme; a long one without its middle. */
export function shortTarget(url: string): string {
  const short = url.replace(/^https?:\/\//, '').replace(/\/$/, '')
  return short.length <= MOST ? short : `${short.slice(0, MOST - 13)}…${short.slice(-12)}`
}
