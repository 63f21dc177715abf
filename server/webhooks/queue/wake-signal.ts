/** Wakes who waits for it; rung while nobody waits, it wakes the next at once. */

export interface WakeSignal {
  ring(): void
  /** Forgets earlier ringing. */
  still(): void
  /** Resolves to true when it rings, to false when it did not for so long. */
  rung(ms?: number): Promise<boolean>
}

export function createWakeSignal(): WakeSignal {
  let isRung = false
  let wake = () => {}
  return {
    ring() {
      isRung = true
      wake()
    },
    still() {
      isRung = false
    },
    async rung(ms) {
      if (isRung || ms === 0) return isRung
      const ringing = Promise.withResolvers<void>()
      wake = ringing.resolve
      const timer = ms === undefined ? undefined : setTimeout(ringing.resolve, ms)
      await ringing.promise
      clearTimeout(timer)
      return isRung
    },
  }
}
