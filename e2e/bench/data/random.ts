/** Pseudo-random numbers, the same in every run. */

export interface Random {
  /** Returns a whole number from 0 to below `limit`. */
  below(limit: number): number
  one<T>(items: readonly [T, ...T[]]): T
}

/** Returns the sequence of a seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return { below, one: (items) => items[below(items.length)] ?? items[0] }
}
