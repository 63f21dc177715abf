import { describe, expect, test } from 'bun:test'
import { createBacklog, type Backlog } from './backlog'
import type { Waiting } from './pending-deliveries'

const waiting = (position: number, attempts = 0, id = `d${position}`): Waiting => ({
  id,
  position,
  attempts,
  createdAt: '2030-01-01T00:00:00.000000Z',
  idempotencyKey: id,
  body: '{}',
})
const some = (...positions: number[]) => positions.map((position) => waiting(position))

/** What a reading found, unless more is said all there is. */
const found = (positions: readonly number[], isAll = true) => ({ first: some(...positions), again: [], isAll })

function drain(backlog: Backlog): number[] {
  const positions: number[] = []
  for (let next = backlog.next(); next !== undefined; next = backlog.next()) positions.push(next.position)
  return positions
}

const most = () => 5

describe('a backlog', () => {
  test('that begins with all there is takes what it is handed', () => {
    const backlog = createBacklog(most, some(1, 2))
    backlog.hand(some(3))
    expect(backlog.isWhole).toBe(true)
    expect(drain(backlog)).toEqual([1, 2, 3])
  })

  test('that has learnt nothing takes nothing: something older may wait', () => {
    const backlog = createBacklog(most)
    backlog.hand(some(3))
    expect(drain(backlog)).toEqual([])
    expect(backlog.ask()).toEqual({ skip: new Set(), upTo: undefined })
    backlog.learn(found([1, 2, 3]))
    backlog.hand(some(4))
    expect(drain(backlog)).toEqual([1, 2, 3, 4])
  })

  test('that has learnt a part takes nothing', () => {
    const backlog = createBacklog(most)
    backlog.ask()
    backlog.learn(found([1, 2], false))
    backlog.hand(some(9))
    expect(backlog.isWhole).toBe(false)
    expect(drain(backlog)).toEqual([1, 2])
  })

  test('that missed something takes nothing until it has learnt what waits', () => {
    const backlog = createBacklog(most, some(1))
    backlog.miss()
    backlog.hand(some(3))
    expect(drain(backlog)).toEqual([1])
    backlog.ask()
    backlog.learn(found([2, 3]))
    expect(drain(backlog)).toEqual([2, 3])
    expect(backlog.isWhole).toBe(true)
  })

  test('that is full names the oldest, and knows that there is more', () => {
    const backlog = createBacklog(most, some(1, 2, 3, 4))
    backlog.hand(some(5, 6, 7))
    expect(backlog.isWhole).toBe(false)
    expect(drain(backlog)).toEqual([1, 2, 3, 4, 5])
    backlog.ask()
    backlog.learn(found([6, 7]))
    expect(drain(backlog)).toEqual([6, 7])
  })
})

describe('while a backlog is read', () => {
  test('what is handed comes after what is found, once', () => {
    const backlog = createBacklog(most)
    backlog.ask()
    backlog.hand(some(3))
    backlog.hand(some(4))
    backlog.learn(found([1, 2, 3]))
    expect(drain(backlog)).toEqual([1, 2, 3, 4])
    expect(backlog.isWhole).toBe(true)
  })

  test('what is missed is not known afterwards', () => {
    const backlog = createBacklog(most)
    backlog.ask()
    backlog.miss()
    backlog.hand(some(5))
    backlog.learn(found([1, 2, 3]))
    expect(drain(backlog)).toEqual([1, 2, 3])
    expect(backlog.isWhole).toBe(false)
  })

  test('what is handed after a part is left for the next reading', () => {
    const backlog = createBacklog(most)
    backlog.ask()
    backlog.hand(some(8))
    backlog.learn(found([1, 2], false))
    expect(drain(backlog)).toEqual([1, 2])
    backlog.ask()
    backlog.learn(found([3, 8]))
    expect(drain(backlog)).toEqual([3, 8])
  })

  test('what is recorded may have been seen waiting, and is not taken again', () => {
    const backlog = createBacklog(most, some(1, 2))
    expect(drain(backlog)).toEqual([1, 2])
    const { skip } = backlog.ask()
    backlog.forget('d1')
    expect(skip).toEqual(new Set(['d1', 'd2']))
    backlog.learn(found([1, 2]))
    expect(drain(backlog)).toEqual([])
    expect(backlog.ask().skip).toEqual(new Set(['d2']))
  })

  test('what it is handed late, after it was found, sent and recorded, is not taken again', () => {
    const backlog = createBacklog(most)
    backlog.ask()
    backlog.learn(found([1]))
    expect(drain(backlog)).toEqual([1])
    backlog.forget('d1')
    backlog.hand(some(1))
    expect(drain(backlog)).toEqual([])
  })
})

describe('a whole backlog asks', () => {
  test('for what is older than it was handed, such as tests and what is sent again', () => {
    const backlog = createBacklog(most, some(6, 7))
    expect(backlog.ask()).toEqual({ skip: new Set(['d6', 'd7']), upTo: 7 })
    backlog.learn({ first: [waiting(0, 0, 'test')], again: [waiting(3, 1)], isAll: true })
    expect(drain(backlog)).toEqual([0, 6, 7])
    expect(backlog.nextAgain()?.position).toBe(3)
    expect(backlog.isWhole).toBe(true)
  })

  test('for what is to be made again only once, until that is recorded', () => {
    const backlog = createBacklog(most, [])
    const again = { first: [], again: [waiting(3, 1)], isAll: true }
    backlog.ask()
    backlog.learn(again)
    backlog.ask()
    backlog.learn(again)
    expect([backlog.nextAgain()?.id, backlog.nextAgain()?.id]).toEqual(['d3', undefined])
    backlog.forget('d3')
    backlog.ask()
    backlog.learn({ ...again, again: [waiting(3, 2)] })
    expect(backlog.nextAgain()?.attempts).toBe(2)
  })
})
