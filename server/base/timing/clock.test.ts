import { describe, expect, test } from 'bun:test'
import { systemClock } from './clock'

/** A machine with a wall clock and a monotonic clock, both in milliseconds. The monotonic clock stops while the machine is suspended. */
function machine() {
  const begun = 1_700_000_000_000
  const state = { wall: begun, running: 0 }
  return {
    clock: systemClock({ wall: () => Math.floor(state.wall), monotonic: () => state.running }),
    /** Advances both clocks. */
    run(milliseconds: number) {
      state.wall += milliseconds
      state.running += milliseconds
    },
    /** Moves only the wall clock, as when it is set or after a suspension. */
    step: (milliseconds: number) => (state.wall += milliseconds),
    wall: () => state.wall * 1000,
  }
}

describe('the clock', () => {
  test('returns microseconds, never the same twice', () => {
    const { clock, run, wall } = machine()
    const first = clock()
    expect(Math.abs(first - wall())).toBeLessThan(1000)
    expect(clock()).toBeGreaterThan(first)
    run(0.25)
    expect(clock() - first).toBe(250)
    run(5000.5)
    expect(clock() - first).toBe(5_000_750)
  })

  test('jumps to the wall clock after a suspension', () => {
    const { clock, run, step, wall } = machine()
    const before = clock()
    step(8 * 3_600_000)
    expect(clock() - before).toBeWithin(8 * 3_600_000_000 - 1000, 8 * 3_600_000_000 + 1000)
    run(1000)
    expect(Math.abs(clock() - wall())).toBeLessThan(1000)
  })

  test('runs at half its pace after the wall clock was set back, until it has caught up', () => {
    const { clock, run, step, wall } = machine()
    const before = clock()
    step(-10_000)
    expect(clock()).toBe(before + 1)
    run(6000)
    expect(clock() - before).toBeWithin(2_999_000, 3_001_000)
    run(13_999)
    expect(clock()).toBeGreaterThan(wall())
    for (let second = 0; second < 3; second++) {
      run(1000)
      clock()
    }
    expect(Math.abs(clock() - wall())).toBeLessThan(2000)
  })

  test('follows a wall clock that is a little too fast or too slow', () => {
    const { clock, run, step, wall } = machine()
    let last = clock()
    for (let second = 0; second < 1000; second++) {
      run(1000)
      step(second < 500 ? 0.5 : -0.5)
      const next = clock()
      expect(next).toBeGreaterThan(last)
      expect(Math.abs(next - wall())).toBeLessThan(2000)
      last = next
    }
  })

  test('of this process returns the present time', () => {
    const before = Date.now()
    const now = systemClock()() / 1000
    expect(now).toBeWithin(before, Date.now() + 1)
  })
})
