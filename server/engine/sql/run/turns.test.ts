import { describe, expect, test } from 'bun:test'
import { createTurns } from './sql-runner'

/** Takes turns in order, and returns the names in the order in which they started. */
function started(turns: ReturnType<typeof createTurns>, roles: readonly string[]): string[] {
  const names: string[] = []
  for (const role of roles) void turns.take(role, undefined).then(() => names.push(role))
  return names
}

/** Lets the statements start whose turn has come. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

const PATIENT = { maxWaiting: 10, waitMs: 60_000 }

describe('turns', () => {
  test('the workspace with the fewest running statements is next, then the first that waits', async () => {
    const turns = createTurns({ size: 2, ...PATIENT })
    const names = started(turns, ['a', 'a', 'a', 'b', 'c'])
    await settled()
    expect(names).toEqual(['a', 'a'])
    turns.end('a')
    await settled()
    expect(names).toEqual(['a', 'a', 'b'])
    turns.end('a')
    await settled()
    expect(names).toEqual(['a', 'a', 'b', 'a'])
    turns.end('b')
    await settled()
    expect(names.at(-1)).toBe('c')
  })

  test('503 for one more than may wait, and for one that waited too long', async () => {
    const turns = createTurns({ size: 1, maxWaiting: 1, waitMs: 1 })
    await turns.take('a', undefined)
    const waiting = turns.take('b', undefined)
    expect(turns.state()).toEqual({ running: 1, waiting: 1, refused: 0 })
    await expect(turns.take('c', undefined)).rejects.toMatchObject({ status: 503 })
    await expect(waiting).rejects.toMatchObject({ status: 503 })
    expect(turns.state()).toEqual({ running: 1, waiting: 0, refused: 2 })
    turns.end('a')
    await turns.take('d', undefined)
  })

  test('one whose client left takes no turn', async () => {
    const turns = createTurns({ size: 1, ...PATIENT })
    await turns.take('a', undefined)
    const client = new AbortController()
    const waiting = turns.take('b', client.signal)
    client.abort()
    await expect(waiting).rejects.toMatchObject({ status: 503 })
    await expect(turns.take('b', client.signal)).rejects.toMatchObject({ status: 503 })
    const names = started(turns, ['c'])
    turns.end('a')
    await settled()
    expect(names).toEqual(['c'])
  })
})
