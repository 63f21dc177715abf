/** The only file that makes ids. See docs/decisions/storage.md. */

const VERSION_AT = 14

/**
 * A UUID in the form of version 4, by which clients tell ids from names. Like one of version 7, it begins with the time in
 * milliseconds, and of two from one process the later one is greater.
 */
export function newId(): string {
  const id = Bun.randomUUIDv7()
  return `${id.slice(0, VERSION_AT)}4${id.slice(VERSION_AT + 1)}`
}

/** Smaller than every id that a process makes from `milliseconds` before now on. */
export function idBefore(milliseconds: number): string {
  const now = BigInt(`0x${newId().slice(0, 13).replace('-', '')}`)
  const time = (now - BigInt(milliseconds)).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-4000-8000-000000000000`
}
