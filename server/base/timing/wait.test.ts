import { describe, expect, test } from 'bun:test'
import { createSubscribedSignal, createWakeSignal } from './wait'

describe('a wake signal', () => {
  test('ends the current wait', async () => {
    const signal = createWakeSignal()
    const waiting = signal.wait()
    signal.wake()
    expect(await waiting).toBe(true)
  })

  test('ends the next wait, and only that one, when no loop waits', async () => {
    const signal = createWakeSignal()
    signal.wake()
    signal.wake()
    expect(await signal.wait()).toBe(true)
    expect(await signal.wait(0)).toBe(false)
  })

  test('resolves to false when the time passes without a wake', async () => {
    expect(await createWakeSignal().wait(1)).toBe(false)
  })

  test('forgets a wake when it is cleared', async () => {
    const signal = createWakeSignal()
    signal.wake()
    signal.clear()
    expect(await signal.wait(0)).toBe(false)
  })
})

test('a subscribed signal is woken by its subscription and by the abort signal, until it is closed', async () => {
  const listeners = new Set<() => void>()
  const abort = new AbortController()
  const signal = createSubscribedSignal((wake) => {
    listeners.add(wake)
    return () => listeners.delete(wake)
  }, abort.signal)
  for (const listener of listeners) listener()
  expect(await signal.wait()).toBe(true)
  abort.abort()
  expect(await signal.wait()).toBe(true)
  signal.close()
  expect(listeners.size).toBe(0)
})
