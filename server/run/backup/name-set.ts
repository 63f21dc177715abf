const WORDS = 4
const LEAST_SLOTS = 1024

/**
 * The names of stored files in 32 bytes each, because there may be millions. A name counts as its last 128 bits, which are those of a
 * digest: two files do not have the same.
 */
export class NameSet {
  #words = new Uint32Array(LEAST_SLOTS * WORDS)
  #size = 0

  /** The name ends with at least 32 hexadecimal digits. */
  add(name: string): void {
    // At most half of the slots are taken, so that a search ends soon.
    if (this.#size * 2 * WORDS >= this.#words.length) this.#grow()
    this.#insert(wordsOf(name))
  }

  has(name: string): boolean {
    const words = wordsOf(name)
    return isAt(this.#words, this.#slotOf(words), words)
  }

  #insert(words: Uint32Array): void {
    const slot = this.#slotOf(words)
    if (!isAt(this.#words, slot, words)) this.#size++
    this.#words.set(words, slot)
  }

  /** Where the words are, or the free place for them. They are of a digest, so the first one is a hash. */
  #slotOf(words: Uint32Array): number {
    const { length } = this.#words
    let slot = ((words[0] ?? 0) * WORDS) % length
    while (!isFree(this.#words, slot) && !isAt(this.#words, slot, words)) slot = (slot + WORDS) % length
    return slot
  }

  #grow(): void {
    const before = this.#words
    this.#words = new Uint32Array(before.length * 2)
    for (let slot = 0; slot < before.length; slot += WORDS)
      if (!isFree(before, slot)) this.#insert(before.subarray(slot, slot + WORDS))
  }
}

const wordsOf = (name: string): Uint32Array =>
  Uint32Array.from({ length: WORDS }, (_, index) => {
    const start = name.length - 8 * (WORDS - index)
    return Number.parseInt(name.slice(start, start + 8), 16)
  })

const isAt = (all: Uint32Array, slot: number, words: Uint32Array): boolean =>
  words.every((word, index) => all[slot + index] === word)
const isFree = (all: Uint32Array, slot: number): boolean => isAt(all, slot, NO_WORDS)
const NO_WORDS = new Uint32Array(WORDS)
