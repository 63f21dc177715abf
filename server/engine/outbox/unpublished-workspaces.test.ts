import { expect, test } from 'bun:test'
import { createUnpublishedWorkspaces, groupOf } from './outbox'

const ids = (selection: ReadonlyMap<string, number>) => [...selection.keys()]

test('the longest waiting workspaces come first, at most two hundred, and those with further events last', () => {
  const unpublished = createUnpublishedWorkspaces()
  const all = Array.from({ length: 205 }, (_, index) => `w${index}`)
  for (const id of all) unpublished.add(id)
  const first = unpublished.next()
  expect(ids(first)).toEqual(all.slice(0, 200))
  expect(unpublished.isSelectionFull()).toBe(true)
  unpublished.published(first, ['w3'])
  expect(ids(unpublished.next())).toEqual([...all.slice(200), 'w3'])
  expect(unpublished.isSelectionFull()).toBe(false)
})

test('of more than two hundred, whole groups are selected, that with the longest waiting workspace first', () => {
  const unpublished = createUnpublishedWorkspaces()
  const all = Array.from({ length: 800 }, (_, index) => `w-${index.toString(16).padStart(4, '0')}`)
  for (const id of all.toReversed()) unpublished.add(id)
  const first = ids(unpublished.next())
  expect(first.length).toBe(200)
  expect([...new Set(first.map(groupOf))]).toEqual([15, 14, 13, 12])
})

test('a workspace keeps its place when it is written again, and goes to the end when another process publishes its group', () => {
  const unpublished = createUnpublishedWorkspaces()
  for (const id of ['a', 'b', 'c', 'a']) unpublished.add(id)
  expect(ids(unpublished.next())).toEqual(['a', 'b', 'c'])
  unpublished.postponed(['a'])
  expect(ids(unpublished.next())).toEqual(['b', 'c', 'a'])
})

test('a workspace that was written while its events were published stays', () => {
  const unpublished = createUnpublishedWorkspaces()
  unpublished.add('a')
  unpublished.add('b')
  const selection = unpublished.next()
  unpublished.add('a')
  unpublished.published(selection, [])
  expect([unpublished.has('a'), unpublished.has('b')]).toEqual([true, false])
})

test('one workspace that cannot be published does not hold up the others', () => {
  let now = 0
  const unpublished = createUnpublishedWorkspaces(() => now)
  for (const id of ['broken', 'b', 'c']) unpublished.add(id)
  unpublished.failed(unpublished.next())
  const published: string[] = []
  for (let batch = 0; batch < 5; batch++) {
    const selection = unpublished.next()
    if (selection.has('broken')) unpublished.failed(selection)
    else {
      published.push(...ids(selection))
      unpublished.published(selection, [])
    }
  }
  expect(published).toEqual(['b', 'c'])
  expect([unpublished.failing(), ids(unpublished.next())]).toEqual([['broken'], []])
  now = 1000
  expect(ids(unpublished.next())).toEqual(['broken'])
  unpublished.published(unpublished.next(), [])
  expect([unpublished.failing(), unpublished.has('broken')]).toEqual([[], false])
})

test('the length says for how long the first workspace waits', () => {
  let now = 0
  const unpublished = createUnpublishedWorkspaces(() => now)
  expect(unpublished.length()).toEqual({ waiting: 0, oldestMs: 0 })
  unpublished.add('a')
  now = 10
  unpublished.add('a')
  unpublished.add('b')
  now = 30
  expect(unpublished.length()).toEqual({ waiting: 2, oldestMs: 30 })
  const selection = unpublished.next()
  unpublished.add('b')
  unpublished.published(selection, [])
  now = 35
  expect(unpublished.length()).toEqual({ waiting: 1, oldestMs: 5 })
})
